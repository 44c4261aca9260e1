#include "standin/work.h"

#include <algorithm>
#include <cstring>
#include <ctime>

#include "standin/event.h"
#include "standin/graph.h"

namespace standin {
namespace {

void sleep_until(std::int64_t time_ns) {
  if (time_ns <= now_ns()) return;
  const timespec until{.tv_sec = time_ns / 1'000'000'000, .tv_nsec = time_ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
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
    ends.push_back(run_work(step.work, ready));
    last = std::max(last, ends.back());
  }
  return last;
}

}  // namespace

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

std::int64_t run_work(const Work& work, std::int64_t clock_ns) {
  const std::int64_t start_ns = std::max(clock_ns, work.submitted_ns);
  switch (work.kind) {
    case Work::kKernel:
      if (work.function->code == nullptr) {
        sleep_until(start_ns + work.function->duration_ns);
        return start_ns + work.function->duration_ns;
      }
      call(work);
      return std::max(start_ns, now_ns());
    case Work::kCopy:
      std::memmove(work.to, work.from != nullptr ? work.from : work.arguments.data(), work.bytes);
      return std::max(start_ns, now_ns());
    case Work::kFill: fill(work); return std::max(start_ns, now_ns());
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

}  // namespace standin
