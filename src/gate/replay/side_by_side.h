// How long kernels that ran beside those of another process take alone, and how much slower they
// were beside them.
//
// What a kernel takes alone is read from those of its kind that were alone by chance: the other
// process launched late, waited, or began its next unit. A line through length and time alone would
// be less to do, and wrong: a kernel that is slowed down for longer meets such a pause more often.
// It is longer *and* was alone for longer, so company would seem to cost little. Kernels that were
// alone for a part of their time say little, too: once it has begun, a small kernel keeps its place
// on the device and is hardly slowed down by what comes later.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gate/replay/kernel_spans.h"
#include "gate/replay/launch_trace.h"

namespace tactus::gate {

class SideBySide {
 public:
  /// `from_ns` to `to_ns`: what every process did is recorded.
  SideBySide(const LaunchTrace& trace, std::span<const KernelSpan> spans, std::int64_t from_ns,
             std::int64_t to_ns);

  /// How fast a process gets on while others have work, 1: as alone. By process.
  std::map<std::uint32_t, double> rates() const;
  /// What kernels take alone, in the order of the spans.
  std::vector<std::int64_t> own_times() const;
  /// What the recording does not show.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  /// Of the time of kernels.
  struct Parts {
    double alone_ns = 0;   ///< no other process had work
    double beside_ns = 0;  ///< the rest
    Parts& operator+=(const Parts& more);
  };
  /// Kernels of a process that do the same: of one name, between kernels of the same names. A name
  /// alone may stand for products of several sizes.
  struct Kind {
    std::uint32_t process = 0;
    Parts all;
    std::size_t were_alone = 0;
    double alone_ns = 0;  ///< what these took
    Parts usual;          ///< of that many kernels at their places, in the mean
    double rate = 1;
  };

  void find_others();
  void find_kinds();
  void add_up();
  void find_rates(std::uint32_t process);
  void note_unknown(bool was_alone, double unknown_share);
  bool is_known(const KernelSpan& span) const {
    return span.ready_ns >= from_ns_ && span.end_ns <= to_ns_;
  }
  Parts parts(const KernelSpan& span) const;

  const LaunchTrace& trace_;
  std::span<const KernelSpan> spans_;
  std::int64_t from_ns_;
  std::int64_t to_ns_;
  std::map<std::uint32_t, Intervals> others_;  ///< had work; by process
  std::vector<std::size_t> kind_;              ///< by span
  std::vector<Kind> kinds_;
  std::vector<std::string> notes_;
};

}  // namespace tactus::gate
