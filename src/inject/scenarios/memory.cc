#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "inject/scenario.h"

namespace tactus::inject {
namespace {

constexpr std::uint64_t kChunk = 16 << 20;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLeastFree = 512 << 20;
/// It ends when less than this share of the memory is left ..
constexpr std::uint64_t kLeastShare = 10;
/// .. or all tasks wait for memory for this many percent of the time.
constexpr double kMostStalls = 20;
constexpr std::int64_t kLookEvery = 50'000'000;  // [ns]

/// Chunks of memory of which every page was written. The end of the process gives them back.
class Chunks {
 public:
  std::uint64_t bytes() const { return chunks_.size() * kChunk; }

  bool take() {
    void* chunk =
        ::mmap(nullptr, kChunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED) return false;
    ::madvise(chunk, kChunk, MADV_DONTDUMP);
    ::madvise(chunk, kChunk, MADV_NOHUGEPAGE);
    chunks_.push_back(static_cast<char*>(chunk));
    write(chunks_.back());
    return true;
  }
  void drop() {
    ::munmap(chunks_.back(), kChunk);
    chunks_.pop_back();
  }
  /// Gives a chunk back and faults it in again.
  void renew() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    char* chunk = chunks_[random_ % chunks_.size()];
    ::madvise(chunk, kChunk, MADV_DONTNEED);
    write(chunk);
  }

 private:
  static void write(char* chunk) {
    for (std::uint64_t at = 0; at < kChunk; at += kPage) {
      static_cast<volatile char*>(chunk)[at] = 1;
    }
  }

  std::vector<char*> chunks_;
  std::uint64_t random_ = 88172645463325252U;
};

/// Why it has to end now; empty if it may go on.
std::string shortage(std::uint64_t total) {
  const auto free = memory_free_now();
  if (!free) return "how much memory is free cannot be read any more";
  if (*free < total / kLeastShare) {
    return fmt::format("ended early: only {} MiB of memory were left", *free >> 20);
  }
  const auto stalls = memory_stalls();
  if (stalls && *stalls > kMostStalls) {
    return fmt::format("ended early: all tasks waited for memory, {:.0f}% of the time", *stalls);
  }
  return "";
}

}  // namespace

Status plan_memory(const Machine& machine, Plan& plan) {
  if (machine.memory_free < kLeastFree || machine.memory_free < machine.memory_total / 5) {
    return input_error(fmt::format("only {} MiB of {} MiB of memory are free",
                                   machine.memory_free >> 20, machine.memory_total >> 20));
  }
  const std::uint64_t most =
      std::min(machine.memory_free / 2, plan.request.max_memory.value_or(UINT64_MAX));
  plan.memory_bytes =
      static_cast<std::uint64_t>(static_cast<double>(most) * plan.request.intensity);
  plan.text = fmt::format("takes {} MiB of {} MiB of free memory and keeps writing it",
                          plan.memory_bytes >> 20, machine.memory_free >> 20);
  return {};
}

void run_memory(const Plan& plan, const Pace& pace, Dose& dose) {
  const Result<Machine> machine = look_at_machine();
  if (!machine) return dose.say(machine.error().message);
  Chunks chunks;
  std::int64_t next_look = 0;
  const double at_full = plan.request.intensity > 0
                             ? static_cast<double>(plan.memory_bytes) / plan.request.intensity
                             : 0;
  pace.in_slots([&](std::int64_t) {
    const std::int64_t now = monotonic_ns();
    if (now >= next_look) {
      next_look = now + kLookEvery;
      if (const std::string problem = shortage(machine->memory_total); !problem.empty()) {
        dose.say(problem);
        return false;
      }
    }
    const auto wanted = static_cast<std::uint64_t>(at_full * pace.level());
    if (chunks.bytes() + kChunk <= wanted) {
      if (!chunks.take()) {
        dose.say("ended early: the system gave no more memory");
        return false;
      }
    } else if (chunks.bytes() > wanted && chunks.bytes() > 0) {
      chunks.drop();
      return true;
    } else if (chunks.bytes() > 0) {
      chunks.renew();
    } else {
      return true;
    }
    dose.bytes.fetch_add(kChunk, std::memory_order_relaxed);
    dose.most_bytes = std::max<std::uint64_t>(dose.most_bytes, chunks.bytes());
    return true;
  });
}

}  // namespace tactus::inject
