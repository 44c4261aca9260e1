// Every published W and Q, where the figures are at hand.
#include "bounds/roofline/published_figures.h"

namespace tactus {
namespace {

using testing::cost_by;
using testing::PublishedFigures;

TEST_F(PublishedFigures, work_and_bytes_come_out_exactly) {
  const int shapes =
      for_each_shape([](const Operator& op, const Shape& shape, const Json& published) {
        const Cost cost = cost_by(CostModel::kCatalogue, op, shape);
        const Json& work = published.at("W");  // null for integer operators
        EXPECT_EQ(cost.flops(), work.is_null() ? 0 : work.get<double>());
        EXPECT_EQ(cost.read_bytes, published.at("Q_read").get<double>());
        EXPECT_EQ(cost.write_bytes, published.at("Q_write").get<double>());
      });
  EXPECT_GT(shapes, 0);
}

}  // namespace
}  // namespace tactus
