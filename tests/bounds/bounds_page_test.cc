// docs/bounds.md shows how the models differ; its table has to stay true.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bounds/roofline/speed_of_light.h"
#include "support/files.h"

namespace tactus {
namespace {

struct Difference {
  std::size_t shapes = 0;  ///< whose bound differs by more than 0.1%
  double largest_factor = 1;
};

/// Of the published bound to the strict one, on the two machines of the published figures.
double largest_factor(const Operator& op, const Shape& shape) {
  const Cost published = *cost_of(op.name, shape, CostModel::kCatalogue);
  const Cost strict = *cost_of(op.name, shape, CostModel::kStrict);
  double largest = 0;
  for (const std::string_view name : {"H20", "XPU-A"}) {
    const HardwareProfile& machine = **find_hardware(name);
    largest = std::max(largest, speed_of_light(published, machine, CostModel::kCatalogue)->t_ns /
                                    speed_of_light(strict, machine, CostModel::kStrict)->t_ns);
  }
  return largest;
}

Difference difference(const Operator& op) {
  Difference result;
  for (const Shape& shape : op.shapes) {
    const double factor = largest_factor(op, shape);
    if (factor > 1.001) ++result.shapes;
    result.largest_factor = std::max(result.largest_factor, factor);
  }
  return result;
}

TEST(BoundsPage, has_the_differences_of_today) {
  const std::string page = testing::read_file(std::string(TACTUS_ROOT) + "/docs/bounds.md");
  const Catalogue catalogue = built_in_catalogue();
  for (const Operator& op : catalogue.operators) {
    const Difference now = difference(op);
    const bool listed = page.find(fmt::format("\n| {} |", op.name)) != std::string::npos;
    EXPECT_EQ(listed, now.shapes > 0) << op.name;
    if (now.shapes == 0) continue;
    const std::string row = fmt::format("\n| {} | {} of {} | {:.2f} |", op.name, now.shapes,
                                        op.shapes.size(), now.largest_factor);
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace tactus
