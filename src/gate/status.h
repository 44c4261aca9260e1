#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tactus::gate {

struct ClassStatus {
  std::string name;
  bool is_closed = false;
  std::optional<std::uint64_t> admitted;  ///< unknown if the policy does not count
  std::uint64_t held = 0;
  std::uint64_t held_ns = 0;
  std::uint64_t expired = 0;
  std::uint64_t rested = 0;
  std::uint64_t longest_ns = 0;
  std::uint64_t latest_ns = 0;           ///< the most that one went on after its wait was over
  std::uint64_t queued = 0;              ///< launches that waited because of the depth limit
  std::uint64_t queued_ns = 0;           ///< how long, all together
  std::optional<std::uint64_t> cost_ns;  ///< GPU time of a unit, estimated
  std::uint32_t waiting = 0;
  std::optional<std::uint64_t> unfinished;  ///< residual: units that nobody has waited for yet
};

struct ClientStatus {
  std::int64_t pid = 0;
  std::string tag;
  std::optional<std::int32_t> rank;
  std::optional<std::int32_t> world_size;
  bool may_be_held = false;
};

struct GateStatus {
  std::int64_t pid = 0;  ///< of the broker
  std::string policy;
  std::int64_t max_hold_ns = 0;
  std::uint64_t changes = 0;  ///< of the gate word
  std::uint64_t refused = 0;  ///< connections that were not let in
  std::vector<ClassStatus> classes;
  std::vector<ClientStatus> clients;
};

}  // namespace tactus::gate
