#include "measure/counter_values.h"

#include <gtest/gtest.h>

#include "run/builder.h"

namespace tactus {
namespace {

class OneStep : public Measurement {
 public:
  OneStep() {
    ranks.emplace_back();
    ranks[0].steps.push_back({.start_ns = 0, .end_ns = 2000});
  }
  FunctionCosts functions(std::size_t) const override { return {}; }
};

/// A run with one sample per name, at 1 us, and a step around it.
std::vector<CounterValues> values_of(const std::vector<std::string>& names) {
  RunBuilder builder;
  builder.begin_source("hand.csv", "counters");
  double value = 1;
  for (const std::string& name : names) {
    const SeriesId series = builder.series({.source = builder.source_id(),
                                            .process = {},
                                            .name = builder.intern(name),
                                            .field = StringId(0),
                                            .category = StringId(0),
                                            .place = builder.intern("Host"),
                                            .unit = builder.intern("%")});
    builder.run().counters.append(
        {1000, series.value, Decimal::from_text(std::to_string(value++), builder.run().strings)});
  }
  const auto run = builder.finish();
  return counter_values(run, OneStep()).values;
}

TEST(CounterValues, what_others_use_is_what_all_use_without_the_own_part) {
  // 1, 2 and 3 in this order.
  const auto values = values_of({"process_gpu_usage", "gpu_mem_used", "gpu_usage"});
  ASSERT_EQ(values.size(), 4U);
  EXPECT_EQ(values.back().counter, "gpu_foreign_usage");
  EXPECT_EQ(values.back().values, std::vector<double>{2});
  for (const CounterValues& counter :
       values_of({"gpu_usage", "process_gpu_usage", "gpu_foreign_usage"})) {
    if (counter.counter == "gpu_foreign_usage") {
      EXPECT_EQ(counter.values, std::vector<double>{3}) << "it was recorded";
    }
  }
}

TEST(CounterValues, parts_of_a_sum_are_not_counted_beside_it) {
  const auto values = values_of({"process_cpu_usage_12", "process_cpu_usage", "host_cpu_usage"});
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].counter, "host_cpu_usage");
  EXPECT_EQ(values[1].counter, "process_cpu_usage");
  EXPECT_EQ(values[1].values, (std::vector<double>{2}));
}

TEST(CounterValues, without_a_sum_each_process_counts) {
  EXPECT_EQ(values_of({"process_cpu_usage_12", "process_cpu_usage_13"}).size(), 2U);
}

}  // namespace
}  // namespace tactus
