#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "inject/scenario.h"

namespace tactus::inject {

/// How an injection ended.
enum class Ending : unsigned char {
  kDone,
  kEarly,        ///< the injector gave up: memory became short, a disk failed
  kInterrupted,  ///< a signal, or whoever started it is gone
  kKilled,       ///< something else ended the injector: the system, when memory ran out
};
std::string_view ending_name(Ending ending);

/// What an injection did.
struct InjectAccount {
  Ending ending = Ending::kDone;
  int signal = 0;               ///< kInterrupted
  std::string problem;          ///< kEarly, kKilled
  std::int64_t started_ns = 0;  ///< when the injector was started; ns since the epoch
  std::int64_t begin_ns = 0;    ///< when its load began
  std::int64_t end_ns = 0;
  double cores = 0;              ///< used, on average
  std::uint64_t bytes = 0;       ///< moved, written or sent
  std::uint64_t most_bytes = 0;  ///< of memory held at one time
  std::uint64_t operations = 0;
  double stopped_share = 0;  ///< of the time, of the target of `stall`

  double seconds() const { return static_cast<double>(end_ns - begin_ns) / 1e9; }
};

struct InjectOptions {
  bool until_eof = false;  ///< ends when standard input ends
};

/// Runs the load in a process of its own, and waits. The load ends at its deadline, when this
/// process ends, and when whoever started this process ends. Recorders of this user are told. Must
/// be called while the process has one thread. An error if nothing was started.
Result<InjectAccount> inject(const Plan& plan, const InjectOptions& options);

}  // namespace tactus::inject
