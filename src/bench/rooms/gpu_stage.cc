#include "bench/rooms/gpu_stage.h"

#include <algorithm>

#include "operators/definition.h"

namespace tactus {
namespace {

constexpr std::size_t kPackedAlignment = 256;

std::byte* at(std::uint64_t room) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the judge names rooms by their addresses
  return reinterpret_cast<std::byte*>(room);
}

}  // namespace

GpuStage::GpuStage(TimedDevice& device, const Problem& problem, const TensorLayout& layout)
    : device_(device), problem_(problem), layout_(layout) {
  for (const TensorSpec& output : problem.outputs) {
    packed_.push_back(packed_bytes_);
    const auto bytes = static_cast<std::size_t>(output.bytes());
    packed_bytes_ += (bytes + kPackedAlignment - 1) / kPackedAlignment * kPackedAlignment;
  }
}

Result<std::byte*> GpuStage::allocate(std::size_t bytes) {
  const Result<void*> memory = device_.allocate(std::max(bytes, kPackedAlignment));
  if (!memory) return memory.error();
  return static_cast<std::byte*>(*memory);
}

Status GpuStage::open(std::uint64_t rooms) {
  const Result<void*> staging =
      device_.allocate_on_host(std::min(kStagingBytes, std::max(layout_.bytes, kPackedAlignment)));
  if (!staging) return staging.error();
  staging_ = static_cast<std::byte*>(*staging);
  using Needed = std::pair<std::byte**, std::size_t>;
  for (const auto& [into, bytes] :
       {Needed{&drawn_, layout_.bytes}, Needed{&results_, packed_bytes_},
        Needed{&decoy_, packed_bytes_}}) {
    const Result<std::byte*> memory = allocate(bytes);
    if (!memory) return memory.error();
    *into = *memory;
  }
  while (rooms_.size() < rooms) {
    const Result<std::byte*> room = allocate(layout_.bytes);
    if (!room && rooms_.empty()) return room.error();
    if (!room) break;
    rooms_.push_back(reinterpret_cast<std::uint64_t>(*room));
  }
  return {};
}

Status GpuStage::put(std::uint64_t offset, std::uint64_t bytes) {
  return device_.copy_in(drawn_ + offset, staging_, bytes);
}

Status GpuStage::spread_guards() {
  for (const std::uint64_t room : rooms_) {
    if (Status copied = device_.copy_within(at(room), drawn_, layout_.bytes); !copied) {
      return copied;
    }
  }
  return {};
}

template <class Do>
Status GpuStage::each_output(const Do& act) const {
  for (std::size_t i = 0; i < problem_.outputs.size(); ++i) {
    const auto bytes = static_cast<std::size_t>(problem_.outputs[i].bytes());
    if (Status done = act(problem_.outputs[i], layout_.outputs[i], packed_[i], bytes); !done) {
      return done;
    }
  }
  return {};
}

Status GpuStage::furnish(std::uint64_t room, InputKey key, OutputsHold hold) {
  const auto refreshed = [&](const TensorSpec& spec, std::size_t offset) {
    return device_.refresh(plan_refresh(spec, key), drawn_ + offset, at(room) + offset);
  };
  for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
    if (Status done = refreshed(problem_.inputs[i], layout_.inputs[i]); !done) return done;
  }
  return each_output([&](const TensorSpec& spec, std::size_t offset, std::size_t packed,
                         std::size_t bytes) -> Status {
    if (spec.draw != Draw::kNone) return refreshed(spec, offset);
    switch (hold) {
      case OutputsHold::kPoison:
        return device_.set(at(room) + offset, static_cast<std::uint8_t>(poison_byte(spec.dtype)),
                           bytes);
      case OutputsHold::kDecoy:
        return device_.copy_within(at(room) + offset, decoy_ + packed, bytes);
      case OutputsHold::kStay: break;
    }
    return {};
  });
}

Status GpuStage::take_results(std::uint64_t room) {
  return each_output(
      [&](const TensorSpec&, std::size_t offset, std::size_t packed, std::size_t bytes) {
        return device_.copy_within(results_ + packed, at(room) + offset, bytes);
      });
}

Status GpuStage::keep_decoy() {
  return device_.copy_within(decoy_, results_, std::max(packed_bytes_, kPackedAlignment));
}

Status GpuStage::get(std::uint64_t room, std::uint64_t offset, std::uint64_t bytes) {
  for (std::size_t i = 0; i < problem_.outputs.size(); ++i) {
    const std::size_t first = layout_.outputs[i];
    if (offset >= first && offset < first + static_cast<std::size_t>(problem_.outputs[i].bytes())) {
      return device_.copy_out(staging_, results_ + packed_[i] + (offset - first), bytes);
    }
  }
  return device_.copy_out(staging_, at(room) + offset, bytes);
}

}  // namespace tactus
