#pragma once

#include <cstdio>
#include <cstdlib>

namespace tactus {

[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "tactus: internal error: %s at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace tactus

/// For our own bugs only. Errors that input can cause are returned as an Error.
#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::tactus::check_failed(#condition, __FILE__, __LINE__))
