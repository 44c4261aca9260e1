#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "hardware/profile.h"

namespace tactus::cli {

/// The requested machines; built-in ones are not copied.
struct Machines {
  std::vector<const HardwareProfile*> profiles;
  std::vector<std::unique_ptr<HardwareProfile>> own;  ///< read from files, or measured
};

Machines all_machines();

/// --hardware and --fresh: machines by name, by a profile's file, or measured here ("host", "cuda",
/// "cuda:1").
class HardwareOption {
 public:
  /// For a command that looks at many machines.
  void add_list_to(Options& options);
  /// For a command that looks at one; `by_default` says which one if none is named.
  void add_one_to(Options& options, const std::string& by_default);

  bool empty() const { return names_.empty(); }
  bool fresh() const { return fresh_; }
  /// As typed; some are files.
  const std::vector<std::string>& names() const { return names_; }

  /// The machines asked for, in that order; prints warnings.
  Result<Machines> machines(const CommonOptions& common) const;

  /// The one machine; null if none was requested. It lives as long as this object.
  Result<const HardwareProfile*> machine(const CommonOptions& common);

 private:
  void add_fresh_to(Options& options);

  std::vector<std::string> names_;
  bool fresh_ = false;
  Machines one_;
};

}  // namespace tactus::cli
