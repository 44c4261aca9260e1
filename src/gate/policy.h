#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/gate.h"

namespace tactus::gate {

inline constexpr std::size_t kClasses = wire::kGateClasses;

enum class PolicyKind : unsigned char { kOpen, kPriority, kShare, kSlo, kWindow };
std::string_view name_of(PolicyKind kind);

/// A policy cannot ask for more.
inline constexpr std::int64_t kMostRows = std::int64_t{1} << 40;

/// Which launches belong to a class. What is not said may be anything.
struct ClassRule {
  std::string name;  ///< several rules may have the same: either
  std::string tag;
  std::string phase;
  std::string kind;  ///< "kernel", "graph" or ""
  std::optional<std::int32_t> least_priority;
  std::optional<std::int32_t> most_priority;
  std::optional<std::int64_t> least_rows;  ///< of the matrix product that a launch belongs to
  std::optional<std::int64_t> most_rows;

  bool asks_priority() const { return least_priority || most_priority; }
  bool asks_rows() const { return least_rows || most_rows; }
};

/// What a policy file says. Times are in ns.
struct Policy {
  PolicyKind kind = PolicyKind::kOpen;
  std::int64_t max_hold_ns = 20'000'000;
  std::vector<std::string> classes;  ///< names; the place is the number
  std::vector<ClassRule> rules;
  std::size_t first = 0;              ///< class that is protected, or that a window holds
  std::size_t second = 0;             ///< class that is held for it
  double floor = 0.1;                 ///< priority: share of the time in which `second` is open
  std::int64_t slice_ns = 2'000'000;  ///< how long it is opened for that
  std::int64_t unit_limit_ns = 50'000'000;  ///< a unit that takes longer is not waited for
  std::int64_t target_ns = 20'000'000;      ///< slo: time between two tokens
  bool turns = false;                       ///< slo: `first` waits while it is in time anyway
  std::array<double, kClasses> share{};     ///< share: of the GPU; 0: not limited
  /// Launches that may be queued on a stream while another class is there; 0: any number.
  std::array<std::uint32_t, kClasses> depth{};
  std::int64_t queue_ns = 0;  ///< GPU time of what may be queued where there is a depth; 0: any
  std::int64_t hold_ns = 0;   ///< window
  std::int64_t every_ns = 0;  ///< window: 0: once
  std::vector<std::uint64_t> members;  ///< gate_hash of words of kernels that are never held
};

/// What is known about a class at one moment, all processes together.
struct ClassSeen {
  std::uint64_t submitted = 0;
  std::uint64_t done = 0;
  std::uint32_t waiting = 0;
  std::uint64_t cost_ns = 0;  ///< GPU time of a unit, as the agents measured it; 0: unknown

  bool is_active() const { return submitted > done; }
};

struct Seen {
  std::int64_t now_ns = 0;
  std::array<ClassSeen, kClasses> classes;
};

/// What a policy remembers from one decision to the next.
struct PolicyState {
  bool is_started = false;
  std::int64_t begin_ns = 0;
  std::int64_t last_ns = 0;
  std::uint32_t closed = 0;  ///< the last decision
  double debt_ns = 0;        ///< priority: open time that `second` is owed
  bool pays_debt = false;
  std::array<std::int64_t, kClasses> active_since_ns{};  ///< the current unit
  std::array<std::int64_t, kClasses> last_done_ns{};
  std::array<std::int64_t, kClasses> last_active_ns{};
  std::array<double, kClasses> unit_ns{};           ///< how long a unit takes, learned; 0: unknown
  std::array<double, kClasses> per_unit{};          ///< launches of a unit, learned; 0: unknown
  std::array<std::int64_t, kClasses> between_ns{};  ///< from the last unit but one to the last
  /// Since when the current unit is wanted: it was launched, or waits at the gate; 0: it is not.
  std::array<std::int64_t, kClasses> asked_ns{};
  std::array<std::int64_t, kClasses> last_asked_ns{};  ///< of the last unit that is done
  double grace_ns = 0;           ///< slo: how much later than planned it may close
  double grace_step = 0;         ///< slo: by how much it changes, as a share of the target
  bool closed_for_unit = false;  ///< slo: it was closed since the last token
  std::array<double, kClasses> tokens_ns{};
  std::array<ClassSeen, kClasses> before{};
};

struct Decision {
  std::uint32_t closed = 0;      ///< bit per class
  std::int64_t again_at_ns = 0;  ///< decide again then, at the latest; 0: when something changes
  std::uint32_t limited = 0;     ///< bit per class: its depth counts now
};

/// Decides what is held. Pure: the same input and state give the same answer.
Decision decide(const Policy& policy, PolicyState& state, const Seen& seen);
/// How many launches of a class may be queued now, as the agents reckon it; 0: any number.
std::uint32_t depth_now(const Policy& policy, std::size_t number, std::uint64_t cost_ns);

/// The classes whose units must be counted, bit per class.
std::uint32_t counted_classes(const Policy& policy);

/// Those whose graphs must be timed.
std::uint32_t timed_classes(const Policy& policy);

/// Those whose coming and going must be known at once.
std::uint32_t ringing_classes(const Policy& policy);

/// Reads a policy file; `path` is for messages, which name the line.
Result<Policy> read_policy(std::string_view text, const std::string& path);
/// The built-in text of a policy of that name ("priority"), or the content of a file.
Result<Policy> find_policy(const std::string& name_or_path);
/// "open, priority, ..."
std::vector<std::string> policy_names();

}  // namespace tactus::gate
