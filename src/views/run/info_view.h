#pragma once

#include <string>

#include "run/run.h"

namespace tactus {

/// What a run is and holds.
std::string show_info(const Run& run, bool as_json);

/// What an import came to.
struct ImportAccount {
  double seconds = 0;
  std::uint64_t bytes_in = 0;  ///< read from disk
  std::uint64_t bytes_out = 0;
  std::string output;
};
std::string show_import(const Run& run, const ImportAccount& account, bool as_json);

}  // namespace tactus
