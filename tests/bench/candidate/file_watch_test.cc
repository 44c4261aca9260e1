#include "bench/candidate/file_watch.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>

#include "support/files.h"

namespace tactus::testing {
namespace {

namespace fs = std::filesystem;

/// True if the watch has something to take.
bool has_event(const FileWatch& watch) {
  struct pollfd events {
    .fd = watch.descriptor(), .events = POLLIN, .revents = 0
  };
  return ::poll(&events, 1, 2000) > 0;
}

class FileWatchTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_.write("mine.cpp", "int a;");
  Result<FileWatch> watch_ = FileWatch::start(path_);

  bool changed() {
    const Result<bool> change = watch_->take_change();
    EXPECT_TRUE(change);
    return change && *change;
  }
};

TEST_F(FileWatchTest, sees_a_file_that_is_written) {
  EXPECT_FALSE(changed());
  folder_.write("mine.cpp", "int b;");
  EXPECT_TRUE(has_event(*watch_));
  EXPECT_TRUE(changed());
  EXPECT_FALSE(changed()) << "once";
}

TEST_F(FileWatchTest, sees_a_file_that_an_editor_renames_into_place) {
  fs::rename(path_, folder_.file("mine.cpp~"));
  EXPECT_FALSE(changed()) << "it is away for a moment";
  fs::rename(folder_.write(".mine.cpp.new", "int b;"), path_);
  EXPECT_TRUE(has_event(*watch_));
  EXPECT_TRUE(changed());
  folder_.write("mine.cpp", "int c;");
  EXPECT_TRUE(changed()) << "and the file that took its place";
}

TEST_F(FileWatchTest, sees_headers_beside_it_and_no_other_files) {
  folder_.write("mine.h", "int h;");
  EXPECT_TRUE(changed());
  folder_.write("notes.txt", "x");
  EXPECT_FALSE(changed());
}

TEST_F(FileWatchTest, does_not_care_for_a_file_that_is_written_with_the_same_contents) {
  folder_.write("mine.cpp", "int a;");
  EXPECT_TRUE(has_event(*watch_));
  EXPECT_FALSE(changed());
}

TEST_F(FileWatchTest, sees_the_target_of_a_link) {
  const TemporaryFolder other;
  fs::create_symlink(path_, other.file("link.cpp"));
  Result<FileWatch> watch = FileWatch::start(other.file("link.cpp"));
  ASSERT_TRUE(watch);
  folder_.write("mine.cpp", "int b;");
  EXPECT_TRUE(has_event(*watch));
  EXPECT_TRUE(*watch->take_change());
}

TEST_F(FileWatchTest, says_that_the_folder_is_gone) {
  fs::create_directory(folder_.path() / "inner");
  const std::string path = folder_.write("inner/mine.cpp", "int a;");
  Result<FileWatch> watch = FileWatch::start(path);
  ASSERT_TRUE(watch);
  fs::remove_all(folder_.path() / "inner");
  const Result<bool> change = watch->take_change();
  ASSERT_FALSE(change);
  EXPECT_NE(change.error().message.find("is gone"), std::string::npos);
}

TEST(FileWatch, needs_a_file) {
  EXPECT_FALSE(FileWatch::start("/nowhere/mine.cpp"));
}

}  // namespace
}  // namespace tactus::testing
