#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "hardware/profile.h"

namespace tactus::cli {

/// --hardware: a machine by name, or a file with its figures.
class HardwareOption {
 public:
  void add_to(CLI::App& app);

  /// The machine; null if none was asked for. It lives as long as this does.
  Result<const HardwareProfile*> resolve();

 private:
  std::string given_;
  std::optional<HardwareProfile> from_file_;
};

}  // namespace tactus::cli
