#include "cli/hardware_option.h"

namespace tactus::cli {

void HardwareOption::add_to(CLI::App& app) {
  app.add_option("--hardware", given_,
                 "the machine whose limits count: H200, ... or a .toml file (default: the device "
                 "that RUN names)")
      ->type_name("NAME");
}

Result<const HardwareProfile*> HardwareOption::resolve() {
  if (given_.empty()) return nullptr;
  if (!given_.ends_with(".toml")) return find_hardware(given_);
  Result<HardwareProfile> profile = read_hardware_file(given_);
  if (!profile) return profile.error();
  from_file_ = std::move(*profile);
  return &*from_file_;
}

}  // namespace tactus::cli
