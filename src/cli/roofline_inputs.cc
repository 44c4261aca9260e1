#include "cli/roofline_inputs.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "hardware/measure_cuda.h"
#include "hardware/measure_host.h"

namespace tactus::cli {
namespace {

constexpr std::uint64_t kLargestFile = 256 << 20;  // [bytes] of a catalogue, profile or result

bool is_file_name(const std::string& name) {
  return name.ends_with(".toml") || name.find('/') != std::string::npos;
}

/// The N of "cuda:N", 0 for "cuda"; nothing if it is neither.
std::optional<int> cuda_device(std::string_view name) {
  constexpr std::string_view kCuda = "cuda";
  if (!name.starts_with(kCuda)) return std::nullopt;
  name.remove_prefix(kCuda.size());
  if (name.empty()) return 0;
  int device = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), device);
  const bool read = name[0] == ':' && error == std::errc() && end == name.data() + name.size();
  return read && device >= 0 ? std::optional(device) : std::nullopt;
}

bool is_measured(const std::string& name) {
  return name == "host" || cuda_device(name).has_value();
}

Result<HardwareProfile> own_machine(const std::string& name, bool fresh, Progress& progress,
                                    std::string& warning) {
  if (is_file_name(name)) return read_hardware_file(name);
  if (name == "host") return measure_host(progress, fresh, {}, &warning);
  return measure_cuda(*cuda_device(name), progress, fresh, {}, &warning);
}

}  // namespace

Result<std::string> read_small_file(const std::string& path) {
  const Result<File> file = File::open_for_reading(path);
  if (!file) return file.error();
  std::string text;
  std::string part(1 << 16, '\0');
  while (true) {
    const Result<std::size_t> got = file->read(part.data(), part.size(), path);
    if (!got) return got.error();
    if (*got == 0) return text;
    text.append(part, 0, *got);
    if (text.size() > kLargestFile)
      return input_error(path + ": is too large for what it should be");
  }
}

Result<Catalogue> open_catalogue(const std::string& path) {
  if (path.empty()) return built_in_catalogue();
  const Result<std::string> text = read_small_file(path);
  if (!text) return text.error();
  return read_catalogue(*text, path);
}

Result<std::vector<BaselineTime>> open_baseline(const std::string& path) {
  if (path.empty()) return std::vector<BaselineTime>();
  const Result<std::string> text = read_small_file(path);
  if (!text) return text.error();
  return read_baseline(*text, path);
}

Result<Machines> find_machines(const std::vector<std::string>& names, bool fresh,
                               Progress& progress) {
  Machines machines;
  for (const std::string& name : names) {
    const HardwareProfile* profile = nullptr;
    if (is_file_name(name) || is_measured(name)) {
      std::string warning;
      Result<HardwareProfile> read = own_machine(name, fresh, progress, warning);
      if (!read) return read.error();
      if (!warning.empty()) machines.warnings.push_back(warning);
      machines.own.push_back(std::make_unique<HardwareProfile>(std::move(*read)));
      profile = machines.own.back().get();
    } else {
      const Result<const HardwareProfile*> found = find_hardware(name);
      if (!found) return found.error();
      profile = *found;
    }
    const auto same = [&](const HardwareProfile* other) { return other->name == profile->name; };
    if (std::any_of(machines.profiles.begin(), machines.profiles.end(), same)) {
      return usage_error("--hardware " + name + ": " + profile->name + " is there twice");
    }
    machines.profiles.push_back(profile);
  }
  return machines;
}

Machines all_machines() {
  Machines machines;
  for (const HardwareProfile& profile : built_in_hardware()) machines.profiles.push_back(&profile);
  return machines;
}

}  // namespace tactus::cli
