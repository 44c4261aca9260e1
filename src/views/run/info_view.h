#pragma once

#include <string>

#include "run/run.h"

namespace tactus {

/// The contents of a run; sentences in lines of at most `width` characters (0: a readable width).
std::string show_info(const Run& run, bool as_json, std::size_t width = 0);

/// The result of an import.
struct ImportAccount {
  double seconds = 0;
  std::uint64_t bytes_in = 0;  ///< read from disk
  std::uint64_t bytes_out = 0;
  std::string output;
};
std::string show_import(const Run& run, const ImportAccount& account, bool as_json);

}  // namespace tactus
