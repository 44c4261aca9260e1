#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kernels/kernel_report.h"

namespace tactus::gate {

/// The name of a kernel's function, without namespaces, template arguments and parameters:
/// "splitKreduce_kernel". That is what can be found again in the name that the driver has.
std::string function_name(std::string_view kernel);

/// Kernels that follow the head of a launch group and are never a head themselves.
std::vector<std::string> group_members(const std::vector<LaunchGroup>& groups);

/// As a file for --groups, one name per line, and back: hashes, sorted.
std::string groups_text(const std::vector<std::string>& members, const std::string& input);
Result<std::vector<std::uint64_t>> read_groups(std::string_view text, const std::string& path);

}  // namespace tactus::gate
