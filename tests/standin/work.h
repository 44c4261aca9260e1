#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "standin/driver_types.h"
#include "standin/observer.h"

namespace standin {

using Kernel = void (*)(const unsigned grid[3], const unsigned block[3], void** params);

/// A kernel of a module; CUfunction and CUkernel are the same thing here.
struct Function {
  std::string name;
  Kernel code = nullptr;           ///< null: it is scripted
  std::int64_t duration_ns = 0;    ///< of a scripted one
  bool has_cost = false;           ///< it takes a time per launch, by STANDIN_COST
  double slower = 1;               ///< factor of that time
  std::vector<std::size_t> sizes;  ///< of its parameters
  void* module = nullptr;
};

/// A point in a stream that somebody waits for.
struct Marker {
  std::atomic<int> is_done = 0;
  std::int64_t time_ns = 0;  ///< set before is_done

  void reach(std::int64_t at_ns) {
    time_ns = at_ns;
    is_done.store(1, std::memory_order_release);
    is_done.notify_all();
  }
  void wait() const { is_done.wait(0, std::memory_order_acquire); }
};

struct GraphPlan;
struct Event;

/// Something that a stream does. Only the fields of its kind are used.
struct Work {
  enum Kind : unsigned char { kKernel, kCopy, kFill, kHost, kRecord, kWait, kGraph, kNothing };

  Kind kind = kNothing;
  std::int64_t submitted_ns = 0;
  unsigned stream = 0;       ///< its number
  unsigned correlation = 0;  ///< of the call; 0: nobody observes

  const Function* function = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  std::vector<unsigned char> arguments;  ///< one parameter after the other, without gaps

  unsigned char* to = nullptr;
  const unsigned char* from = nullptr;  ///< null: the bytes are in `arguments`
  std::size_t bytes = 0;
  CopyKind copy_kind = CopyKind::kUnknown;
  std::size_t row_bytes = 0;  ///< of a copy of rows; 0: one piece
  std::size_t from_pitch = 0;
  std::size_t to_pitch = 0;
  unsigned value = 0;
  unsigned element_bytes = 1;

  HostFunction host = nullptr;
  void* user = nullptr;

  std::shared_ptr<Marker> marker;         ///< kRecord, kWait
  Event* event = nullptr;                 ///< of a node in a graph that records or waits
  std::shared_ptr<const GraphPlan> plan;  ///< kGraph
};

/// How long a launch of a scripted kernel takes, or a copy or fill where STANDIN_COST is set; else
/// these take as long as they do.
std::int64_t duration_of(const Work& work);
bool has_costs();

std::int64_t now_ns();
/// The number of a call, for who observes; 0: nobody does.
unsigned number_of_call();
/// Does a work; the value is the time at which it ended on the stream's clock.
std::int64_t run_work(const Work& work, std::int64_t clock_ns);

/// One line per work that a program submits.
void log_work(const Work& work, unsigned stream, bool captured);

}  // namespace standin
