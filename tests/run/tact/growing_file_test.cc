#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "run/builder.h"
#include "run/event_view.h"
#include "run/tact/tact_file.h"
#include "support/files.h"

namespace tactus {
namespace {

using testing::TemporaryFolder;

/// Slices whose every value follows from their number; now and then a name and a thread that were
/// not there before.
class Recorder {
 public:
  Recorder(const std::string& path, unsigned threads)
      : writer_(std::move(*OutputFile::in_place(path, true)), threads) {
    builder_.begin_source("live", "kineto");
    shape_ = builder_.shape({{builder_.intern("n"), ValueType::kInt}});
    category_ = builder_.category("cpu_op");
  }

  RunWriter& writer() { return writer_; }

  bool commit(int slices) {
    const ThreadId thread =
        builder_.thread(builder_.process({.value = 1}), {.value = commits_ / 3});
    const TrackId track = builder_.track(thread, false);
    const StringId fresh = builder_.intern("commit " + std::to_string(commits_++));
    for (int i = 0; i < slices; ++i, ++written_) {
      const std::int64_t value = written_ * 2;
      const StringId name = i == 0 ? fresh : builder_.intern("op" + std::to_string(written_ % 9));
      builder_.run().slices.append(written_ * 10, written_ % 7, name, track.value, category_.value,
                                   shape_, std::span(&value, 1));
    }
    return bool(writer_.append_and_forget(builder_.run()));
  }

  std::int64_t written() const { return written_; }

 private:
  RunBuilder builder_;
  RunWriter writer_;
  ShapeId shape_;
  CategoryId category_;
  std::int64_t written_ = 0;
  std::int64_t commits_ = 0;
};

/// Checks that a run is what the recorder wrote, up to some slice; how many slices it has.
std::int64_t expect_prefix(const Run& run) {
  std::int64_t row = 0;
  for_each_event(run, run.slices, [&](const EventView& event) {
    EXPECT_EQ(event.start_ns, row * 10);
    EXPECT_EQ(event.dur_ns, row % 7);
    EXPECT_EQ(field_value(run, run.slices, event, 0).raw, row * 2);
    const std::string_view name = run.strings[event.name];
    EXPECT_TRUE(name.starts_with("commit ") || name == "op" + std::to_string(row % 9)) << name;
    ++row;
  });
  EXPECT_TRUE(run.status());
  EXPECT_EQ(static_cast<std::size_t>(row), run.slices.size());
  return row;
}

TEST(GrowingFile, cut_at_every_byte_it_is_a_prefix) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.tact");
  std::vector<std::pair<std::size_t, std::int64_t>> commits;  // bytes and slices after each
  {
    Recorder recorder(path, 1);
    for (const int slices : {5, 40, 1, 17}) {
      ASSERT_TRUE(recorder.commit(slices));
      commits.emplace_back(recorder.writer().bytes(), recorder.written());
    }
    ASSERT_TRUE(recorder.writer().finish());
  }
  const std::string whole = testing::read_file(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto run = open_run(folder.write("cut.tact", whole.substr(0, size)), 1);
    std::int64_t expected = 0;
    for (const auto& [bytes, slices] : commits) {
      if (bytes <= size) expected = slices;
    }
    ASSERT_EQ(bool(run), expected != 0) << size;
    if (!run) {
      EXPECT_EQ(run.error().code, ErrorCode::kInput);
      continue;
    }
    EXPECT_EQ(expect_prefix(*run), expected) << size;
    EXPECT_EQ(run->dropped.at("truncated_input"), 1U);
  }
  EXPECT_EQ(expect_prefix(*open_run(path, 1)), 63);
}

TEST(GrowingFile, a_commit_that_did_not_reach_the_disk_is_left_out_and_counted) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.tact");
  std::size_t second = 0;
  {
    Recorder recorder(path, 1);
    ASSERT_TRUE(recorder.commit(30));
    second = recorder.writer().bytes();
    ASSERT_TRUE(recorder.commit(20));
  }
  std::string bytes = testing::read_file(path);
  const std::string intact = bytes;
  // The length of the file was on disk, the last bytes were not.
  std::fill(bytes.end() - 40, bytes.end(), '\0');
  const auto run = open_run(folder.write("zeros.tact", bytes), 1);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(expect_prefix(*run), 30);
  EXPECT_EQ(run->dropped.at("lost_in_last_commit"), 20U);
  // All of the last commit is zeros.
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(second), bytes.end(), '\0');
  const auto again = open_run(folder.write("zeros.tact", bytes), 1);
  ASSERT_TRUE(again);
  EXPECT_EQ(expect_prefix(*again), 30);
  EXPECT_EQ(expect_prefix(*open_run(folder.write("good.tact", intact), 1)), 50);
}

