#pragma once

#include <atomic>
#include <thread>

#include "gate/clients.h"

namespace tactus::gate {

/// The thread that decides: it sleeps until an agent rings, the policy wants to decide again, or
/// the heartbeat is due; without clients, it sleeps until there is one.
class Gatekeeper {
 public:
  Gatekeeper(const Policy& policy, SharedFile<wire::GateControl>& control,
             SharedFile<wire::GateBell>& bell, const Clients& clients);
  Gatekeeper(const Gatekeeper&) = delete;
  Gatekeeper& operator=(const Gatekeeper&) = delete;
  ~Gatekeeper();

  /// Somebody came or went.
  void wake();
  std::uint64_t changes() const { return changes_.load(); }

 private:
  void run();
  void publish(std::uint32_t closed);
  void sleep_until(std::int64_t at_ns, std::uint32_t rings) const;

  const Policy& policy_;
  wire::GateControl& control_;
  wire::GateBell& bell_;
  const Clients& clients_;
  std::atomic<bool> is_ending_ = false;
  std::atomic<std::uint64_t> changes_ = 0;
  std::thread thread_;  // last: it uses all others
};

std::int64_t monotonic_ns();

}  // namespace tactus::gate
