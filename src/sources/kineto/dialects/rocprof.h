#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "run/builder.h"
#include "sources/kineto/dialects/foreign_slice.h"

namespace tactus::kineto {

/// `results.json` of the first rocprof. Times are texts in whole microseconds; the exact ones are
/// arguments. The name of the process tells the kind:
///
///   process "CPU HIP API"
///     {"ph":"X","name":"hipMalloc","pid":2,"tid":2385,"ts":"1201478076","dur":"470125",
///      "args":{"BeginNs":"1201478076289","EndNs":"1201948202129","pid":"2385","tid":"2385",...}}
///   process "GPU0"
///     {"ph":"X","name":"vecAdd","pid":6,"tid":0,...,"args":{...,"dev-id":"0","queue-id":"0"}}
class RocprofEvents {
 public:
  explicit RocprofEvents(RunBuilder& builder) : builder_(builder) {}

  void note_process(ProcessId process, std::string_view name);

  /// A slice with the times that its arguments tell; false if they do not. `rounded_ns` is its time
  /// in whole microseconds, which some versions count from the start of the recording.
  bool add(ForeignSlice slice, std::optional<std::int64_t> rounded_ns);

 private:
  enum class Kind : unsigned char { kOther, kHip, kHsa, kMarker, kCopy, kGpu };
  struct Place {
    Kind kind = Kind::kOther;
    std::int64_t device = 0;
  };

  RunBuilder& builder_;
  std::map<ProcessId, Place> places_;
};

}  // namespace tactus::kineto
