#pragma once

#include <map>
#include <memory>
#include <vector>

#include "bench/timing/timed_calls.h"
#include "bench/trial/call_judge.h"

namespace tactus {

/// Many calls in one request, timed by the judge alone: by the processor time that the system
/// counts for the worker, less what the same request cost before the candidate was there. A single
/// call is timed inside the worker, where a kernel can change everything, and from outside it is
/// lost in the noise of a request. Over a series this noise is divided by the number of calls.
class CallSeries {
 public:
  CallSeries(const TrialScene& scene, const TrialBlocks& blocks, CallMaker& calls, CallJudge& judge,
             Random& random)
      : scene_(scene), blocks_(blocks), calls_(calls), judge_(judge), random_(random) {}

  /// Gets memory, and learns what empty series cost. Before the candidate is loaded.
  bool open();
  /// One series of calls that are said to take `said_ns`, and may take more by `hidden_ns`, on
  /// nearly the inputs that `keys` make: what they cost may depend on that. All are judged. Nothing
  /// is done if calls are so long, or so large, that single ones show enough.
  bool take(double said_ns, double hidden_ns, const std::vector<InputKey>& keys);

  /// Compares with empty series of a worker that has no candidate, made just before, instead of
  /// those of our worker before it had one; null: with those again.
  void compare_with(CallSeries* control) { control_ = control; }

  const SeriesTimes& times() const { return times_; }
  /// The series so far do not count; what empty ones cost is still known.
  void forget() { times_.series.clear(); }

 private:
  std::optional<SeriesTimes::Cost> cost(std::uint64_t count);
  bool make_empty(std::uint64_t count);
  bool furnish(std::uint64_t count, const std::vector<InputKey>& keys);
  bool judge_all();

  const TrialScene& scene_;
  const TrialBlocks& blocks_;
  CallMaker& calls_;
  CallJudge& judge_;
  Random& random_;
  std::unique_ptr<Rooms> rooms_;
  std::vector<MadeCall> made_;                                     ///< of the latest series
  std::uint64_t apart_ = 0;                                        ///< bytes from place to place
  std::uint64_t most_ = 0;                                         ///< calls of a series
  std::map<std::uint64_t, std::vector<SeriesTimes::Cost>> empty_;  ///< by number of calls
  SeriesTimes times_;
  CallSeries* control_ = nullptr;
};

}  // namespace tactus
