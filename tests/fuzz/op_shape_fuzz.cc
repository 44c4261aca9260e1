#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "bounds/costs/cost.h"
#include "bounds/ops/op_shape.h"
#include "bounds/roofline/speed_of_light.h"
#include "hardware/profile.h"

namespace {

using namespace tactus;

/// Cuts the next line off.
std::string_view line_of(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

void bound(const OpShape& shape) {
  CHECK(!shape.operator_name.empty());
  Shape asked;
  asked.parameters = shape.parameters;
  for (const CostModel model : {CostModel::kStrict, CostModel::kCatalogue}) {
    const Result<Cost> cost = cost_of(shape.operator_name, asked, model);
    if (!cost) continue;
    CHECK(std::isfinite(cost->bytes()) && cost->bytes() >= 0);
    for (const HardwareProfile& hardware : built_in_hardware()) {
      const auto light = speed_of_light(*cost, hardware, model);
      CHECK(!light || (std::isfinite(light->t_ns) && light->t_ns >= 0));
    }
  }
}

}  // namespace

// What a trace says about a call of an op, a line each: the op, its dims, types, strides and
// concrete inputs, the kernel that it launched. Whatever it says, a bound is a number.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::array<std::string_view, 6> lines;
  for (std::string_view& line : lines) line = line_of(text);
  const std::optional<OpCall> call = read_op_call(
      lines[0], {.dims = lines[1], .types = lines[2], .strides = lines[3], .concrete = lines[4]});
  if (!call) return 0;
  const Result<OpShape> shape = read_op_shape(*call, decode_kernel_name(lines[5]));
  if (shape) bound(*shape);
  return 0;
}
