#pragma once

#include <cstddef>
#include <cstdint>

namespace standin {

/// As CUPTI numbers them.
enum class CopyKind : std::uint8_t { kUnknown = 0, kToDevice = 1, kToHost = 2, kOnDevice = 8 };

/// Something that a stream has done.
struct Done {
  enum Kind : unsigned char { kKernel, kCopy, kFill };
  Kind kind;
  const char* name;
  const unsigned* grid;
  const unsigned* block;
  unsigned shared_bytes;
  std::size_t bytes;
  CopyKind copy_kind;
  std::int64_t begin_ns, end_ns;  ///< CLOCK_MONOTONIC
  unsigned stream;
  unsigned correlation;
  unsigned graph;  ///< 0: none
  std::uint64_t node;
};

/// For the stand-in of CUPTI: is told what a program submits, in the thread that does, and what was
/// done.
struct Observer {
  unsigned (*submitted)();  ///< the number of the call
  void (*done)(const Done&);
};

}  // namespace standin

extern "C" {
/// Null: nobody.
using StandinObserve = void(const standin::Observer*);
__attribute__((visibility("default"))) StandinObserve standin_observe;
}
