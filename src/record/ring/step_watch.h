#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "record/ring/backlog.h"
#include "record/session/clocks.h"

namespace tactus::record {

/// A step that has ended: what a thread launched until it waited for the GPU.
struct EndedStep {
  std::int64_t end_ns = 0;  ///< of the recording
  std::int64_t dur_ns = 0;
};

/// Follows the steps of all threads while records arrive.
class StepWatch {
 public:
  explicit StepWatch(const TickClock& clock) : clock_(clock) {}

  /// The steps that ended in this batch, in the order in which they were read.
  std::vector<EndedStep> add(const Batch& batch);

 private:
  using ThreadKey = std::pair<std::int64_t, std::int64_t>;  // process, thread

  void add_record(const ThreadKey& thread, const wire::Record& record,
                  std::vector<EndedStep>& ended);
  void add_call(const HostEvent& event, std::vector<EndedStep>& ended);
  void end(const ThreadKey& thread, std::int64_t end_ns, std::vector<EndedStep>& ended);

  const TickClock& clock_;
  std::map<ThreadKey, std::int64_t> starts_;  ///< of steps that have begun
};

}  // namespace tactus::record
