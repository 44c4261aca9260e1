#pragma once

#include <string_view>

#include "bench/trial/call_maker.h"

namespace tactus {

/// How much of the work of a check a timed call gets.
inline constexpr double kShareOfAudit = 1.0 / 16;

/// Compares the outputs of calls with the definition.
class CallJudge {
 public:
  CallJudge(const TrialScene& scene, const TrialBlocks& blocks, CallMaker& calls, Random& random)
      : scene_(scene), blocks_(blocks), calls_(calls), random_(random) {}

  struct Call {
    const MadeCall& made;
    std::byte* after;            ///< its outputs
    bool inputs_too = false;     ///< looks at its inputs, which is possible for the last call
    double work = 0;             ///< multiplications of the check
    std::string_view when = {};  ///< which call it is, for the message
  };
  /// False, with the reason in the row, if it is not right.
  bool is_right(const Call& call);

  int judged_twists() const { return judged_twists_; }

 private:
  bool all_is_written(const Call& call, const HostTensors& inputs, const HostTensors& outputs);

  const TrialScene& scene_;
  const TrialBlocks& blocks_;
  CallMaker& calls_;
  Random& random_;
  int judged_twists_ = 0;
};

}  // namespace tactus
