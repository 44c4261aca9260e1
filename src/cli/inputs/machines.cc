#include "cli/inputs/machines.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "cli/terminal.h"
#include "hardware/measure_cuda.h"
#include "hardware/measure_host.h"

namespace tactus::cli {
namespace {

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

/// An earlier measurement counts unless `fresh`.
Result<const HardwareProfile*> find_machine(const std::string& name, bool fresh,
                                            const CommonOptions& common, Machines& machines) {
  if (!is_file_name(name) && !is_measured(name)) return find_hardware(name);
  std::string warning;
  std::unique_ptr<Progress> progress = make_progress(common.quiet);
  Result<HardwareProfile> own = own_machine(name, fresh, *progress, warning);
  progress.reset();  // wipes the bar
  if (!own) return own.error();
  if (!warning.empty() && !common.quiet) print_warning(warning);
  machines.own.push_back(std::make_unique<HardwareProfile>(std::move(*own)));
  return machines.own.back().get();
}

}  // namespace

Machines all_machines() {
  Machines machines;
  for (const HardwareProfile& profile : built_in_hardware()) machines.profiles.push_back(&profile);
  return machines;
}

void HardwareOption::add_list_to(Options& options) {
  options
      .add("--hardware", names_,
           "machines by name (H200), profile (.toml), or measured here (host, cuda)")
      .machine("NAME,...")
      .separated_by(',');
  add_fresh_to(options);
}

void HardwareOption::add_one_to(Options& options, const std::string& by_default) {
  options
      .add("--hardware", names_,
           "the machine whose limits count: a name (H200), a profile (.toml), or measured here "
           "(host, cuda); default: " +
               by_default)
      .machine("NAME|FILE");
  add_fresh_to(options);
}

void HardwareOption::add_fresh_to(Options& options) {
  options.add("--fresh", fresh_,
              "measure host and cuda again, even if there are earlier measurements");
}

Result<Machines> HardwareOption::machines(const CommonOptions& common) const {
  Machines machines;
  for (const std::string& name : names_) {
    const Result<const HardwareProfile*> found = find_machine(name, fresh_, common, machines);
    if (!found) return found.error();
    const auto same = [&](const HardwareProfile* other) { return other->name == (*found)->name; };
    if (std::any_of(machines.profiles.begin(), machines.profiles.end(), same)) {
      return usage_error("--hardware " + name + ": " + (*found)->name + " is given twice");
    }
    machines.profiles.push_back(*found);
  }
  return machines;
}

Result<const HardwareProfile*> HardwareOption::machine(const CommonOptions& common) {
  Result<Machines> found = machines(common);
  if (!found) return found.error();
  if (found->profiles.size() > 1) return usage_error("--hardware: give one machine only");
  one_ = std::move(*found);
  return one_.profiles.empty() ? nullptr : one_.profiles.front();
}

}  // namespace tactus::cli
