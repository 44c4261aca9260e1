#include "sources/perf_data/cases.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/files.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

void add_file(const TemporaryFolder& folder, const std::string& path) {
  fs::create_directories((folder.path() / path).parent_path());
  folder.write(path, "cycle\n");
}

TEST(Cases, are_found_in_a_folder_of_cases_and_named_from_above_it) {
  const TemporaryFolder folder;
  add_file(folder, "Runs/B/normal_perf_data/r_perf_data.csv");
  add_file(folder, "Runs/B/abnormal_perf_data/r_perf_data.csv");
  add_file(folder, "Runs/A/x/normal_perf_data/r_perf_data.csv");
  add_file(folder, "Runs/A/x/normal_perf_data/r_counters_data.csv");
  add_file(folder, "Runs/A/x/abnormal_perf_data/s_perf_data.csv");
  add_file(folder, "Runs/C/normal_perf_data/r_perf_data.csv");
  const auto cases = perf_data::find_cases(folder.file("Runs"));
  ASSERT_TRUE(cases);
  ASSERT_EQ(cases->size(), 2U);
  EXPECT_EQ((*cases)[0].identifier, "Runs/A/x");
  EXPECT_EQ((*cases)[0].normal.size(), 1U);
  EXPECT_EQ((*cases)[1].identifier, "Runs/B");
}

TEST(Cases, may_be_given_themselves_however_the_path_is_written) {
  const TemporaryFolder folder;
  add_file(folder, "case/normal_perf_data/r_perf_data.csv");
  add_file(folder, "case/abnormal_perf_data/r_perf_data.csv");
  for (const char* path : {"case", "case/", "case/.", "./case//", "case/normal_perf_data"}) {
    const auto cases = perf_data::find_cases(folder.file(path));
    ASSERT_TRUE(cases) << path;
    EXPECT_EQ((*cases)[0].identifier, "case") << path;
  }
}

TEST(Cases, that_are_not_there_are_an_error_that_says_what_to_give) {
  const TemporaryFolder folder;
  const auto cases = perf_data::find_cases(folder.path().string());
  ASSERT_FALSE(cases);
  EXPECT_NE(cases.error().message.find("normal_perf_data"), std::string::npos);
  EXPECT_FALSE(perf_data::find_cases(folder.file("nowhere")));
}

}  // namespace
}  // namespace tactus
