#include "record/session/process_warnings.h"

#include <fmt/format.h>

namespace tactus::record {
namespace {

std::string about_python(const ProcessAccount& process) {
  const std::uint32_t version = process.agent.python_version;
  const std::string python = fmt::format("Python {}.{}", version >> 8, version & 0xff);
  switch (process.agent.python) {
    case wire::PythonState::kOtherVersion:
      return fmt::format("process {}: no Python stacks: they can be read of 3.10 to 3.13",
                         process.pid);
    case wire::PythonState::kFreeThreaded:
      return fmt::format("process {}: no Python stacks: {} was built without the global lock",
                         process.pid, python);
    case wire::PythonState::kSelfTestFailed:
      return fmt::format("process {}: no Python stacks: this {} keeps its frames in another way",
                         process.pid, python);
    default: return {};
  }
}

}  // namespace

std::string why_no_activities(std::int64_t pid, const AgentCounts& agent) {
  const std::string light = "recorded in light mode, without times of kernels";
  switch (agent.activity_state) {
    case wire::ActivityState::kHeld:
      return fmt::format("process {}: CUPTI is used by {}; {}", pid,
                         agent.activity_holder.empty() ? "another tool (torch.profiler, nsys)"
                                                       : agent.activity_holder,
                         light);
    case wire::ActivityState::kNoLibrary:
      return fmt::format("process {}: libcupti was not found; {}. {}=PATH says where it is", pid,
                         light, wire::kCuptiVariable);
    case wire::ActivityState::kFailed:
      return fmt::format("process {}: CUPTI failed with error {}; {}", pid, agent.activity_result,
                         light);
    default: return {};
  }
}

std::vector<std::string> warnings_of(const ProcessAccount& process, const Wishes& wishes) {
  std::vector<std::string> warnings;
  if ((wishes.stacks & wire::kPythonStacks) != 0) {
    if (std::string text = about_python(process); !text.empty())
      warnings.push_back(std::move(text));
  }
  if (wishes.activities) {
    if (std::string text = why_no_activities(process.pid, process.agent); !text.empty())
      warnings.push_back(std::move(text));
  }
  return warnings;
}

}  // namespace tactus::record
