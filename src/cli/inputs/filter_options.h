#pragma once

#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "run/filter.h"

namespace tactus::cli {

/// The filters of a command that looks at slices, as typed.
struct FilterOptions {
  SliceFilter filter;
  std::string from;
  std::string to;

  void add_to(Options& options);
  /// Only --from and --to; `what` they leave out, in the help.
  void add_times_to(Options& options, const std::string& what = "slices");
  /// The filter with its times read; a wrong time is a usage error.
  Result<SliceFilter> resolve() const;
};

}  // namespace tactus::cli
