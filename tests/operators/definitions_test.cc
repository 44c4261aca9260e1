// What holds for every operator whatever it computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "catalogue/catalogue.h"
#include "operators/definitions/groups.h"
#include "support/trial.h"

namespace tactus::testing {
namespace {

std::vector<const OperatorDefinition*> defined() {
  std::vector<const OperatorDefinition*> all;
  for (const auto group : {norm_definitions(), quantisation_definitions(),
                           elementwise_definitions(), rope_definitions(), routing_definitions()}) {
    for (const OperatorDefinition& definition : group) all.push_back(&definition);
  }
  return all;
}

/// The first shape of the catalogue, with no more than 37 rows.
ShapeParameters small_shape(const Catalogue& catalogue, const OperatorDefinition& definition) {
  const Operator* op = *find_operator(catalogue, definition.name);
  ShapeParameters shape = op->shapes.front().parameters;
  for (auto& [name, value] : shape.values) {
    if (name == "tokens" || name == "rows") value = std::min<std::int64_t>(value, 37);
  }
  return shape;
}

bool same_bytes(const HostTensors& a, const HostTensors& b) {
  const auto same = [](const std::vector<HostTensor>& x, const std::vector<HostTensor>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto bytes = static_cast<std::size_t>(x[i].spec->bytes());
      if (std::memcmp(x[i].data, y[i].data, bytes) != 0) return false;
    }
    return true;
  };
  return same(a.inputs, b.inputs) && same(a.outputs, b.outputs);
}

TEST(Definitions, make_a_problem_of_every_shape_of_the_catalogue) {
  const Catalogue catalogue = built_in_catalogue();
  std::set<std::string_view> names;
  for (const OperatorDefinition* definition : defined()) {
    EXPECT_TRUE(names.insert(definition->name).second) << definition->name << " twice";
    const Result<const Operator*> op = find_operator(catalogue, definition->name);
    ASSERT_TRUE(op) << op.error().message;
    for (const Shape& shape : (*op)->shapes) {
      const Result<Problem> problem = make_problem(*definition, shape.parameters);
      ASSERT_TRUE(problem) << problem.error().message;
      EXPECT_GT(definition->units(*problem), 0);
      EXPECT_GT(definition->unit_work(*problem), 0);
      EXPECT_FALSE(problem->outputs.empty());
    }
  }
}

TEST(Definitions, say_which_parameter_a_shape_lacks) {
  for (const OperatorDefinition* definition : defined()) {
    const Result<Problem> problem = make_problem(*definition, {});
    ASSERT_FALSE(problem);
    EXPECT_NE(problem.error().message.find(" of at least 1"), std::string::npos);
  }
}

TEST(Definitions, refuse_sizes_that_nothing_can_hold) {
  for (const OperatorDefinition* definition : defined()) {
    ShapeParameters shape;
    for (const std::string_view name : definition->shape_parameters) {
      shape.values.emplace_back(name, 1 << 30);
    }
    EXPECT_FALSE(make_problem(*definition, shape)) << definition->name;
  }
}

TEST(Definitions, accept_what_they_expect_and_refuse_what_was_not_written) {
  const Catalogue catalogue = built_in_catalogue();
  for (const OperatorDefinition* definition : defined()) {
    const ShapeParameters shape = small_shape(catalogue, *definition);
    const Trial trial(*definition, shape.values, 3, shape.dtype);
    if (definition->judged_by_also == 0) {
      EXPECT_EQ(trial.wrong_if_as_expected(), "") << definition->name;
    }
    EXPECT_NE(trial.wrong([](const Problem&, const HostTensors&) {}), "") << definition->name;
    EXPECT_NE(trial.wrong([](const Problem&, const HostTensors& tensors) {
      for (const HostTensor& output : tensors.outputs) {
        std::memset(output.data, 0, static_cast<std::size_t>(output.spec->bytes()));
      }
    }),
              "")
        << definition->name << " takes zeros";
  }
}

TEST(Definitions, draw_the_same_of_a_seed_with_any_number_of_threads) {
  const Catalogue catalogue = built_in_catalogue();
  for (const OperatorDefinition* definition : defined()) {
    const Result<Problem> problem = make_problem(*definition, small_shape(catalogue, *definition));
    ASSERT_TRUE(problem);
    const TensorMemory first(*problem);
    const TensorMemory second(*problem);
    draw_tensors(*definition, *problem, first.tensors(), 7, 1);
    draw_tensors(*definition, *problem, second.tensors(), 7, 3);
    EXPECT_TRUE(same_bytes(first.tensors(), second.tensors())) << definition->name;
    draw_tensors(*definition, *problem, second.tensors(), 8, 1);
    EXPECT_FALSE(same_bytes(first.tensors(), second.tensors())) << definition->name;
  }
}

TEST(Definitions, expect_every_number_of_every_output_once) {
  const Catalogue catalogue = built_in_catalogue();
  for (const OperatorDefinition* definition : defined()) {
    if (definition->name == "moe_align_block_size") continue;  // its length is in its data
    const ShapeParameters shape = small_shape(catalogue, *definition);
    const Trial trial(*definition, shape.values, 3, shape.dtype);
    std::vector<std::vector<int>> times;
    for (const TensorSpec& output : trial.problem().outputs) {
      times.emplace_back(static_cast<std::size_t>(output.elements()));
    }
    for (std::int64_t unit = 0; unit < definition->units(trial.problem()); ++unit) {
      Expected expected;
      definition->expect(trial.problem(), trial.before(), unit, expected);
      for (const ExpectedRun& run : expected) {
        EXPECT_EQ(run.values.size(), run.slack.size()) << definition->name;
        for (std::size_t i = 0; i < run.values.size(); ++i) {
          ++times.at(run.output).at(static_cast<std::size_t>(run.first) + i);
        }
      }
    }
    for (std::size_t output = 0; output < times.size(); ++output) {
      if (definition->judged_by_also >> output & 1) continue;
      for (const int count : times[output]) ASSERT_EQ(count, 1) << definition->name;
    }
  }
}

}  // namespace
}  // namespace tactus::testing
