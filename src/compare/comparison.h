#pragma once

#include <array>
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

struct PhaseChange {
  std::string phase;
  double ratio = 1;
  double low = 1;
  double high = 1;
  std::array<std::int64_t, 2> n = {0, 0};
};

/// How much longer a unit of work takes: abnormal over normal with a 95% interval.
struct Change {
  double ratio = 1;
  double low = 1;
  double high = 1;
  std::string unit = "cycle";  ///< cycle or launch
  std::vector<PhaseChange> by_phase;
};

/// Where the time went: one function, one class of functions, or idle time.
struct TimeBreakdownRow {
  std::string what;
  std::string kind;  ///< function, class or idle
  double delta_ns_per_cycle = 0;
  double share = 0;  ///< of the whole change
  double ratio = 1;
  std::optional<double> q;  ///< false-discovery rate; absent if there are too few cycles
  /// The share of an abnormal cycle in which it holds everything up: the device while it is busy,
  /// the host while the device idles. Absent for host functions, which may run beside the device.
  std::optional<double> critical_share;
};

/// A counter that moved.
struct CounterShiftRow {
  std::string counter;
  std::string device;
  double normal = 0;  ///< median, in the counter's own unit
  double abnormal = 0;
  double ratio = 1;
  double low = 1;
  double high = 1;
  std::optional<double> q;
  bool is_cause = false;  ///< it can be a cause and moved in its harmful direction
  std::array<std::int64_t, 2> samples = {0, 0};  ///< independent ones
  /// The share of cycles that contain a sample; absent if only patterns are known.
  std::array<std::optional<double>, 2> coverage = {};
};

struct Verdict {
  VerdictClass verdict = VerdictClass::kUnknown;
  std::string resource;  ///< the counter or function that shows it; empty for none
  std::string device;
  Confidence confidence = Confidence::kLow;
  std::string text;  ///< one short sentence
};

/// Something to look at next, and the command for it.
struct NextStep {
  std::string text;
  std::string command;
};

/// The result of a rule; all thresholds are in one table.
struct RuleResult {
  std::string rule;  ///< "cpu_frequency_drop"
  std::string text;  ///< what it says, with numbers and units
  bool holds = false;
};

/// Two runs compared.
struct Comparison {
  std::array<std::string, 2> labels = {"normal", "abnormal"};
  bool comparable = false;
  Comparability comparability;
  std::optional<Change> change;  ///< absent if the runs are not comparable
  Verdict verdict;
  std::vector<VerdictClass> also;                ///< other classes that hold
  std::vector<TimeBreakdownRow> time_breakdown;  ///< largest change first
  std::vector<CounterShiftRow> counter_shifts;   ///< causes first, then symptoms
  std::vector<RuleResult> rules;                 ///< root-cause rules and what they found
  std::vector<std::string> evidence;             ///< sentences
  std::vector<std::string> not_known;  ///< resources that were not recorded, so nothing is known
                                       ///< about them
  std::vector<NextStep> next;
  std::array<std::vector<double>, 2> step_ms;  ///< of each cycle, in order, for a chart
};

}  // namespace tactus
