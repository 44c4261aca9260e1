#pragma once

#include <cstdint>

#include "tactus/operator.h"

// Short forms of the plug-in interface for our own kernels.

namespace tactus::TACTUS_ISA {

template <class T>
inline const T* input(const tactus_call* call, const char* name) {
  return static_cast<const T*>(tactus_input(call, name)->data);
}
template <class T>
inline T* output(const tactus_call* call, const char* name) {
  return static_cast<T*>(tactus_output(call, name)->data);
}
inline std::int64_t extent(const tactus_call* call, const char* input_name, int axis) {
  return tactus_input(call, input_name)->shape[axis];
}

inline std::int32_t dtype_of(const tactus_call* call, const char* input_name) {
  return tactus_input(call, input_name)->dtype;
}
inline std::int64_t whole(const tactus_call* call, const char* parameter) {
  return static_cast<std::int64_t>(tactus_value(call, parameter, 0));
}

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) {
  return ceil_div(a, b) * b;
}
template <class T>
constexpr T least(T a, T b) {
  return a < b ? a : b;
}
template <class T>
constexpr T most(T a, T b) {
  return a > b ? a : b;
}

/// The head of a smaller set that several heads of a larger set share.
constexpr std::int64_t shared_head(std::int64_t head, std::int64_t heads, std::int64_t shared) {
  return least(head / most<std::int64_t>(heads / shared, 1), shared - 1);
}

/// body(i) for i in [0, count) on all threads.
template <class Body>
inline void parallel(const tactus_call* call, std::int64_t count, const Body& body) {
  call->parallel(
      call, count, [](void* argument, std::int64_t i) { (*static_cast<const Body*>(argument))(i); },
      const_cast<Body*>(&body));
}

/// body(first, end) on parts of [0, count) of useful size: about `stretch` each.
template <class Body>
inline void parallel_stretches(const tactus_call* call, std::int64_t count, std::int64_t stretch,
                               const Body& body) {
  if (stretch < 1) stretch = 1;
  parallel(call, (count + stretch - 1) / stretch, [&](std::int64_t i) {
    const std::int64_t first = i * stretch;
    body(first, first + stretch < count ? first + stretch : count);
  });
}

/// body(worker, task) for all tasks. No two threads are the same worker, so each has its own part
/// of the workspace. Tasks are taken in order.
template <class Body>
inline void parallel_workers(const tactus_call* call, std::int64_t tasks, const Body& body) {
  const auto workers = least<std::int64_t>(call->threads, tasks);
  std::int64_t next = 0;
  parallel(call, workers, [&](std::int64_t worker) {
    while (true) {
      const std::int64_t task = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
      if (task >= tasks) return;
      body(worker, task);
    }
  });
}

/// Gives out aligned parts of the workspace; without memory it only counts the size.
class Carver {
 public:
  explicit Carver(void* memory) : memory_(static_cast<unsigned char*>(memory)) {}

  template <class T>
  T* take(std::int64_t count) {
    unsigned char* part = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += static_cast<std::size_t>(round_up(count * static_cast<std::int64_t>(sizeof(T)), 256));
    return reinterpret_cast<T*>(part);
  }
  std::size_t used() const { return used_; }

 private:
  unsigned char* memory_;
  std::size_t used_ = 0;
};

}  // namespace tactus::TACTUS_ISA
