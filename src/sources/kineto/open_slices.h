#pragma once

#include <map>
#include <vector>

#include "run/builder.h"

namespace tactus::kineto {

/// A slice that has begun: B seen, its E not yet.
struct OpenSlice {
  std::int64_t start = 0;
  StringId name;
  CategoryId category;
  ArgShape fields;
  std::vector<std::int64_t> values;
};

/// Pairs B with E events: one stack per track, in the order of the file. An E closes the innermost
/// open slice of its name; open slices inside it end with it.
class OpenSlices {
 public:
  explicit OpenSlices(RunBuilder& builder) : builder_(builder) {}

  void begin(TrackId track, OpenSlice slice);
  /// The start of `end` is the time of the end; its arguments are those of the E event.
  void end(TrackId track, OpenSlice end);
  /// Ends all open slices, marked as open, at the latest time seen.
  void close_all(std::int64_t latest_time);

 private:
  void append(TrackId track, OpenSlice& slice, std::int64_t end_ns);

  RunBuilder& builder_;
  std::map<TrackId, std::vector<OpenSlice>> open_;
};

}  // namespace tactus::kineto
