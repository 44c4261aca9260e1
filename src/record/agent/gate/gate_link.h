#pragma once

#include "record/agent/gate/gate.h"

namespace tactus::agent {

/// What this process has of a broker. Its parts live until the process ends or forks: a thread may
/// be in them.
struct GateLink {
  const wire::GateControl* control = nullptr;
  wire::GateBell* bell = nullptr;
  wire::GateClient* client = nullptr;
  std::uint32_t slot = 0;
  // Copies, made and checked once.
  std::uint64_t max_hold_ns = 0;
  std::uint64_t tag = 0;
  std::uint32_t rules = 0;
  std::uint32_t members = 0;
  std::uint32_t ringing = 0;
  std::uint32_t timed = 0;
  std::uint64_t queue_ns = 0;
  std::uint32_t depth[wire::kGateClasses] = {};
  bool asks_priority = false;
  bool asks_rows = false;
  wire::GateRule rule[wire::kGateRules];
  std::uint64_t member[wire::kGateMembers];
};

/// The broker's; null if there is none.
GateLink* gate_link();
/// Looks for a broker if it is time to; one thread at a time, the others do not wait.
void look_for_broker();
/// The broker is gone: opens, and looks for another one later.
void leave_broker(const GateLink* link);
/// Whether the broker's end of the socket is closed.
bool has_hung_up();

}  // namespace tactus::agent
