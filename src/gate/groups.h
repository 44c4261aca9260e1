#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kernels/kernel_report.h"

namespace tactus::gate {

/// The word by which a kernel is known, without namespaces, template arguments and parameters:
/// "splitKreduce_kernel". That is what can be found again in the name that the driver has. Wrappers
/// launch kernels of many kinds (names::is_wrapper): there it is the class inside, as
/// "FlashAttnFwdSm90" of "cutlass::device_kernel<flash::enable_sm90_or_later<..>>".
std::string kernel_word(std::string_view kernel);

/// Kernels that are known by one word.
struct MemberWord {
  std::string word;
  std::vector<std::string> kernels;  ///< whole names, of those that follow a head
  std::int64_t following = 0;        ///< launches that follow the head of their group
  std::int64_t launches = 0;         ///< all whose call is known
  bool is_head = false;              ///< of some group
};

struct GroupMembers {
  std::vector<MemberWord> members;
  /// Those that are not listed, because more would go by the gate than belongs to groups.
  std::vector<MemberWord> left_out;
};

/// Kernels that follow the head of a launch group, are never a head themselves, and are launched
/// outside of groups less often than in them.
GroupMembers group_members(const KernelReport& report);
/// Why a word is left out.
std::string why_left_out(const MemberWord& word);

/// As a file for --groups, one word per line, and back: hashes, sorted.
std::string groups_text(const GroupMembers& members, const std::string& input);
Result<std::vector<std::uint64_t>> read_groups(std::string_view text, const std::string& path);
/// The same without a file.
std::vector<std::uint64_t> member_hashes(const GroupMembers& members);

/// An error if many kernels would have that name.
Status check_member(std::string_view word);

}  // namespace tactus::gate
