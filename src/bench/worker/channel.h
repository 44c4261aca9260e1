#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tactus {

using Frame = std::vector<std::byte>;

/// One end of the connection between a process and its worker.
class Channel {
 public:
  /// `other` is a descriptor of the process at the other end (pidfd) or -1. When that process ends,
  /// the connection is closed, even if another process still holds it.
  explicit Channel(int socket, int other = -1) : socket_(socket), other_(other) {}

  /// False if the other end is gone.
  bool send(const Frame& frame) const;

  enum class Line : std::uint8_t { kOpen, kSilent, kClosed, kGarbled };
  struct Received {
    Line line = Line::kOpen;
    std::optional<Frame> frame;  ///< if the connection is open
  };
  /// Waits this long; without limit if negative.
  Received receive(double seconds) const;

 private:
  int socket_;
  int other_;
};

}  // namespace tactus
