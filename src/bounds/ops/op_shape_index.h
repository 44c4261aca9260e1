#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bounds/ops/op_shape.h"
#include "bounds/roofline/speed_of_light.h"
#include "hardware/profile.h"
#include "names/kernel_name.h"
#include "run/run.h"

namespace tactus {

inline constexpr std::string_view kNotRecorded = "ops that were recorded without shapes";
inline constexpr std::string_view kNoPeak = "types for which the machine has no figure";

/// A shape that ops were called with, and its bound.
struct BoundShape {
  std::string op;  ///< the framework's name: "aten::mm"
  OpShape shape;
  SpeedOfLight bound;
  double bytes = 0;  ///< that it moves
};

/// Reads what ops computed; equal calls are read once.
class OpShapeIndex {
 public:
  /// `ops` are rows of run.slices, ascending.
  OpShapeIndex(const Run& run, std::span<const std::uint32_t> ops, const HardwareProfile& hardware);

  /// Index in shapes(), or nothing and then `why` is set. `place` is that of the op in `ops`,
  /// `kernel` the StringId of what it launched, `name` that decoded.
  std::optional<std::uint32_t> find(std::size_t place, std::uint32_t kernel, const KernelName& name,
                                    std::string_view& why);

  std::vector<BoundShape>& shapes() { return shapes_; }

 private:
  /// StringIds of the recorded facts about a call.
  struct Call {
    std::uint32_t name = 0, dims = 0, types = 0, strides = 0, concrete = 0, kernel = 0;
    bool operator==(const Call&) const = default;
  };
  struct CallHash {
    std::size_t operator()(const Call& call) const;
  };
  struct Found {
    std::optional<std::uint32_t> shape;
    std::string why;
  };

  Found read(const Call& call, const KernelName& name);
  Found add(std::string_view op, OpShape shape);

  const Run& run_;
  const HardwareProfile& hardware_;
  std::vector<Call> calls_;  ///< by place of the op
  std::unordered_map<Call, Found, CallHash> found_;
  std::unordered_map<std::string, std::uint32_t> known_;
  std::vector<BoundShape> shapes_;
};

}  // namespace tactus
