#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "record/beside/injected_truth.h"
#include "wire/injection.h"

namespace tactus::record {

/// Finds out which injections run on this host while a recording goes on. Those of the same user
/// and of root are believed, nobody else's. Never waits.
class RunningInjections {
 public:
  RunningInjections();
  /// For tests: addresses to ask instead.
  explicit RunningInjections(std::vector<wire::SocketAddress> addresses);

  /// The injections that have ended since the last look. `now_ns` is since the epoch.
  std::vector<InjectedTruth> look(std::int64_t now_ns);
  /// .. and those that still go on, as if they ended now.
  std::vector<InjectedTruth> finish(std::int64_t now_ns);
  /// Who answered and was not believed, as sentences, once each.
  std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

 private:
  struct Teller {
    wire::SocketAddress address;
    File connection;
    wire::Injection latest;    ///< as last told
    bool is_recorded = false;  ///< that it has ended
    bool was_refused = false;
  };

  void connect(Teller& teller);
  void hear(Teller& teller, std::int64_t now_ns, std::vector<InjectedTruth>& ended);

  std::vector<Teller> tellers_;
  std::vector<std::string> warnings_;
};

}  // namespace tactus::record
