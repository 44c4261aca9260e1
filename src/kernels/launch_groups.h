#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// One place in a launch group, and the kernels seen there.
struct GroupMember {
  std::vector<std::string> kernels;    ///< by how often, descending
  std::vector<std::int64_t> launches;  ///< of each of them, at this place
  std::string short_name;              ///< of the first of them, for people
  bool optional = false;               ///< absent in some instances
};

/// The call that launches a group; unknown texts are empty.
struct LaunchCall {
  std::string api;     ///< cudaLaunchKernel
  std::string op;      ///< aten::mm
  std::string python;  ///< model.py(123): forward
};

enum class GroupEvidence : std::uint8_t {
  kTrace,   ///< seen one after the other on one stream, launched by one call
  kCounts,  ///< equal counts in a table, and names that belong together
  kRule,    ///< only the names say so
};
constexpr std::string_view group_evidence_name(GroupEvidence evidence) {
  switch (evidence) {
    case GroupEvidence::kTrace: return "trace";
    case GroupEvidence::kCounts: return "counts";
    case GroupEvidence::kRule: return "rule";
  }
  return "rule";
}

/// Kernels that one call launches together, in order.
struct LaunchGroup {
  std::string name;  ///< "split-K GEMM", "attention", "decoder layer", or the op's name
  std::vector<GroupMember> members;
  std::int64_t instances = 0;
  std::int64_t tail_absent = 0;  ///< instances that lack an optional member
  std::int64_t total_ns = 0;
  std::optional<LaunchCall> call;
  bool intercept_as_one = false;  ///< holding back the first kernel holds back all
  std::string why;                ///< a sentence: the evidence in numbers
  GroupEvidence evidence = GroupEvidence::kRule;
};

}  // namespace tactus
