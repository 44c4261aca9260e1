#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tactus::inject {

/// How the intensity goes over time.
enum class Shape : unsigned char { kStep, kRamp, kSpike, kSquare };
std::string_view shape_name(Shape shape);
std::optional<Shape> shape_of(std::string_view name);

/// The share of the full dose at a time since the begin; 0 after the end. A ramp grows from 0, a
/// square wave is on for one second of two, a spike for 0.2 s of two.
double level_at(Shape shape, double intensity, double seconds, double since_begin);

struct InjectRequest {
  std::string scenario;
  double seconds = 10;
  double intensity = 0.5;  ///< 0 to 1, of the most that the scenario does
  Shape shape = Shape::kStep;
  std::optional<std::size_t> cores;         ///< for busy threads; else all but one
  std::optional<std::uint64_t> max_memory;  ///< [bytes]
  std::optional<double> max_rate;           ///< [bytes/s] at intensity 1
  std::string folder;                       ///< of the temporary file; empty: TMPDIR or /tmp
  std::optional<std::int64_t> pid;          ///< whom `stall` stops
  std::size_t device = 0;                   ///< GPU
  bool allow_long = false;                  ///< more than kLongest
};

inline constexpr double kLongest = 600;  // [s]

}  // namespace tactus::inject
