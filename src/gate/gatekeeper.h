#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "gate/clients.h"

namespace tactus::gate {

/// From then on, the classes of these bits were held.
struct Change {
  std::int64_t at_ns = 0;  ///< CLOCK_MONOTONIC
  std::uint32_t closed = 0;
};

/// The thread that decides: it sleeps until an agent rings, the policy wants to decide again, or
/// the heartbeat is due; without clients, it sleeps until there is one.
class Gatekeeper {
 public:
  Gatekeeper(const Policy& policy, SharedFile<wire::GateControl>& control,
             SharedFile<wire::GateBell>& bell, const Clients& clients, bool keeps_changes);
  Gatekeeper(const Gatekeeper&) = delete;
  Gatekeeper& operator=(const Gatekeeper&) = delete;
  ~Gatekeeper();

  /// Somebody came or went.
  void wake();
  std::uint64_t changes() const { return changes_.load(); }
  /// The first million of them, if they are kept.
  std::vector<Change> kept() const;

 private:
  void run();
  void publish(std::uint32_t closed, std::uint32_t limited);
  void sleep_until(std::int64_t at_ns, std::uint32_t rings) const;

  const Policy& policy_;
  wire::GateControl& control_;
  wire::GateBell& bell_;
  const Clients& clients_;
  std::atomic<bool> is_ending_ = false;
  std::atomic<std::uint64_t> changes_ = 0;
  bool keeps_changes_;
  mutable std::mutex mutex_;
  std::vector<Change> kept_;  ///< under mutex_
  std::thread thread_;        // last: it uses all others
};

std::int64_t monotonic_ns();

}  // namespace tactus::gate
