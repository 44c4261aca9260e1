#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace tactus {

/// Long work reports here, at most a few times per second; the command line draws it.
/// Calls may come from any thread, one at a time.
class Progress {
 public:
  virtual ~Progress() = default;

  /// `done` of `total` bytes or items of `what`; a total of 0 means "unknown".
  virtual void update(std::string_view what, std::uint64_t done, std::uint64_t total) = 0;
};

/// For callers that need no progress.
class NoProgress final : public Progress {
 public:
  void update(std::string_view, std::uint64_t, std::uint64_t) override {}
};

/// Long work asks now and then whether nobody waits for it any more. Empty: never.
using ShouldStop = std::function<bool()>;

inline bool asks_to_stop(const ShouldStop& should_stop) {
  return should_stop && should_stop();
}

}  // namespace tactus
