#include "standin/work.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "standin/event.h"
#include "standin/graph.h"
#include "standin/observer.h"

namespace standin {
namespace {

std::atomic<const Observer*> observer = nullptr;

/// The call that is being done, for the nodes of a graph.
struct Context {
  unsigned stream = 0;
  unsigned correlation = 0;
  unsigned graph = 0;
  std::uint64_t node = 0;
};
thread_local Context context;

void tell(const Work& work, std::int64_t begin_ns, std::int64_t end_ns) {
  const Observer* to = observer.load(std::memory_order_acquire);
  if (to == nullptr || context.correlation == 0) return;
  const bool is_kernel = work.kind == Work::kKernel;
  to->done({.kind = is_kernel                  ? Done::kKernel
                    : work.kind == Work::kCopy ? Done::kCopy
                                               : Done::kFill,
            .name = is_kernel ? work.function->name.c_str() : nullptr,
            .grid = work.grid,
            .block = work.block,
            .shared_bytes = work.shared_bytes,
            .bytes = work.bytes,
            .copy_kind = work.copy_kind,
            .begin_ns = begin_ns,
            .end_ns = end_ns,
            .stream = context.stream,
            .correlation = context.correlation,
            .graph = context.graph,
            .node = context.node});
}

void sleep_until(std::int64_t time_ns) {
  if (time_ns <= now_ns()) return;
  const timespec until{.tv_sec = time_ns / 1'000'000'000, .tv_nsec = time_ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

/// When the device is free, for all processes that have the same STANDIN_SHARED; null: a device
/// that does everything at once.
std::atomic<std::int64_t>* shared_device() {
  static std::atomic<std::int64_t>* const free_at = []() -> std::atomic<std::int64_t>* {
    const char* path = std::getenv("STANDIN_SHARED");
    const int fd = path != nullptr ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fd < 0 || ftruncate(fd, sizeof(std::int64_t)) != 0) return nullptr;
    void* memory = mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return memory == MAP_FAILED ? nullptr : static_cast<std::atomic<std::int64_t>*>(memory);
  }();
  return free_at;
}

/// One kernel after the other, as they come; when this one ends.
std::int64_t take_device(std::int64_t start_ns, std::int64_t duration_ns) {
  std::atomic<std::int64_t>* free_at = shared_device();
  if (free_at == nullptr) return start_ns + duration_ns;
  std::int64_t seen = free_at->load();
  std::int64_t end_ns = 0;
  do {
    end_ns = std::max(start_ns, seen) + duration_ns;
  } while (!free_at->compare_exchange_weak(seen, end_ns));
  return end_ns;
}

void call(const Work& work) {
  std::vector<unsigned char> bytes = work.arguments;
  std::vector<void*> params;
  std::size_t place = 0;
  // Each parameter at an address that its type allows.
  std::vector<std::unique_ptr<std::max_align_t[]>> room;
  for (const std::size_t size : work.function->sizes) {
    room.push_back(std::make_unique<std::max_align_t[]>(size / sizeof(std::max_align_t) + 1));
    std::memcpy(room.back().get(), bytes.data() + place, size);
    params.push_back(room.back().get());
    place += size;
  }
  work.function->code(work.grid, work.block, params.data());
}

void copy(const Work& work) {
  const unsigned char* from = work.from != nullptr ? work.from : work.arguments.data();
  if (work.row_bytes == 0) {
    std::memmove(work.to, from, work.bytes);
    return;
  }
  for (std::size_t row = 0; row < work.bytes / work.row_bytes; ++row) {
    std::memmove(work.to + row * work.to_pitch, from + row * work.from_pitch, work.row_bytes);
  }
}

void fill(const Work& work) {
  for (std::size_t at = 0; at + work.element_bytes <= work.bytes; at += work.element_bytes) {
    std::memcpy(work.to + at, &work.value, work.element_bytes);
  }
}

/// Branches of a graph overlap in time: a node starts when all that it waits for have ended.
std::int64_t run_graph(const GraphPlan& plan, std::int64_t start_ns) {
  std::vector<std::int64_t> ends;
  std::int64_t last = start_ns;
  for (const GraphPlan::Step& step : plan.steps) {
    std::int64_t ready = start_ns;
    for (const std::size_t before : step.after) ready = std::max(ready, ends[before]);
    context.graph = 1;
    context.node = ends.size() + 1;
    ends.push_back(run_work(step.work, ready));
    last = std::max(last, ends.back());
  }
  context.graph = 0;
  context.node = 0;
  return last;
}

}  // namespace

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

unsigned number_of_call() {
  const Observer* to = observer.load(std::memory_order_acquire);
  return to != nullptr ? to->submitted() : 0;
}

namespace {

std::int64_t do_work(const Work& work, std::int64_t clock_ns, std::int64_t duration_ns) {
  const std::int64_t start_ns = std::max(clock_ns, work.submitted_ns);
  switch (work.kind) {
    case Work::kKernel:
      if (work.function->code == nullptr) {
        const std::int64_t end_ns = take_device(start_ns, duration_ns);
        sleep_until(end_ns);
        return end_ns;
      }
      call(work);
      return std::max(start_ns, now_ns());
    case Work::kCopy:
    case Work::kFill: {
      work.kind == Work::kCopy ? copy(work) : fill(work);
      if (!has_costs()) return std::max(start_ns, now_ns());
      sleep_until(start_ns + duration_ns);
      return start_ns + duration_ns;
    }
    case Work::kHost: work.host(work.user); return std::max(start_ns, now_ns());
    case Work::kRecord: {
      const std::shared_ptr<Marker> marker =
          work.event != nullptr ? work.event->renew() : work.marker;
      marker->reach(start_ns);
      return start_ns;
    }
    case Work::kWait: {
      const std::shared_ptr<Marker> marker =
          work.event != nullptr ? work.event->latest() : work.marker;
      if (marker == nullptr) return start_ns;
      marker->wait();
      return std::max(start_ns, marker->time_ns);
    }
    case Work::kGraph: return run_graph(*work.plan, start_ns);
    case Work::kNothing: return start_ns;
  }
  return start_ns;
}

}  // namespace

std::int64_t run_work(const Work& work, std::int64_t clock_ns) {
  // Nodes of a graph belong to the call that launched it.
  if (context.graph == 0) context = {.stream = work.stream, .correlation = work.correlation};
  std::int64_t begin_ns = std::max(clock_ns, work.submitted_ns);
  const bool is_scripted = work.kind == Work::kKernel && work.function->code == nullptr;
  const bool is_moved = work.kind == Work::kCopy || work.kind == Work::kFill;
  const std::int64_t duration_ns = is_scripted || is_moved ? duration_of(work) : 0;
  const std::int64_t end_ns = do_work(work, clock_ns, duration_ns);
  if (is_scripted) {
    begin_ns = end_ns - duration_ns;  // it may have waited for the device
  }
  if (work.kind == Work::kKernel || is_moved) {
    tell(work, begin_ns, end_ns);
  }
  return end_ns;
}

}  // namespace standin

void standin_observe(const standin::Observer* to) {
  standin::observer.store(to, std::memory_order_release);
}
