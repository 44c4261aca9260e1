#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "bounds/baseline.h"
#include "catalogue/catalogue.h"
#include "hardware/profile.h"

namespace tactus::cli {

/// The whole of a small file; an error where it is not there, or too large to be one.
Result<std::string> read_small_file(const std::string& path);

/// The catalogue in a file, or the built-in one for no path.
Result<Catalogue> open_catalogue(const std::string& path);

/// The times in a file; none for no path.
Result<std::vector<BaselineTime>> open_baseline(const std::string& path);

/// Machines that a command was asked about; built-in ones are not copied.
struct Machines {
  std::vector<const HardwareProfile*> profiles;
  std::vector<std::unique_ptr<HardwareProfile>> own;  ///< read from files, or measured
  std::vector<std::string> warnings;
};

/// Machines by name, by a profile's file, or measured here ("host", "cuda", "cuda:1"); what was
/// measured before counts unless `fresh`.
Result<Machines> find_machines(const std::vector<std::string>& names, bool fresh,
                               Progress& progress);

Machines all_machines();

}  // namespace tactus::cli
