// The results in data/baselines are whole: every published shape, with a time of somebody.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "bench/bench.h"
#include "bounds/roofline/baseline.h"
#include "support/files.h"
#include "support/paths.h"
#include "support/published_catalogue.h"

namespace tactus {
namespace {

TEST(CommittedBaseline, has_a_time_for_every_published_shape_and_is_read_as_a_baseline) {
  const std::string path = std::string(TACTUS_ROOT) + "/data/baselines/h200.json";
  const std::string text = testing::read_file(path);
  const Result<BenchResult> result = read_bench_result(text, path);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->machine.driver.empty());
  EXPECT_FALSE(result->machine.date.empty());
  std::set<std::pair<std::string, std::string>> timed;
  for (const BenchRow& row : result->rows) {
    if (row.t_ns || row.rival) timed.insert({row.operator_name, row.shape_id});
    if (row.s) {
      EXPECT_LE(*row.s, 1) << row.operator_name << " " << row.shape_id;
    }
  }
  for (const Operator& op : testing::published_catalogue().operators) {
    for (const Shape& shape : op.shapes) {
      EXPECT_TRUE(timed.contains({op.name, shape.id})) << op.name << " " << shape.id;
    }
  }
  const Result<std::vector<BaselineTime>> times = read_baseline(text, path);
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(times->size(), timed.size());
}

TEST(CommittedBaseline, is_what_the_page_shows) {
  if (std::system("python3 -c '' > /dev/null 2>&1") != 0) GTEST_SKIP() << "needs python3";
  const testing::TemporaryFolder folder;
  const std::string root = TACTUS_ROOT;
  const std::string command = "TACTUS='" TACTUS_TOOL "' '" + root + "/scripts/baseline-page' '" +
                              root + "/data/baselines' '" + folder.path().string() +
                              "' > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(testing::read_file(folder.file("baselines.md")),
            testing::read_file(root + "/docs/baselines.md"))
      << "run scripts/baseline-page";
}

}  // namespace
}  // namespace tactus
