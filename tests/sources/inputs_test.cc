#include "sources/inputs.h"

#include <gtest/gtest.h>

#include "sources/sources.h"
#include "support/files.h"

namespace tactus {
namespace {

constexpr std::string_view kTrace =
    R"([{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":1,"ts":1,"dur":1}])";

Result<Imported> import_path(const std::string& path, std::vector<std::string> captures = {}) {
  NoProgress progress;
  return import_run({.inputs = {path}, .captures = std::move(captures)}, progress);
}

TEST(Inputs, take_the_capture_beside_a_trace) {
  const testing::TemporaryFolder folder;
  const std::string trace = folder.write("a.json", kTrace);
  folder.write("a.capture.json", kTrace);
  const Result<Imported> imported = import_path(trace);
  ASSERT_TRUE(imported) << imported.error().message;
  ASSERT_EQ(imported->run.sources.size(), 2u);
  EXPECT_TRUE(imported->run.sources[1].is_capture);
  EXPECT_EQ(imported->run.own_slices(), 1u);
}

TEST(Inputs, take_the_capture_that_is_given_and_no_other) {
  const testing::TemporaryFolder folder;
  const std::string trace = folder.write("a.json", kTrace);
  folder.write("a.capture.json", kTrace);
  const Result<Imported> imported = import_path(trace, {folder.write("other.json", kTrace)});
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->run.sources.size(), 2u);
}

TEST(Inputs, an_empty_file_that_is_only_found_beside_a_trace_is_left_out_with_a_warning) {
  const testing::TemporaryFolder folder;
  const std::string trace = folder.write("a.json", kTrace);
  const std::string counters = folder.write("a.counters.csv", "");
  const Result<Imported> imported = import_path(trace);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->run.sources.size(), 1u);
  ASSERT_EQ(imported->run.warnings.size(), 1u);
  EXPECT_NE(imported->run.warnings[0].find("a.counters.csv: is empty"), std::string::npos);
  NoProgress progress;
  EXPECT_FALSE(import_run({.inputs = {trace}, .counters = {counters}}, progress));
}

TEST(Inputs, a_capture_in_a_folder_is_not_a_rank) {
  const testing::TemporaryFolder folder;
  folder.write("a.json", kTrace);
  folder.write("a.capture.json", kTrace);
  folder.write("b.capture.json", kTrace);  // there is no b.json, so it is a trace as any other
  const Result<std::vector<Input>> inputs = expand_folders({folder.path().string()});
  ASSERT_TRUE(inputs);
  ASSERT_EQ(inputs->size(), 2u);
  EXPECT_TRUE((*inputs)[0].path.ends_with("a.json"));
  EXPECT_TRUE((*inputs)[1].path.ends_with("b.capture.json"));
}

TEST(Inputs, a_folder_of_jax_stands_for_its_newest_recording) {
  const testing::TemporaryFolder folder;
  const auto profile = folder.path() / "plugins" / "profile";
  for (const char* date : {"2026_11_15_09_00_00", "2026_11_16_09_00_00"}) {
    std::filesystem::create_directories(profile / date);
    folder.write("plugins/profile/" + std::string(date) + "/host.trace.json.gz", kTrace);
    folder.write("plugins/profile/" + std::string(date) + "/perfetto_trace.json.gz", kTrace);
  }
  const Result<std::vector<Input>> inputs = expand_folders({folder.path().string()});
  ASSERT_TRUE(inputs) << inputs.error().message;
  ASSERT_EQ(inputs->size(), 1u);
  EXPECT_TRUE((*inputs)[0].path.ends_with("2026_11_16_09_00_00/host.trace.json.gz"));
}

TEST(Inputs, reports_of_nsight_name_the_command_that_exports_them) {
  const testing::TemporaryFolder folder;
  const Result<Imported> imported = import_path(folder.write("run.nsys-rep", "report"));
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().code, ErrorCode::kInput);
  const std::string path = folder.file("run");
  EXPECT_EQ(imported.error().message, path +
                                          ".nsys-rep: is a report of Nsight Systems; export it: "
                                          "nsys export --type sqlite " +
                                          path + ".nsys-rep, then give " + path + ".sqlite");
  EXPECT_NE(advice_for_report("a.qdrep", "").find("a.sqlite"), std::string::npos);
  EXPECT_NE(advice_for_report("a", std::string_view("NVR\0x", 5)).find("Nsight Compute"),
            std::string::npos);
  EXPECT_EQ(advice_for_report("a.json", "{"), "");
}

}  // namespace
}  // namespace tactus
