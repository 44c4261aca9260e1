#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/json.h"
#include "bounds/costs/cost.h"
#include "catalogue/catalogue.h"
#include "support/files.h"

namespace tactus::testing {

/// Our catalogue beside the figures that were published with it; skips where they are not at hand.
class PublishedFigures : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto operators = shared_file("data/operators/operators.json");
    if (!operators) {
      GTEST_SKIP() << "the shared folder with the published figures is not here (TACTUS_SHARED)";
    }
    published_ = Json::parse(read_file(*operators));
  }

  /// Calls `look(operator, our shape, published shape)` for all of them.
  template <class Look>
  int for_each_shape(Look look) {
    int shapes = 0;
    for (const Json& op : published_) {
      const Result<const Operator*> ours =
          find_operator(catalogue_, op.at("name").get<std::string>());
      EXPECT_TRUE(ours);
      for (const Json& shape : op.at("shapes")) {
        const std::string id = std::to_string(shape.at("id").get<int>());
        const Result<const Shape*> our_shape = find_shape(**ours, id);
        EXPECT_TRUE(our_shape) << id;
        SCOPED_TRACE((*ours)->name + "/" + id);
        look(**ours, **our_shape, shape);
        ++shapes;
      }
    }
    return shapes;
  }

  Catalogue catalogue_ = built_in_catalogue();
  Json published_;
};

inline Cost cost_by(CostModel model, const Operator& op, const Shape& shape) {
  Result<Cost> cost = cost_of(op.name, shape, model);
  EXPECT_TRUE(cost) << cost.error().message;
  return cost ? *cost : Cost{};
}

}  // namespace tactus::testing
