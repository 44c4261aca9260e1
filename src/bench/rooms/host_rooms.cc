#include "bench/rooms/host_rooms.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "base/parallel.h"
#include "operators/definition.h"

namespace tactus {
namespace {

/// Of tensors beyond this (weights, caches) only some pieces change.
constexpr std::int64_t kVeryLargeTensor = std::int64_t{128} << 20;
/// But only if they are so much larger than all outputs: then each result is made of many pieces,
/// and of smaller tensors that change as a whole.
constexpr std::int64_t kLargerThanOutputs = 8;
constexpr std::int64_t kLargeTensor = std::int64_t{8} << 20;
constexpr std::uint64_t kOneIn = 8;                           // pieces
constexpr std::size_t kBounceBytes = std::size_t{256} << 10;  // fits a second-level cache

bool is_written(const TensorSpec& spec) {
  return spec.draw != Draw::kNone;
}

}  // namespace

HostRooms::HostRooms(const Problem& problem, const TensorLayout& layout, RemoteMemory memory,
                     std::vector<std::uint64_t> rooms, unsigned threads,
                     std::unique_ptr<SharedMemory> shared)
    : Rooms(problem, layout, std::move(rooms), plan_rooms(layout, TACTUS_CPU).bytes - layout.bytes,
            threads),
      shared_(std::move(shared)),
      memory_(shared_ ? shared_->memory() : memory) {}

bool HostRooms::bring(std::byte* drawn) {
  drawn_ = drawn;
  furnished_ = false;
  drawn_tensors_.clear();
  return true;
}

bool HostRooms::prepare(const Place& place, Outputs outputs, WorkerRequest& request) {
  request.address = place.address;
  if (is_large(layout_)) return refurnish(place, drawn_, outputs);
  if (!furnish(place, drawn_, outputs)) return false;
  if (shared_) shared_->evict(place.address, layout_.bytes);
  return true;
}

bool HostRooms::write_pieces(std::uint64_t to, const TensorSpec& spec, const std::byte* drawn,
                             InputKey key) const {
  const auto width = static_cast<std::int64_t>(bytes_of(spec.dtype));
  const std::int64_t piece = static_cast<std::int64_t>(kBounceBytes) / width;
  const std::int64_t elements = spec.elements();
  std::atomic<bool> written = true;
  parallel_for(threads_, static_cast<std::size_t>((elements + piece - 1) / piece),
               [&](std::size_t i, unsigned) {
                 thread_local std::vector<std::byte> bounce(kBounceBytes);
                 const std::int64_t first = static_cast<std::int64_t>(i) * piece;
                 const std::int64_t count = std::min(piece, elements - first);
                 refresh(spec, drawn, key, first, count, bounce.data());
                 if (!memory_.write(to + static_cast<std::uint64_t>(first * width), bounce.data(),
                                    static_cast<std::size_t>(count * width))) {
                   written = false;
                 }
               });
  return written;
}

bool HostRooms::write_plain(std::uint64_t to, const std::byte* from, std::size_t bytes) const {
  std::atomic<bool> written = true;
  parallel_for(threads_, (bytes + kBounceBytes - 1) / kBounceBytes, [&](std::size_t i, unsigned) {
    const std::size_t first = i * kBounceBytes;
    const std::size_t count = std::min(kBounceBytes, bytes - first);
    if (!memory_.write(to + first, from + first, count)) written = false;
  });
  return written;
}

bool HostRooms::fill(std::uint64_t to, const TensorSpec& spec) const {
  const std::vector<std::byte> poison(kBounceBytes,
                                      static_cast<std::byte>(poison_byte(spec.dtype)));
  const auto bytes = static_cast<std::size_t>(spec.bytes());
  for (std::size_t first = 0; first < bytes; first += kBounceBytes) {
    if (!memory_.write(to + first, poison.data(), std::min(kBounceBytes, bytes - first))) {
      return false;
    }
  }
  return true;
}

bool HostRooms::write_outputs(std::uint64_t place, Outputs outputs) const {
  bool written = true;
  for (std::size_t i = 0; i < problem_.outputs.size() && written; ++i) {
    const TensorSpec& spec = problem_.outputs[i];
    const std::size_t offset = layout_.outputs[i];
    if (is_written(spec)) continue;
    if (outputs.hold == OutputsHold::kDecoy) {
      written = write_plain(place + offset, outputs.decoy + offset,
                            static_cast<std::size_t>(spec.bytes()));
    } else if (outputs.hold == OutputsHold::kPoison) {
      written = fill(place + offset, spec);
    }
  }
  return written;
}

bool HostRooms::furnish(const Place& furnished, const std::byte* drawn, Outputs outputs) {
  const std::uint64_t place = furnished.address;
  remember(furnished);
  // `drawn` has the guards; they are what is between the tensors.
  bool written = write_outputs(place, outputs);
  std::size_t end = 0;
  each_tensor([&](const TensorSpec& spec, std::size_t offset) {
    written = written && memory_.write(place + end, drawn + end, offset - end);
    end = offset + static_cast<std::size_t>(spec.bytes());
    if (!is_written(spec)) return;
    written = written && write_pieces(place + offset, spec, drawn + offset, furnished.key);
  });
  return written && memory_.write(place + end, drawn + end, layout_.bytes - end);
}

bool HostRooms::renew_pieces(std::uint64_t to, const TensorSpec& spec, std::byte* content,
                             InputKey key) const {
  const auto width = static_cast<std::int64_t>(bytes_of(spec.dtype));
  const std::int64_t piece = static_cast<std::int64_t>(kBounceBytes) / width;
  const std::int64_t elements = spec.elements();
  std::int64_t outputs = 0;
  for (const TensorSpec& output : problem_.outputs) outputs += output.bytes();
  const bool in_part = spec.bytes() > std::max(kVeryLargeTensor, kLargerThanOutputs * outputs);
  const std::uint64_t one_in = in_part ? kOneIn : 1;
  std::atomic<bool> written = true;
  parallel_for(threads_, static_cast<std::size_t>((elements + piece - 1) / piece),
               [&](std::size_t i, unsigned) {
                 if (Random(key.key ^ i).next() % one_in != 0) return;
                 const std::int64_t first = static_cast<std::int64_t>(i) * piece;
                 const std::int64_t count = std::min(piece, elements - first);
                 std::byte* data = content + first * width;
                 renew(spec, key.key, first, count, data);
                 if (!memory_.write(to + static_cast<std::uint64_t>(first * width), data,
                                    static_cast<std::size_t>(count * width))) {
                   written = false;
                 }
               });
  return written;
}

bool HostRooms::renew_whole(std::uint64_t to, const TensorSpec& spec, std::byte* content,
                            InputKey key) {
  const auto bytes = static_cast<std::size_t>(spec.bytes());
  std::vector<std::byte>& as_drawn = drawn_tensors_[to];
  if (as_drawn.empty()) as_drawn.assign(content, content + bytes);
  refresh_pieces(spec, as_drawn.data(), key, content);
  return write_plain(to, content, bytes);
}

bool HostRooms::refurnish(const Place& furnished, std::byte* content, Outputs outputs) {
  const std::uint64_t place = furnished.address;
  remember(furnished);
  if (!std::exchange(furnished_, true)) {  // it has the guards too
    return write_plain(place, content, layout_.bytes) && write_outputs(place, outputs);
  }
  bool written = write_outputs(place, outputs);
  InputKey key = furnished.key;
  key.rows_stay = true;
  each_tensor([&](const TensorSpec& spec, std::size_t offset) {
    if (!written || !is_written(spec)) return;
    const std::uint64_t to = place + offset;
    const bool changed_by_calls = offset >= layout_.outputs.front();
    if (changed_by_calls) {
      written = write_plain(to, content + offset, static_cast<std::size_t>(spec.bytes()));
    }
    if (!written) return;
    if (key.twist != 0) {
      const auto width = static_cast<std::int64_t>(bytes_of(spec.dtype));
      const auto [first, count] = twisted_range(spec, key);
      twist_in_place(spec, key, content + offset);
      written =
          memory_.write(to + static_cast<std::uint64_t>(first * width),
                        content + offset + first * width, static_cast<std::size_t>(count * width));
    } else if (changes_in_place(spec) && spec.bytes() > kLargeTensor) {
      written = renew_pieces(to, spec, content + offset, key);
    } else {
      written = renew_whole(to, spec, content + offset, key);
    }
  });
  return written;
}

bool HostRooms::transfer_plain(std::uint64_t place, std::size_t first, std::size_t end,
                               std::byte* into) const {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::atomic<bool> read = true;
  const std::size_t bytes = end - first;
  parallel_for(threads_, (bytes + kPiece - 1) / kPiece, [&](std::size_t i, unsigned) {
    const std::size_t from = first + i * kPiece;
    if (!memory_.read(into + from, place + from, std::min(kPiece, end - from))) read = false;
  });
  return read;
}

bool HostRooms::collect(std::uint64_t place, std::byte* into) {
  const auto parts = outputs_and_guards();
  return std::all_of(parts.begin(), parts.end(), [&](const auto& part) {
    return transfer_plain(place, part.first, part.second, into);
  });
}

Result<std::string> HostRooms::changed_input(std::uint64_t place, const std::byte* expected) {
  for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
    const std::size_t offset = layout_.inputs[i];
    const auto bytes = static_cast<std::size_t>(problem_.inputs[i].bytes());
    std::atomic<bool> read = true;
    std::atomic<bool> same = true;
    parallel_for(threads_, (bytes + kBounceBytes - 1) / kBounceBytes, [&](std::size_t p, unsigned) {
      thread_local std::vector<std::byte> bounce(kBounceBytes);
      const std::size_t first = offset + p * kBounceBytes;
      const std::size_t count = std::min(kBounceBytes, offset + bytes - first);
      if (!memory_.read(bounce.data(), place + first, count)) read = false;
      if (std::memcmp(bounce.data(), expected + first, count) != 0) same = false;
    });
    if (!read) return broke_error("the memory of its process cannot be read");
    if (!same) return problem_.inputs[i].name;
  }
  return std::string();
}

}  // namespace tactus
