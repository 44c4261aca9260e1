// Our own kernels are right in every call, whatever inputs are made of a draw.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/measured.h"
#include "bounds/costs/cost.h"
#include "catalogue/catalogue.h"

namespace tactus::testing {
namespace {

constexpr double kMostBytes = 2e7;
constexpr double kMostFlops = 1e9;

const Shape& smallest_shape(const Operator& op) {
  const auto bytes = [&op](const Shape& shape) {
    const Result<Cost> cost = cost_of(op.name, shape, CostModel::kStrict);
    return cost ? cost->bytes() + cost->flops() : 1e30;
  };
  return *std::min_element(op.shapes.begin(), op.shapes.end(),
                           [&](const Shape& a, const Shape& b) { return bytes(a) < bytes(b); });
}

TEST(HonestKernels, of_all_operators_are_ok_every_time) {
  Candidate cpu;
  cpu.name = "cpu";
  const Catalogue catalogue = built_in_catalogue();
  MeasureMemory memory;
  MeasureOptions options = test_options();
  options.memory = &memory;
  options.threads = 2;
  options.check_work = 2e7;
  options.seeds = 1;
  options.patience_s = 120;
  int measured = 0;
  for (int run = 0; run < 2; ++run) {
    for (const Operator& op : catalogue.operators) {
      options.salt += 0x9e3779b97f4a7c15ull;
      const Shape& shape = smallest_shape(op);
      const Result<Cost> cost = cost_of(op.name, shape, CostModel::kStrict);
      if (!cost || cost->bytes() > kMostBytes || cost->flops() > kMostFlops) continue;
      ++measured;
      const BenchRow row = measure(op, shape, cpu, nullptr, options);
      EXPECT_EQ(bench_status_name(row.status), "ok") << op.name << ": " << row.reason;
    }
  }
  EXPECT_GE(measured, 40) << "the others take long";
}

TEST(HonestKernels, the_reference_is_right_and_is_not_timed) {
  Candidate reference;
  reference.kind = Candidate::Kind::kReference;
  reference.name = "reference";
  const BenchRow row = measured(reference, "rms_norm", {{"tokens", 4}, {"hidden", 64}});
  EXPECT_EQ(bench_status_name(row.status), "ok") << row.reason;
  EXPECT_FALSE(row.t_ns);
}

}  // namespace
}  // namespace tactus::testing
