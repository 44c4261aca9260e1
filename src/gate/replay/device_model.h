#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "gate/replay/simulate.h"

namespace tactus::gate {

/// A device that does one thing at a time. Times never go back.
class DeviceModel {
 public:
  DeviceModel(Sharing sharing, std::int64_t slice_ns) : sharing_(sharing), slice_ns_(slice_ns) {}

  /// A piece of work behind all others of its stream; `job` comes back when it is done.
  void submit(std::int64_t now_ns, std::uint32_t process, std::uint32_t stream, std::size_t job,
              std::int64_t dur_ns);
  /// When something happens next; nothing if it is idle.
  std::optional<std::int64_t> next_ns() const;
  /// Goes on until then; the jobs of the pieces that are done by then.
  std::vector<std::size_t> advance(std::int64_t now_ns);

 private:
  struct Piece {
    std::size_t job = 0;
    std::int64_t left_ns = 0;
  };
  struct Stream {
    std::uint32_t group = 0;
    std::int64_t ready_ns = 0;  ///< when its first piece became the first
    std::deque<Piece> pieces;
  };

  void pick(std::int64_t now_ns);
  void pause(std::int64_t now_ns);
  bool has_rival() const;
  std::int64_t end_ns() const { return started_ns_ + running_->pieces.front().left_ns; }

  Sharing sharing_;
  std::int64_t slice_ns_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Stream> streams_;
  Stream* running_ = nullptr;
  std::int64_t started_ns_ = 0;
  std::uint32_t group_ = 0;
  std::int64_t slice_end_ns_ = 0;
};

}  // namespace tactus::gate
