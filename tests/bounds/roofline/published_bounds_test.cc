// Every published T_SOL, where the figures are at hand.
#include <cmath>

#include "bounds/roofline/published_figures.h"
#include "bounds/roofline/speed_of_light.h"

namespace tactus {
namespace {

using testing::cost_by;

class PublishedBounds : public testing::PublishedFigures {
 protected:
  std::vector<const HardwareProfile*> machines() const {
    return {*find_hardware("H20"), *find_hardware("XPU-A")};
  }
};

TEST_F(PublishedBounds, speeds_of_light_come_out_to_the_last_digits) {
  int times = 0;
  for_each_shape([&](const Operator& op, const Shape& shape, const Json& published) {
    const Cost cost = cost_by(CostModel::kCatalogue, op, shape);
    for (const HardwareProfile* machine : machines()) {
      const auto bound = speed_of_light(cost, *machine, CostModel::kCatalogue);
      ASSERT_TRUE(bound);
      const double expected_ns = published.at("T_SOL").at(machine->name).get<double>() * 1e9;
      EXPECT_LE(std::abs(bound->t_ns - expected_ns), 1e-12 * expected_ns) << machine->name;
      ++times;
    }
  });
  EXPECT_EQ(times, 880);
}

/// Published at the rate of a type that is too coarse for a right result.
bool needs_more_bits(const Operator& op) {
  return op.name == "gated_delta_rule_update" || op.name == "fp8_blockscale_fused_moe";
}

TEST_F(PublishedBounds, are_below_the_strict_bound_only_if_products_need_more_bits) {
  for_each_shape([&](const Operator& op, const Shape& shape, const Json&) {
    const Cost catalogue = cost_by(CostModel::kCatalogue, op, shape);
    const Cost strict = cost_by(CostModel::kStrict, op, shape);
    EXPECT_LE(strict.bytes(), catalogue.bytes());
    for (const HardwareProfile* machine : machines()) {
      const auto published = speed_of_light(catalogue, *machine, CostModel::kCatalogue);
      const auto bound = speed_of_light(strict, *machine, CostModel::kStrict);
      ASSERT_TRUE(published && bound);
      EXPECT_GT(bound->t_ns, 0);
      const double most = needs_more_bits(op) ? 2 : 1 + 1e-12;
      EXPECT_LE(bound->t_ns, published->t_ns * most) << op.name << " " << machine->name;
    }
  });
}

}  // namespace
}  // namespace tactus
