#pragma once

#include <mutex>

#include "gate/gate_memory.h"
#include "gate/status.h"

namespace tactus::gate {

/// A process that takes part.
struct Client {
  File socket;
  SharedFile<const wire::GateClient> memory;
  std::int64_t pid = 0;
  std::uint32_t slot = 0;
  std::int32_t rank = -1;
  std::int32_t world_size = -1;
  std::uint64_t job = 0;
  std::string tag;
  bool is_detached = false;
};

/// The processes that take part, and what those that left had counted. Used by two threads.
class Clients {
 public:
  /// False if there is no room.
  bool add(Client client, wire::GateControl& control);
  /// Those whose socket was closed.
  void remove(int socket_fd, wire::GateControl& control);
  /// Of a process, whether it may be held from now on; false if it does not take part.
  bool set_detached(std::int64_t pid, bool is_detached, wire::GateControl& control);

  std::optional<std::uint32_t> slot_of(int socket_fd) const;
  std::vector<int> sockets() const;
  std::size_t size() const;
  Seen look(std::int64_t now_ns) const;
  /// `counted`: the classes whose launches are counted, bit per class.
  void describe(GateStatus& status, const wire::GateControl& control, std::uint32_t counted) const;

 private:
  /// A process of a job is held only if all ranks of the job are here.
  void decide_who_may_be_held(wire::GateControl& control) const;
  bool is_complete(const Client& client) const;
  ClientCounts sum_of(std::size_t class_number) const;

  mutable std::mutex mutex_;
  std::vector<Client> clients_;
  std::array<ClientCounts, kClasses> gone_{};
};

}  // namespace tactus::gate
