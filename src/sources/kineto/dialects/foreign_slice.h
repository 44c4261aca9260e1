#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "run/builder.h"

namespace tactus::kineto {

/// A slice of another profiler that writes Chrome's JSON, before it is put into Kineto's words.
struct ForeignSlice {
  struct Arg {
    StringId key;
    Value value;
  };

  std::int64_t start_ns = 0;
  std::int64_t dur_ns = 0;
  StringId name;
  CategoryId category;
  ThreadId thread;
  ProcessId process;
  std::vector<Arg> args;
};

/// The whole number in an argument, which may be a text: "50".
std::optional<std::int64_t> whole_number(const Run& run, const Value& value);

/// The text of an argument; empty if it is not a text.
std::string_view text_of(const Run& run, const Value& value);

/// Appends the slice to the run, on a track of the device or not.
TrackId append_slice(RunBuilder& builder, const ForeignSlice& slice, bool on_device);

}  // namespace tactus::kineto
