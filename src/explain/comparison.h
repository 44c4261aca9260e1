#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// What changed between two runs; the names are those of the contract ("cpu_frequency").
enum class VerdictClass : std::uint8_t {
  kNone,
  kWorkloadChanged,
  kKernelsChanged,
  kSyncAdded,
  kCpuContention,
  kCpuFrequency,
  kGpuClock,
  kGpuContention,
  kPcie,
  kNvlink,
  kNetwork,
  kHostMemory,
  kDisk,
  kGpuSlower,   ///< all kernels, and no clock was recorded
  kHostSlower,  ///< launches and the code around them, and no counter of the host was recorded
  kStraggler,   ///< one rank is slower than the others
  kSeveral,     ///< no single explanation covers half of the change
  kNotComparable,
  kUnknown,
};
std::string_view verdict_class_name(VerdictClass verdict);

enum class Confidence : std::uint8_t { kHigh, kMedium, kLow };
std::string_view confidence_name(Confidence confidence);

/// Whether cycles of both runs are of one kind, and how they were made comparable if not.
struct Comparability {
  std::vector<std::string> reasons;  ///< sentences: what differs or is unknown
  std::array<std::string, 2> anchors;
  std::array<double, 2> launches_per_cycle = {0, 0};
  std::optional<double> kernel_jaccard;
  std::string aligned_by;  ///< anchor, regrouped or per_launch; empty if nothing helped
};

/// Abnormal over normal with a 95% interval; not-a-number where there is none.
struct RatioRow {
  double ratio = 1;
  double low = NAN;
  double high = NAN;
};

struct PhaseRow : RatioRow {
  std::string phase;
  std::array<std::int64_t, 2> n = {0, 0};
  std::array<double, 2> step_ns = {0, 0};  ///< mean length of a step of the same work
  /// Behind a step, and in none: no requests, or something that was not recorded.
  std::array<double, 2> pause_ns = {0, 0};
  double share = 1;       ///< of the normal run's time
  bool is_apart = false;  ///< without an interval: all steps of one run lie beyond all of the other
  bool is_same_recording = false;
  RatioRow mean;
};

struct RankRow : RatioRow {
  std::optional<std::int64_t> rank;
  std::string label;
  std::string phase;
  double share = 1;
  bool is_apart = false;
  bool is_same_recording = false;
};

/// How much longer a unit of work takes, in the phase whose change costs most.
struct Change : RatioRow {
  bool is_apart = false;  ///< without an interval: all steps of one run lie beyond all of the other
  std::string phase;
  std::string unit = "cycle";  ///< cycle or launch
  RatioRow mean;
  std::optional<RatioRow> p99;
  double tail = 0;  ///< the quantile of `p99`: lower if there are too few steps
  std::array<double, 2> step_ns = {0, 0};  ///< mean length of a step of the same work
  std::string shape = "none";
  std::string shape_text;         ///< "every 3rd step takes 5.0 times as long"
  double missing_share = 0;       ///< of the normal run's time, in phases that the other lacks
  std::size_t missing_ranks = 0;  ///< that the other run lacks
  std::vector<PhaseRow> by_phase;
  std::vector<RankRow> by_rank;
};

/// Where the time went: a part of the step, or one function.
struct TimeBreakdownRow {
  std::string what;
  std::string kind;  ///< part or function
  std::string phase;
  std::string state = "changed";  ///< changed, new or gone
  double delta_ns_per_cycle = 0;
  double share = NAN;  ///< of the whole change; not-a-number if that is not certain
  double ratio = NAN;  ///< not-a-number for what is new or gone, as are the next two
  double count_ratio = NAN;
  double each_ratio = NAN;
  std::optional<double> q;  ///< false-discovery rate; absent if there are too few cycles
};

/// A counter that moved.
struct CounterShiftRow {
  std::string counter;
  std::string device;
  std::string unit;   ///< of the levels; empty if it is not known
  double normal = 0;  ///< median, in the counter's own unit
  double abnormal = 0;
  double ratio = 1;
  double low = NAN;
  double high = NAN;
  std::optional<double> q;
  bool is_cause = false;  ///< it can be a cause, moved in its harmful direction, and was felt
  std::array<std::int64_t, 2> samples = {0, 0};
  /// The share of cycles that contain a sample; absent if only patterns are known.
  std::array<std::optional<double>, 2> coverage = {};
};

enum class FeltAs : std::uint8_t { kSlower, kFaster, kSame, kUnknown };
std::string_view felt_name(FeltAs felt);

struct Verdict {
  VerdictClass verdict = VerdictClass::kUnknown;
  std::string resource;  ///< the counter or function that shows it; empty for none
  std::string device;
  std::string phase;  ///< empty if it is about none
  std::optional<std::int64_t> rank;
  FeltAs felt = FeltAs::kUnknown;
  std::optional<double> explains;  ///< share of the change
  std::string reason;              ///< too_few, too_noisy, ...; empty if it was judged
  Confidence confidence = Confidence::kLow;
  std::string text;  ///< one short sentence
};

/// A cause that holds, with the share of the change that it explains.
struct ShareRow {
  VerdictClass verdict = VerdictClass::kUnknown;
  double share = 0;
};

/// A signal that moved while no part that it can slow became worse.
struct SeenRow {
  VerdictClass verdict = VerdictClass::kUnknown;
  std::string resource;
  std::string device;
  std::string text;
};

/// Something to look at next, and the command for it.
struct NextStep {
  std::string text;
  std::string command;
};

/// Two runs compared.
struct Comparison {
  std::array<std::string, 2> labels = {"normal", "abnormal"};
  bool comparable = false;
  Comparability comparability;
  std::optional<Change> change;  ///< absent if the runs are not comparable
  Verdict verdict;
  std::vector<ShareRow> also;  ///< other explanations that hold
  std::vector<SeenRow> seen;
  std::vector<TimeBreakdownRow> time_breakdown;  ///< parts, then functions; largest change first
  std::vector<CounterShiftRow> counter_shifts;   ///< causes first, then symptoms
  std::vector<std::string> evidence;             ///< sentences
  std::vector<std::string> not_known;  ///< resources that were not recorded, so nothing is known
                                       ///< about them
  std::vector<NextStep> next;
  std::array<std::vector<double>, 2> step_ms;  ///< of each cycle, in order, for a chart
};

}  // namespace tactus
