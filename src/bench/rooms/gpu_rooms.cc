#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/parallel.h"
#include "bench/rooms/remote_memory.h"
#include "bench/rooms/rooms.h"

namespace tactus {
namespace {

class GpuRooms final : public Rooms {
 public:
  GpuRooms(const Problem& problem, const TensorLayout& layout, WorkerProcess& worker,
           std::vector<std::uint64_t> rooms, std::uint64_t staging, double patience_s,
           unsigned threads)
      : Rooms(problem, layout, std::move(rooms), 0, threads),
        worker_(worker),
        memory_(worker.pid()),
        staging_(staging),
        patience_s_(patience_s) {}

  bool bring(std::byte* drawn) override {
    for (std::size_t first = 0; first < layout_.bytes; first += GpuStage::kStagingBytes) {
      const std::size_t bytes = std::min(GpuStage::kStagingBytes, layout_.bytes - first);
      if (!worker_.stop() || !transfer(bytes, [&](std::size_t at, std::size_t count) {
            return memory_.write(staging_ + at, drawn + first + at, count);
          })) {
        return false;
      }
      if (!order(WorkerRequest::kPut, 0, first, bytes)) return false;
    }
    return order(WorkerRequest::kSpread, 0, 0, 0);
  }

  bool prepare(const Place& place, Outputs outputs, WorkerRequest& request) override {
    remember(place);
    request.address = place.address;
    request.key = place.key;
    request.hold = outputs.hold;
    return true;
  }

  bool collect(std::uint64_t place, std::byte* into) override {
    // Outputs and what is between them are in different memory: one piece is never of both.
    std::vector<std::size_t> cuts = {layout_.bytes};
    for (std::size_t i = 0; i < problem_.outputs.size(); ++i) {
      cuts.push_back(layout_.outputs[i]);
      cuts.push_back(layout_.outputs[i] + static_cast<std::size_t>(problem_.outputs[i].bytes()));
    }
    std::sort(cuts.begin(), cuts.end());
    for (const auto& [from, to] : outputs_and_guards()) {
      for (std::size_t first = from; first < to;) {
        const std::size_t cut = *std::upper_bound(cuts.begin(), cuts.end(), first);
        const std::size_t end = std::min(to, cut);
        if (!get(place, first, end, [&](std::size_t at, std::size_t bytes, std::uint64_t there) {
              return memory_.read(into + at, there, bytes);
            })) {
          return false;
        }
        first = end;
      }
    }
    return true;
  }

  Result<std::string> changed_input(std::uint64_t place, const std::byte* expected) override {
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      const std::size_t first = layout_.inputs[i];
      const std::size_t end = first + static_cast<std::size_t>(problem_.inputs[i].bytes());
      std::atomic<bool> same = true;
      const bool read =
          get(place, first, end, [&](std::size_t at, std::size_t bytes, std::uint64_t there) {
            thread_local std::vector<std::byte> bounce;
            bounce.resize(bytes);
            if (!memory_.read(bounce.data(), there, bytes)) return false;
            if (std::memcmp(bounce.data(), expected + at, bytes) != 0) same = false;
            return true;
          });
      if (!read) return broke_error("the memory of its process cannot be read");
      if (!same) return problem_.inputs[i].name;
    }
    return std::string();
  }

  bool keep_decoy() override { return order(WorkerRequest::kKeep, 0, 0, 0); }

 private:
  bool order(WorkerRequest::Kind kind, std::uint64_t place, std::uint64_t offset,
             std::uint64_t bytes) {
    WorkerRequest request;
    request.kind = kind;
    request.address = place;
    request.offset = offset;
    request.bytes = bytes;
    const Result<Frame> frame = worker_.ask(frame_of(request), patience_s_);
    const std::optional<WorkerAnswer> answer = frame ? answer_of(*frame) : std::nullopt;
    return answer && answer->error.empty();
  }

  /// Bytes `first` to `end` of a block, piece by piece: move(at, bytes, address in the worker).
  template <class Move>
  bool get(std::uint64_t place, std::size_t first, std::size_t end, const Move& move) {
    while (first < end) {
      const std::size_t bytes = std::min(end - first, GpuStage::kStagingBytes);
      if (!order(WorkerRequest::kGet, place, first, bytes) || !worker_.stop() ||
          !transfer(bytes, [&](std::size_t at, std::size_t count) {
            return move(first + at, count, staging_ + at);
          })) {
        return false;
      }
      first += bytes;
    }
    return true;
  }

  template <class Move>
  bool transfer(std::size_t bytes, const Move& move) const {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    std::atomic<bool> moved = true;
    parallel_for(threads_, (bytes + kPiece - 1) / kPiece, [&](std::size_t i, unsigned) {
      if (!move(i * kPiece, std::min(kPiece, bytes - i * kPiece))) moved = false;
    });
    return moved;
  }

  WorkerProcess& worker_;
  RemoteMemory memory_;
  std::uint64_t staging_;
  double patience_s_;
};

}  // namespace

std::unique_ptr<Rooms> make_gpu_rooms(const Problem& problem, const TensorLayout& layout,
                                      WorkerProcess& worker, std::vector<std::uint64_t> rooms,
                                      std::uint64_t staging, double patience_s, unsigned threads) {
  return std::make_unique<GpuRooms>(problem, layout, worker, std::move(rooms), staging, patience_s,
                                    threads);
}

}  // namespace tactus
