#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include "sources/nsys/database_fixture.h"

namespace tactus::nsys {
namespace {

constexpr std::string_view kWhatToDo = "nsys export --type sqlite";

/// A database of 1000 kernels and, behind them, 4000 calls, as bytes.
std::string some_database() {
  TestDatabase database;
  database.texts({"kernel", "cudaLaunchKernel_v7000"});
  database.kernels();
  database.calls();
  const auto up_to = [](const std::string& last) {
    return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + last + ")";
  };
  database.run(up_to("1000") +
               "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId,"
               " correlationId, demangledName) SELECT i * 10, i * 10 + 5, 0, 7, i, 1 FROM n");
  database.run(up_to("4000") +
               "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid,"
               " correlationId, nameId) SELECT i * 10 - 5, i * 10, 0, 1, i, 2 FROM n");
  return testing::read_file(database.path());
}

TEST(NsysDatabase, that_is_none_says_what_to_do) {
  const testing::TemporaryFolder folder;
  const std::string zeros(4000, '\0');
  const std::string inputs[] = {"",
                                "SQLite",
                                "{\"traceEvents\":[]}",
                                zeros,
                                std::string("SQLite format 3\0", 16),
                                std::string("SQLite format 3\0", 16) + zeros};
  for (const std::string& bytes : inputs) {
    const std::string path = folder.write("none.sqlite", bytes);
    const std::string error = import_error(path);
    EXPECT_NE(error.find(path), std::string::npos) << error;
    EXPECT_NE(error.find(kWhatToDo), std::string::npos) << error;
  }
  EXPECT_NE(import_error(folder.file("missing.sqlite")).find("missing.sqlite"), std::string::npos);
  EXPECT_FALSE(import_error(folder.path().string()).empty());
}

TEST(NsysDatabase, without_tables_of_nsight_systems_says_what_to_do) {
  TestDatabase empty;
  empty.run("VACUUM");
  EXPECT_NE(import_error(empty.path()).find(kWhatToDo), std::string::npos);
  TestDatabase other;
  other.run("CREATE TABLE people (name TEXT, start INTEGER)");
  EXPECT_NE(import_error(other.path()).find(kWhatToDo), std::string::npos);
}

TEST(NsysDatabase, that_was_cut_off_keeps_what_is_there) {
  const std::string whole = some_database();
  const testing::TemporaryFolder folder;
  const tactus::Run run = import(folder.write("half.sqlite", whole.substr(0, whole.size() / 2)));
  ASSERT_GE(run.slices.size(), 1000U) << "the kernels lie in the first half";
  EXPECT_LT(run.slices.size(), 5000U);
  EXPECT_EQ(name(run, run.slices, 0), "kernel");
  EXPECT_EQ(run.slices.dur()[0], 5);
  EXPECT_EQ(run.dropped.at("truncated_input"), 1U);
  ASSERT_EQ(run.warnings.size(), 1U);
  EXPECT_NE(run.warnings[0].find("half.sqlite"), std::string::npos);
  EXPECT_NE(run.warnings[0].find("CUPTI_ACTIVITY_KIND_RUNTIME"), std::string::npos);
  EXPECT_NE(run.warnings[0].find(kWhatToDo), std::string::npos);
}

TEST(NsysDatabase, that_was_cut_off_anywhere_is_an_error_or_a_warning) {
  const std::string whole = some_database();
  const testing::TemporaryFolder folder;
  std::size_t most = 0;
  for (std::size_t size = 0; size < whole.size(); size += 1111) {
    const std::string path = folder.write("cut.sqlite", whole.substr(0, size));
    RunBuilder builder;
    NoProgress progress;
    const Status imported = import_database(path, builder, progress);
    if (!imported) {
      EXPECT_EQ(imported.error().code, ErrorCode::kInput);
      EXPECT_EQ(most, 0U) << "what can be read of less can be read of more";
      continue;
    }
    const tactus::Run run = builder.finish();
    EXPECT_EQ(run.dropped.count("truncated_input"), 1U) << size;
    EXPECT_GE(run.slices.size(), most) << size;
    most = run.slices.size();
  }
  EXPECT_GT(most, 4000U);
}

TEST(NsysDatabase, with_a_damaged_page_keeps_the_rows_before_it) {
  std::string bytes = some_database();
  const std::size_t middle = bytes.size() / 10 / 512 * 512;
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(middle), 512, '\xEE');
  const testing::TemporaryFolder folder;
  const tactus::Run run = import(folder.write("hole.sqlite", bytes));
  EXPECT_GE(run.slices.size(), 4000U) << "the calls are not touched";
  EXPECT_LT(run.slices.size(), 5000U);
  EXPECT_EQ(run.dropped, (Tally{{"truncated_input", 1}}));
}

TEST(NsysDatabase, with_random_damage_never_breaks_the_reader) {
  const std::string whole = some_database();
  const testing::TemporaryFolder folder;
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 1 + round % 50; ++i) {
      // The first pages hold the schema, which is the most interesting to damage.
      const std::size_t range = round % 2 == 0 ? 4096 : bytes.size();
      bytes[16 + random() % (range - 16)] = static_cast<char>(random());
    }
    RunBuilder builder;
    NoProgress progress;
    const Status imported =
        import_database(folder.write("damaged.sqlite", bytes), builder, progress);
    if (imported) {
      EXPECT_LE(builder.finish().slices.size(), 100'000U);
    } else {
      EXPECT_FALSE(imported.error().message.empty());
    }
  }
}

