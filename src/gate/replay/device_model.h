#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "gate/replay/device_sharing.h"

namespace tactus::gate {

/// A device that does one piece of work at a time, or one of each process. Times never go back.
class DeviceModel {
 public:
  explicit DeviceModel(DeviceSharing sharing) : sharing_(std::move(sharing)) {}

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
    double left_ns = 0;
  };
  struct Stream {
    std::uint32_t group = 0;
    std::int64_t ready_ns = 0;  ///< when its first piece became the first
    std::deque<Piece> pieces;
  };
  using Key = std::pair<std::uint32_t, std::uint32_t>;  ///< process, stream
  struct Running {
    Stream* stream = nullptr;
    double rate = 1;
  };

  /// Decides who runs from now on.
  void pick(std::int64_t now_ns);
  void pick_group(std::int64_t now_ns);
  Stream* first_ready(std::uint32_t group);
  bool has_rival() const;
  std::int64_t end_ns(const Running& one) const;
  void run_until(std::int64_t now_ns);

  DeviceSharing sharing_;
  std::map<Key, Stream> streams_;
  std::vector<Running> running_;
  std::int64_t now_ns_ = 0;   ///< until when the work that is left is known
  std::int64_t from_ns_ = 0;  ///< nobody gets on before: the device switches
  std::uint32_t group_ = 0;   ///< by turns: whose it is
  std::int64_t slice_end_ns_ = 0;
};

}  // namespace tactus::gate
