#include "bounds/roofline/speed_of_light.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tactus {
namespace {

constexpr double kNsPerSecond = 1e9;

/// The published order of operations, so that the results are equal to the published ones, bit for
/// bit.
double published_seconds(double flops, double peak, double bytes, double bandwidth) {
  return flops / std::min(peak, flops / bytes * bandwidth);
}

double significant_bits(NumberType type) {
  switch (type) {
    case NumberType::kFp8E4m3:
    case NumberType::kFp8E4m3Fnuz: return 4;
    case NumberType::kFp8E5m2: return 3;
    case NumberType::kFp4E2m1: return 2;
    case NumberType::kBf16: return 8;
    case NumberType::kFp16:
    case NumberType::kTf32: return 11;
    default: return 24;
  }
}

/// An operand that needs more bits than a type has is the sum of several numbers of that type, with
/// a product for each.
double products_in(NumberType type, const Work& work) {
  return work.operand_bits > 0 ? std::ceil(work.operand_bits / significant_bits(type)) : 1;
}

/// The fastest way to multiply on the matrix units or, if they are slower, on the vector units: in
/// the type itself or in a wider one. fp8 numbers are bf16 numbers too.
std::optional<double> fastest_product(const HardwareProfile& hardware, const Work& work) {
  std::optional<double> best = hardware.peak(Engine::kVector, NumberType::kFp32);
  const auto take = [&](NumberType type) {
    const std::optional<double> peak = hardware.peak(Engine::kTensor, type);
    if (peak) best = std::max(best.value_or(0), *peak / products_in(type, work));
  };
  switch (work.type) {
    case NumberType::kFp4E2m1: take(NumberType::kFp4E2m1); [[fallthrough]];
    case NumberType::kFp8E4m3:
    case NumberType::kFp8E4m3Fnuz:
    case NumberType::kFp8E5m2:
      take(work.type);
      take(NumberType::kFp8E4m3);  // either kind of fp8 that the machine has
      [[fallthrough]];
    case NumberType::kBf16:
    case NumberType::kFp16:
      take(NumberType::kBf16);
      take(NumberType::kFp16);
      [[fallthrough]];
    case NumberType::kTf32: take(NumberType::kTf32); break;
    default: break;
  }
  return best;
}

/// A machine without a path for a type uses its fastest wider type.
std::optional<double> usable_peak(const HardwareProfile& hardware, const Work& work) {
  const bool in_parts = work.operand_bits > significant_bits(work.type);
  const std::optional<double> own = hardware.peak(work.engine, work.type);
  if ((own && !in_parts) || is_integer(work.type) || work.type == NumberType::kFp64) return own;
  if (work.engine == Engine::kTensor) return fastest_product(hardware, work);
  return hardware.peak(Engine::kVector, NumberType::kFp32);
}

}  // namespace

std::string_view limit_name(Limit limit) {
  constexpr std::array<std::string_view, kLimits> kNames = {"compute", "memory", "launch", "link"};
  return kNames[static_cast<std::size_t>(limit)];
}

std::string_view device_limit_name(Limit limit) {
  return limit == Limit::kLink ? std::string_view() : limit_name(limit);
}

std::optional<SpeedOfLight> speed_of_light(const Cost& cost, const HardwareProfile& hardware,
                                           CostModel model) {
  if (hardware.memory_bandwidth.value <= 0) return std::nullopt;  // nobody has measured it
  const double memory_s = cost.bytes() / hardware.memory_bandwidth.value;
  // The engines can work at the same time, and so can memory: the slowest of them is the bound.
  std::array<double, 2> engine_s = {0, 0};
  for (const Work& work : cost.work) {
    if (work.flops <= 0) continue;
    const std::optional<double> peak = model == CostModel::kStrict
                                           ? usable_peak(hardware, work)
                                           : hardware.peak(work.engine, work.type);
    if (!peak) return std::nullopt;
    engine_s[static_cast<std::size_t>(work.engine)] += work.flops / *peak;
  }
  const double compute_s = std::max(engine_s[0], engine_s[1]);
  double seconds = std::max(memory_s, compute_s);
  if (model == CostModel::kCatalogue && cost.work.size() == 1 && cost.flops() > 0 &&
      cost.bytes() > 0) {
    seconds =
        published_seconds(cost.flops(), *hardware.peak(cost.work[0].engine, cost.work[0].type),
                          cost.bytes(), hardware.memory_bandwidth.value);
  }
  SpeedOfLight result = {.t_ns = seconds * kNsPerSecond,
                         .limit = compute_s > memory_s ? Limit::kCompute : Limit::kMemory};
  const double link_s =
      hardware.link_bandwidth ? cost.link_bytes / hardware.link_bandwidth->value : 0;
  if (link_s > seconds) result = {.t_ns = link_s * kNsPerSecond, .limit = Limit::kLink};
  if (hardware.launch_floor_ns && hardware.launch_floor_ns->value > result.t_ns) {
    result.limit = Limit::kLaunch;
  }
  return result;
}

}  // namespace tactus
