#pragma once

#include "gate/clients.h"
#include "gate/gatekeeper.h"

namespace tactus::gate {

/// "@tactus-gate-1000": one per host and user; TACTUS_GATE_SOCKET names another one.
std::string broker_address();

/// Lets agents of this user in, and answers commands. It runs on the thread that calls `serve`.
class Broker {
 public:
  /// An error if a broker of this user runs already.
  static Result<std::unique_ptr<Broker>> open(const Policy& policy, const std::string& address,
                                              bool keeps_changes = false);

  /// Descriptors to poll, for POLLIN; `serve` handles what is there and does not wait.
  std::vector<int> descriptors() const;
  /// False if a command said that the broker should end.
  bool serve();
  GateStatus status() const;
  std::vector<Change> changes() const { return gatekeeper_.kept(); }

 private:
  Broker(Policy policy, File listener, SharedFile<wire::GateControl> control,
         SharedFile<wire::GateBell> bell, bool keeps_changes);

  void accept_all();
  bool handle(File& socket);
  bool let_in(File& socket, const GateMessage& message, File memory, std::int64_t pid);

  Policy policy_;
  File listener_;
  SharedFile<wire::GateControl> control_;
  SharedFile<wire::GateBell> bell_;
  Clients clients_;
  std::vector<std::pair<File, std::int64_t>> new_;  ///< connected, said nothing yet; since when
  std::uint64_t refused_ = 0;
  bool is_asked_to_end_ = false;
  Gatekeeper gatekeeper_;  // last: its thread uses the others
};

/// Asks the broker of this user; the answer is a JSON text. An error if there is none.
Result<std::string> ask_broker(const std::string& address, wire::GateRequest what,
                               std::int64_t pid = 0);
bool is_running(const std::string& address);

/// Of a status, as the broker sends it, and back; nothing if it is not one.
std::string status_text(const GateStatus& status);
std::optional<GateStatus> read_status(const std::string& text);

}  // namespace tactus::gate
