// docs/bounds.md shows how the models differ; its table has to stay true.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bounds/roofline/speed_of_light.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

struct Difference {
  std::size_t shapes = 0;  ///< whose bound differs by more than 0.1%
  double largest_factor = 1;

  void add(double factor) {
    if (factor > 1.001) ++shapes;
    largest_factor = std::max(largest_factor, factor);
  }
};

/// How much the published bound is above the strict one, and below it, on the two machines of the
/// published figures.
struct Differences {
  Difference above;
  Difference below;
};

Differences differences(const Operator& op) {
  Differences result;
  for (const Shape& shape : op.shapes) {
    const Cost published = *cost_of(op.name, shape, CostModel::kCatalogue);
    const Cost strict = *cost_of(op.name, shape, CostModel::kStrict);
    double most = 0;
    double least = HUGE_VAL;
    for (const std::string_view name : {"H20", "XPU-A"}) {
      const HardwareProfile& machine = **find_hardware(name);
      const double factor = speed_of_light(published, machine, CostModel::kCatalogue)->t_ns /
                            speed_of_light(strict, machine, CostModel::kStrict)->t_ns;
      most = std::max(most, factor);
      least = std::min(least, factor);
    }
    result.above.add(most);
    result.below.add(1 / least);
  }
  return result;
}

void expect_listed(std::string_view part, const Operator& op, const Difference& now) {
  const bool listed = part.find(fmt::format("\n| {} |", op.name)) != std::string_view::npos;
  EXPECT_EQ(listed, now.shapes > 0) << op.name;
  if (now.shapes == 0) return;
  const std::string row = fmt::format("\n| {} | {} of {} | {:.2f} |", op.name, now.shapes,
                                      op.shapes.size(), now.largest_factor);
  EXPECT_NE(part.find(row), std::string_view::npos) << row;
}

TEST(BoundsPage, has_the_differences_of_today) {
  const std::string page = testing::read_file(std::string(TACTUS_ROOT) + "/docs/bounds.md");
  const std::size_t middle = page.find("## Where the published bound is too low");
  ASSERT_NE(middle, std::string::npos);
  const Catalogue catalogue = built_in_catalogue();
  for (const Operator& op : catalogue.operators) {
    const Differences now = differences(op);
    expect_listed(std::string_view(page).substr(0, middle), op, now.above);
    expect_listed(std::string_view(page).substr(middle), op, now.below);
  }
}

}  // namespace
}  // namespace tactus
