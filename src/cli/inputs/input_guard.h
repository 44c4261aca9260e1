#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace tactus::cli {

/// A usage error if one of `outputs` is the same file as one of `inputs`, under whatever name: a
/// link, a file of a folder that is read, counters beside a trace, what standard input comes from.
/// Not even --force may destroy a recording that is being read. Empty names are skipped.
Status guard_inputs(const std::vector<std::string>& outputs,
                    const std::vector<std::string>& inputs);

}  // namespace tactus::cli
