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
  double bytes = 0;                        ///< that it moves
  std::optional<std::uint32_t> if_faster;  ///< the shape to take if a call is faster than this one
};

/// Reads what ops computed; equal calls are read once.
class OpShapeIndex {
 public:
  /// `ops` are rows of run.slices, ascending.
  OpShapeIndex(const Run& run, std::span<const std::uint32_t> ops, const HardwareProfile& hardware);

  /// Index in shapes(), or nothing and then `why` is set. `place` is that of the op in `ops`,
  /// `kernel` the StringId of what it launched, `name` that decoded.
  /// `step` is the StringId of the annotation that gives the lengths of its step, or 0.
  std::optional<std::uint32_t> find(std::size_t place, std::uint32_t kernel, const KernelName& name,
                                    std::uint32_t step, std::string_view& why);

  std::vector<BoundShape>& shapes() { return shapes_; }

 private:
  /// StringIds of the recorded facts about a call.
  struct Call {
    std::uint32_t name = 0, dims = 0, types = 0, strides = 0, concrete = 0, kernel = 0, step = 0;
    std::uint64_t inner = 0;  ///< a hash of the ops inside it
    bool operator==(const Call&) const = default;
  };
  struct CallHash {
    std::size_t operator()(const Call& call) const;
  };
  struct Found {
    std::optional<std::uint32_t> shape;
    std::string why;
  };

  void read_texts(std::span<const std::uint32_t> rows, std::vector<Call>& calls) const;
  void add_inner_calls(std::span<const std::uint32_t> ops);
  std::optional<OpCall> op_call(const Call& call) const;
  Found read(const Call& call, std::size_t place, const KernelName& name);
  Found add(std::string_view op, std::uint32_t kernel, OpShape shape);

  const Run& run_;
  const HardwareProfile& hardware_;
  std::vector<Call> calls_;                                    ///< by place of the op
  std::vector<Call> inner_calls_;                              ///< of all ops, each one's together
  std::vector<std::pair<std::size_t, std::size_t>> inner_of_;  ///< places in it, by place of the op
  std::unordered_map<Call, Found, CallHash> found_;
  std::unordered_map<std::string, std::uint32_t> known_;
  std::vector<BoundShape> shapes_;
};

}  // namespace tactus
