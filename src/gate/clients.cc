#include "gate/clients.h"

#include <algorithm>
#include <set>

namespace tactus::gate {

bool Clients::add(Client client, wire::GateControl& control) {
  const std::lock_guard lock(mutex_);
  std::vector<bool> taken(wire::kGateSlots);
  for (const Client& other : clients_) taken[other.slot] = true;
  const auto free = std::find(taken.begin(), taken.end(), false);
  if (free == taken.end()) return false;
  client.slot = static_cast<std::uint32_t>(free - taken.begin());
  clients_.push_back(std::move(client));
  decide_who_may_be_held(control);
  return true;
}

void Clients::remove(int socket_fd, wire::GateControl& control) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (clients_[i].socket.fd() != socket_fd) continue;
    for (std::size_t c = 0; c < kClasses; ++c) {
      ClientCounts counts = read_counts(clients_[i].memory->counts[c]);
      counts.done = counts.submitted;  // nothing of a process that is gone is on the GPU
      counts.waiting = 0;
      if (counts.cost_ns > 0) gone_[c].cost_ns = 0;  // the last one that knew
      gone_[c].add(counts);
    }
    control.slots[clients_[i].slot].store(0);
    clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  decide_who_may_be_held(control);
}

bool Clients::set_detached(std::int64_t pid, bool is_detached, wire::GateControl& control) {
  const std::lock_guard lock(mutex_);
  bool is_found = false;
  for (Client& client : clients_) {
    if (client.pid != pid) continue;
    client.is_detached = is_detached;
    is_found = true;
  }
  decide_who_may_be_held(control);
  return is_found;
}

bool Clients::is_complete(const Client& client) const {
  if (client.world_size <= 1) return true;
  std::set<std::int32_t> ranks;
  for (const Client& other : clients_) {
    if (other.job == client.job && other.world_size == client.world_size && !other.is_detached &&
        other.tag == client.tag && other.rank >= 0 && other.rank < other.world_size) {
      ranks.insert(other.rank);
    }
  }
  return ranks.size() == static_cast<std::size_t>(client.world_size);
}

void Clients::decide_who_may_be_held(wire::GateControl& control) const {
  for (const Client& client : clients_) {
    const bool may_be_held = !client.is_detached && is_complete(client);
    control.slots[client.slot].store(may_be_held ? std::uint32_t{wire::kMayBeHeld} : 0u);
  }
}

std::optional<std::uint32_t> Clients::slot_of(int socket_fd) const {
  const std::lock_guard lock(mutex_);
  for (const Client& client : clients_) {
    if (client.socket.fd() == socket_fd) return client.slot;
  }
  return std::nullopt;
}

std::vector<int> Clients::sockets() const {
  const std::lock_guard lock(mutex_);
  std::vector<int> out;
  for (const Client& client : clients_) out.push_back(client.socket.fd());
  return out;
}

std::size_t Clients::size() const {
  const std::lock_guard lock(mutex_);
  return clients_.size();
}

ClientCounts Clients::sum_of(std::size_t class_number) const {
  ClientCounts sum;
  for (const Client& client : clients_) sum.add(read_counts(client.memory->counts[class_number]));
  const std::uint64_t cost = sum.cost_ns;
  sum.add(gone_[class_number]);
  if (cost > 0) sum.cost_ns = cost;  // those who are there know better
  return sum;
}

Seen Clients::look(std::int64_t now_ns) const {
  const std::lock_guard lock(mutex_);
  Seen seen;
  seen.now_ns = now_ns;
  for (std::size_t c = 0; c < kClasses; ++c) {
    const ClientCounts sum = sum_of(c);
    seen.classes[c] = {sum.submitted, sum.done, sum.waiting, sum.cost_ns};
  }
  return seen;
}

void Clients::describe(GateStatus& status, const wire::GateControl& control,
                       std::uint32_t counted) const {
  const std::lock_guard lock(mutex_);
  for (const Client& client : clients_) {
    ClientStatus& out = status.clients.emplace_back();
    out.pid = client.pid;
    out.tag = client.tag;
    if (client.rank >= 0) out.rank = client.rank;
    if (client.world_size >= 0) out.world_size = client.world_size;
    out.may_be_held = (control.slots[client.slot].load() & wire::kMayBeHeld) != 0;
  }
  const std::uint32_t word = control.word.load();
  for (std::size_t c = 0; c < status.classes.size(); ++c) {
    const ClientCounts sum = sum_of(c);
    ClassStatus& out = status.classes[c];
    out.is_closed = (word >> c & 1) != 0;
    if ((counted >> c & 1) != 0) {
      out.admitted = sum.submitted;
      out.unfinished = sum.submitted - sum.done;
    }
    out.held = sum.held;
    out.held_ns = sum.held_ns;
    out.expired = sum.expired;
    out.rested = sum.rested;
    out.longest_ns = sum.longest_ns;
    out.latest_ns = sum.latest_ns;
    out.queued = sum.queued;
    out.queued_ns = sum.queued_ns;
    if (sum.cost_ns > 0) out.cost_ns = sum.cost_ns;
    out.waiting = sum.waiting;
  }
}

}  // namespace tactus::gate