/// Names and bytes of the files in a folder.
std::map<std::string, std::string> files_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files[entry.path().filename().string()] = testing::read_file(entry.path().string());
  }
  return files;
}

/// A copy of a database whose second kernel is in the file "-wal" only.
void copy_with_log(const testing::TemporaryFolder& folder) {
  TestDatabase database;
  database.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
  database.texts({"kernel"});
  database.kernels();
  database.add_kernel(10, 15);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.add_kernel(20, 26);
  const std::string path = database.folder().file("report.sqlite");
  folder.write("report.sqlite", testing::read_file(path));
  folder.write("report.sqlite-wal", testing::read_file(path + "-wal"));
}

TEST(NsysDatabase, is_read_with_the_changes_in_its_wal_file) {
  const testing::TemporaryFolder folder;
  copy_with_log(folder);
  const auto before = files_in(folder.path());
  ASSERT_FALSE(before.at("report.sqlite-wal").empty());
  const tactus::Run run = import(folder.file("report.sqlite"));
  ASSERT_EQ(run.slices.size(), 2U);
  EXPECT_EQ(run.slices.dur()[1], 6);
  EXPECT_TRUE(run.warnings.empty());
  EXPECT_EQ(files_in(folder.path()), before) << "nothing is written";
}

TEST(NsysDatabase, behind_a_link_is_read_with_its_wal_file) {
  const testing::TemporaryFolder folder;
  const testing::TemporaryFolder elsewhere;
  copy_with_log(folder);
  std::filesystem::create_symlink(folder.file("report.sqlite"), elsewhere.file("link.sqlite"));
  EXPECT_EQ(import(elsewhere.file("link.sqlite")).slices.size(), 2U);
}

TEST(NsysDatabase, ignores_a_wal_file_without_changes) {
  TestDatabase database;
  database.texts({"kernel"});
  database.kernels();
  database.add_kernel(10, 15);
  const std::string path = database.path();
  for (const std::string& log : {std::string(), std::string("not a log"), std::string(5000, 'x')}) {
    database.folder().write("report.sqlite-wal", log);
    const tactus::Run run = import(path);
    EXPECT_EQ(run.slices.size(), 1U);
    EXPECT_TRUE(run.warnings.empty());
    EXPECT_EQ(testing::read_file(path + "-wal"), log);
  }
}

TEST(NsysDatabase, whose_change_is_half_done_is_read_with_a_warning) {
  TestDatabase database;
  database.texts({"kernel"});
  database.kernels();
  database.add_kernel(10, 15);
  const std::string path = database.path();
  database.folder().write("report.sqlite-journal", std::string(512, '\0'));
  EXPECT_TRUE(import(path).warnings.empty()) << "zeros: the change was finished";

  const std::string journal = "\xD9\xD5\x05\xF9\x20\xA1\x63\xD7" + std::string(504, '\0');
  database.folder().write("report.sqlite-journal", journal);
  const tactus::Run run = import(path);
  EXPECT_EQ(run.slices.size(), 1U);
  EXPECT_EQ(run.dropped.at("truncated_input"), 1U);
  ASSERT_EQ(run.warnings.size(), 1U);
  EXPECT_NE(run.warnings[0].find("report.sqlite-journal"), std::string::npos) << run.warnings[0];
  EXPECT_NE(run.warnings[0].find(kWhatToDo), std::string::npos) << run.warnings[0];
  EXPECT_EQ(testing::read_file(path + "-journal"), journal);
}

}  // namespace
}  // namespace tactus::nsys
