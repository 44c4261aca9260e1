#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/new_name.h"
#include "support/files.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using testing::read_file;
using testing::TemporaryFolder;

/// The names in a folder, sorted.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

using Names = std::vector<std::string>;

Status write_whole(const std::string& path, std::string_view text, bool overwrite) {
  Result<OutputFile> file = OutputFile::create(path, overwrite);
  if (!file) return file.error();
  if (Status written = file->write(text); !written) return written;
  return file->commit();
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(OutputFile, has_its_name_only_when_it_is_whole) {
  const TemporaryFolder folder;
  Result<OutputFile> file = OutputFile::create(folder.file("a"), false);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("text"));
  EXPECT_FALSE(fs::exists(folder.file("a")));
  EXPECT_EQ(read_file(file->temporary_path()), "text");
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read_file(folder.file("a")), "text");
  EXPECT_EQ(names_in(folder.path()), Names{"a"});
}

TEST(OutputFile, leaves_nothing_if_it_is_given_up) {
  const TemporaryFolder folder;
  {
    Result<OutputFile> file = OutputFile::create(folder.file("a"), false);
    ASSERT_TRUE(file);
    const OutputFile moved = std::move(*file);
    EXPECT_EQ(names_in(folder.path()).size(), 1U);
  }
  EXPECT_EQ(names_in(folder.path()), Names{});
}

TEST(OutputFile, goes_to_a_new_temporary_file_each_time) {
  const TemporaryFolder folder;
  Result<OutputFile> one = OutputFile::create(folder.file("a"), false);
  Result<OutputFile> two = OutputFile::create(folder.file("a"), false);
  ASSERT_TRUE(one);
  ASSERT_TRUE(two);
  EXPECT_NE(one->temporary_path(), two->temporary_path());
}

TEST(OutputFile, may_have_the_longest_name_that_a_file_can_have) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_whole(folder.file(std::string(255, 'n')), "x", false));
  EXPECT_EQ(names_in(folder.path()), Names{std::string(255, 'n')});
}

TEST(OutputFile, replaces_a_file_only_if_that_is_allowed) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "old");
  const Status refused = write_whole(path, "new", false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_EQ(read_file(path), "old");
  ASSERT_TRUE(write_whole(path, "new", true));
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(names_in(folder.path()), Names{"a"});
}

TEST(OutputFile, does_not_replace_a_file_that_appeared_while_it_was_written) {
  const TemporaryFolder folder;
  Result<OutputFile> slow = OutputFile::create(folder.file("a"), false);
  ASSERT_TRUE(slow);
  ASSERT_TRUE(write_whole(folder.file("a"), "first", false));
  const Status refused = slow->commit();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_NE(refused.error().message.find("exists already"), std::string::npos);
  EXPECT_EQ(read_file(folder.file("a")), "first");
}

TEST(OutputFile, keeps_the_permissions_of_what_it_replaces) {
  const TemporaryFolder folder;
  for (const mode_t mode : {0600U, 0640U, 0444U, 0777U}) {
    const std::string path = folder.write("a", "old");
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    ASSERT_TRUE(write_whole(path, "new", true));
    EXPECT_EQ(mode_of(path), mode);
    fs::remove(path);
  }
  const mode_t mask = ::umask(027);
  ASSERT_TRUE(write_whole(folder.file("fresh"), "new", true));
  ::umask(mask);
  EXPECT_EQ(mode_of(folder.file("fresh")), 0640U);
}

TEST(OutputFile, replaces_what_a_symbolic_link_names_and_keeps_the_link) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("far"));
  const std::string target = folder.write("far/target", "old");
  ASSERT_EQ(::chmod(target.c_str(), 0600), 0);
  fs::create_symlink("far/target", folder.file("link"));
  EXPECT_FALSE(write_whole(folder.file("link"), "new", false));
  ASSERT_TRUE(write_whole(folder.file("link"), "new", true));
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(read_file(target), "new");
  EXPECT_EQ(mode_of(target), 0600U);
  EXPECT_EQ(names_in(folder.file("far")), Names{"target"});
}

TEST(OutputFile, refuses_a_symbolic_link_to_nothing) {
  const TemporaryFolder folder;
  fs::create_symlink(folder.file("nowhere"), folder.file("link"));
  for (const bool overwrite : {false, true}) {
    const Status refused = write_whole(folder.file("link"), "new", overwrite);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  }
  EXPECT_EQ(names_in(folder.path()), Names{"link"});
}

TEST(OutputFile, goes_straight_to_a_device) {
  Result<OutputFile> file = OutputFile::create("/dev/null", false);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->temporary_path().empty());
  ASSERT_TRUE(file->write("text"));
  EXPECT_TRUE(file->commit());
}

TEST(OutputFile, that_grows_in_place_starts_anew_only_if_that_is_allowed) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "old");
  EXPECT_FALSE(OutputFile::in_place(path, false));
  Result<OutputFile> file = OutputFile::in_place(path, true);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("new"));
  ASSERT_TRUE(file->sync());
  EXPECT_EQ(read_file(path), "new");
}

/// Each way to take a new name must leave a file that is there alone.
class NewName : public ::testing::TestWithParam<int (*)(const std::string&, const std::string&)> {};

TEST_P(NewName, is_taken_by_one_file_only) {
  const TemporaryFolder folder;
  const std::string one = folder.write("one", "1");
  const std::string two = folder.write("two", "2");
  const std::string name = folder.file("name");
  EXPECT_EQ(GetParam()(one, name), 0);
  EXPECT_EQ(GetParam()(two, name), EEXIST);
  EXPECT_EQ(read_file(name), "1");
  EXPECT_EQ(names_in(folder.path()), (Names{"name", "two"}));
  EXPECT_EQ(GetParam()(folder.file("missing"), folder.file("other")), ENOENT);
  EXPECT_EQ(names_in(folder.path()), (Names{"name", "two"}));
}

INSTANTIATE_TEST_SUITE_P(EachWay, NewName,
                         ::testing::Values(&rename_to_new_name, &link_to_new_name, &claim_new_name,
                                           &move_to_new_name));

}  // namespace
}  // namespace tactus
