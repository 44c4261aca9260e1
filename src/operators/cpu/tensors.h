#pragma once

#include <cstdint>

#include "tactus/operator.h"

// Shorthand over the plug-in interface for our own kernels.

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

/// body(i) for i in [0, count) on all threads.
template <class Body>
inline void parallel(const tactus_call* call, std::int64_t count, const Body& body) {
  call->parallel(
      call, count, [](void* argument, std::int64_t i) { (*static_cast<const Body*>(argument))(i); },
      const_cast<Body*>(&body));
}

/// body(first, end) on stretches of [0, count) that are worth handing out: about `stretch` each.
template <class Body>
inline void parallel_stretches(const tactus_call* call, std::int64_t count, std::int64_t stretch,
                               const Body& body) {
  if (stretch < 1) stretch = 1;
  parallel(call, (count + stretch - 1) / stretch, [&](std::int64_t i) {
    const std::int64_t first = i * stretch;
    body(first, first + stretch < count ? first + stretch : count);
  });
}

}  // namespace tactus::TACTUS_ISA
