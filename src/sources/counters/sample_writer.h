#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "run/builder.h"

namespace tactus::counters {

/// Appends samples of the current source to the run's counters; unusable ones are counted.
class SampleWriter {
 public:
  using UnitOf = std::string_view (*)(std::string_view counter);

  SampleWriter(RunBuilder& builder, UnitOf unit_of) : builder_(builder), unit_of_(unit_of) {}

  /// `time_ns` is since the epoch; the value is the number as written.
  void add(std::string_view counter, std::string_view device, std::optional<std::int64_t> time_ns,
           std::string_view value);

 private:
  SeriesId series(std::string_view counter, std::string_view device);

  RunBuilder& builder_;
  UnitOf unit_of_;
  std::unordered_map<std::string, SeriesId> known_;  ///< by counter and device as written
  std::string key_;
};

}  // namespace tactus::counters