/// TACTUS_KILLS sets the number, for a longer trial.
TEST(GrowingFile, a_killed_writer_leaves_a_prefix_with_every_commit_that_was_done) {
  const TemporaryFolder folder;
  const char* wanted = std::getenv("TACTUS_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 25;
  std::mt19937 random(7);
  int in_the_middle = 0;
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    const std::string path = folder.file("killed.tact");
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(ends[0]);
      Recorder recorder(path, 1);
      recorder.writer().sync_every(std::chrono::milliseconds(kill_number % 2 == 0 ? 0 : 200));
      for (;;) {
        if (!recorder.commit(700)) ::_exit(1);
        const std::int64_t done = recorder.written();
        if (::write(ends[1], &done, sizeof done) != sizeof done) ::_exit(1);
      }
    }
    ::close(ends[1]);
    std::int64_t done = 0;
    ASSERT_EQ(::read(ends[0], &done, sizeof done), static_cast<ssize_t>(sizeof done));
    ::usleep(static_cast<useconds_t>(random() % 4000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    for (std::int64_t more = 0; ::read(ends[0], &more, sizeof more) == sizeof more;) done = more;
    ::close(ends[0]);
    const auto run = open_run(path, 1);
    ASSERT_TRUE(run) << run.error().message;
    const std::int64_t kept = expect_prefix(*run);
    EXPECT_GE(kept, done);
    EXPECT_EQ(kept % 700, 0);
    in_the_middle += kept > done ? 1 : 0;
  }
  RecordProperty("kills", kills);
  RecordProperty("killed_between_commit_and_report", in_the_middle);
}

TEST(GrowingFile, a_follower_sees_each_commit_and_columns_that_it_read_grow) {
  const TemporaryFolder folder;
  const std::string path = folder.file("live.tact");
  Recorder recorder(path, 2);
  auto follower = RunFollower::open(path, 1);
  ASSERT_TRUE(follower) << follower.error().message;
  const auto nothing = follower->poll();
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(*nothing);
  for (const int slices : {3, 70'000, 1, 65'536}) {
    ASSERT_TRUE(recorder.commit(slices));
    const auto more = follower->poll();
    ASSERT_TRUE(more) << more.error().message;
    EXPECT_TRUE(*more);
    EXPECT_EQ(expect_prefix(follower->run()), recorder.written());
    EXPECT_FALSE(*follower->poll());
  }
  EXPECT_GE(follower->generation(), 4U);
  EXPECT_EQ(follower->run().threads.size(), 2U);
  EXPECT_FALSE(follower->is_finished());
  ASSERT_TRUE(recorder.writer().finish());
  ASSERT_TRUE(follower->poll());
  EXPECT_TRUE(follower->is_finished());
}

TEST(GrowingFile, a_follower_notices_that_its_file_was_replaced_or_cut) {
  const TemporaryFolder folder;
  const std::string path = folder.file("live.tact");
  Recorder recorder(path, 1);
  ASSERT_TRUE(recorder.commit(10));
  auto follower = RunFollower::open(path, 1);
  ASSERT_TRUE(follower);
  ASSERT_TRUE(follower->poll());
  Recorder other(path, 1);
  const auto replaced = follower->poll();
  ASSERT_FALSE(replaced);
  EXPECT_NE(replaced.error().message.find("replaced"), std::string::npos);

  ASSERT_TRUE(other.commit(10));
  auto second = RunFollower::open(path, 1);
  ASSERT_TRUE(second);
  ASSERT_TRUE(second->poll());
  std::filesystem::resize_file(path, 20);
  const auto cut = second->poll();
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().message.find("shorter"), std::string::npos);
}

TEST(GrowingFile, facts_are_written_once) {
  const TemporaryFolder folder;
  RunBuilder builder;
  builder.begin_source("live", "kineto");
  for (std::int64_t pid = 0; pid < 2000; ++pid) {
    builder.run().processes[builder.process({.value = pid}).value].name =
        builder.intern("worker " + std::to_string(pid * pid));
  }
  RunWriter writer(std::move(*OutputFile::in_place(folder.file("run.tact"), true)), 1);
  ASSERT_TRUE(writer.append_and_forget(builder.run()));
  const std::uint64_t first = writer.bytes();
  builder.run().processes[7].name = builder.intern("renamed");
  ASSERT_TRUE(writer.append_and_forget(builder.run()));
  EXPECT_LT((writer.bytes() - first) * 20, first);
  ASSERT_TRUE(writer.finish());
  const auto run = open_run(folder.file("run.tact"), 1);
  ASSERT_TRUE(run);
  ASSERT_EQ(run->processes.size(), 2000U);
  EXPECT_EQ(run->strings[run->processes[7].name], "renamed");
  EXPECT_EQ(run->strings[run->processes[8].name], "worker 64");
}

}  // namespace
}  // namespace tactus
