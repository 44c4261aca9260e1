#pragma once

#include <cstdint>
#include <string_view>

namespace tactus {

/// Long work reports here, a few times a second at most; the command line draws it.
/// Calls may come from any one thread at a time.
class Progress {
 public:
  virtual ~Progress() = default;

  /// `done` of `total` bytes or items of `what`; a total of 0 means "not known".
  virtual void update(std::string_view what, std::uint64_t done, std::uint64_t total) = 0;
};

/// For callers that do not care.
class NoProgress final : public Progress {
 public:
  void update(std::string_view, std::uint64_t, std::uint64_t) override {}
};

}  // namespace tactus
