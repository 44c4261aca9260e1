#include "cli/roofline_inputs.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"

namespace tactus::cli {
namespace {

constexpr std::uint64_t kLargestFile = 256 << 20;  // [bytes] of a catalogue, profile or result

bool is_file_name(const std::string& name) {
  return name.ends_with(".toml") || name.find('/') != std::string::npos;
}

Result<HardwareProfile> read_machine(const std::string& name, Progress& progress) {
  static_cast<void>(progress);
  return read_hardware_file(name);
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

Result<Machines> find_machines(const std::vector<std::string>& names, Progress& progress) {
  Machines machines;
  for (const std::string& name : names) {
    const HardwareProfile* profile = nullptr;
    if (is_file_name(name) || name == "host" || name.starts_with("cuda")) {
      Result<HardwareProfile> read = read_machine(name, progress);
      if (!read) return read.error();
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
