#include "watch/keep/pid_source.h"

#include <unistd.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

#include "record/session/session.h"
#include "run/tact/tact_file.h"
#include "watch/sources/growing_run.h"

namespace tactus::watch {
namespace {

/// Long enough to keep what an alert needs (10 s before it, and 10 s to become one), short enough
/// to bound the disk: a busy server writes some 200 kB per second.
constexpr double kSegmentSeconds = 30;
constexpr std::size_t kSegmentsKept = 3;  // the one being written, and two before it

class RecordingSource final : public PidSource {
 public:
  RecordingSource(std::int64_t pid, std::string folder, std::uint32_t stacks)
      : pid_(pid), folder_(std::move(folder)), stacks_(stacks) {}

  ~RecordingSource() override {
    should_stop_ = true;
    if (thread_.joinable()) thread_.join();
    for (const std::string& path : paths_) ::unlink(path.c_str());
  }

  Status begin() {
    thread_ = std::thread([this] { record_segments(); });
    // Attaching takes milliseconds; an agent that is not there is known by then.
    for (int i = 0; i < 300; ++i) {
      {
        const std::lock_guard lock(mutex_);
        if (failure_) return *failure_;
        if (has_begun_ && !paths_.empty()) {
          if (Result<RunFollower> follower = RunFollower::open(paths_.front(), 1)) return {};
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return broke_error("process " + std::to_string(pid_) + ": the recording did not begin");
  }

  Result<bool> poll(std::vector<SourcedStep>& into) override {
    if (!follower_ && !open_next()) return !has_ended_;
    const Result<bool> grew = follower_->poll();
    if (!grew) {
      // The file left the ring before it was read to its end, or the recording failed.
      follower_.reset();
      const std::lock_guard lock(mutex_);
      if (failure_) return *failure_;
      return !has_ended_;
    }
    std::vector<GrowingSteps::Found> found;
    steps_.take(follower_->run(), found);
    for (GrowingSteps::Found& of : found) into.push_back({stream_of(of.name, of.rank), of.step});
    if (follower_->is_finished()) follower_.reset();
    return true;
  }
  std::chrono::milliseconds interval() const override { return std::chrono::milliseconds(200); }

  std::vector<std::string> recordings() const override {
    const std::lock_guard lock(mutex_);
    return {paths_.rbegin(), paths_.rend()};
  }

 private:
  void record_segments() {
    for (std::size_t number = 0; !should_stop_; ++number) {
      const std::string path = folder_ + "/.tactus-watch-" + std::to_string(::getpid()) + "-" +
                               std::to_string(number) + ".tact";
      {
        const std::lock_guard lock(mutex_);
        paths_.push_back(path);
        if (paths_.size() > kSegmentsKept) {
          ::unlink(paths_.front().c_str());
          paths_.pop_front();
          ++first_path_;
        }
      }
      const Result<record::RecordAccount> recorded =
          record::record({.output = path,
                          .overwrite = false,
                          .pid = pid_,
                          .seconds = kSegmentSeconds,
                          .wishes = {.stacks = stacks_},
                          .needs_agent = true,
                          .no_window = "tactus watch records it in files that are not kept; end "
                                       "that first",
                          .should_stop = [this] {
                            has_begun_ = true;  // it is asked once the agent was found
                            return should_stop_.load();
                          }});
      const std::lock_guard lock(mutex_);
      if (!recorded) failure_ = recorded.error();
      if (recorded && recorded->failure) failure_ = recorded->failure;
      if (failure_ || recorded->ending != record::Ending::kTimeIsUp) break;
    }
    has_ended_ = true;
  }

  /// The next file that was not read yet; false if it is not there.
  bool open_next() {
    const std::lock_guard lock(mutex_);
    next_path_ = std::max(next_path_, first_path_);
    if (next_path_ >= first_path_ + paths_.size()) return false;
    Result<RunFollower> follower = RunFollower::open(paths_[next_path_ - first_path_], 1);
    if (!follower) return false;
    follower_ = std::make_unique<RunFollower>(std::move(*follower));
    steps_ = GrowingSteps();
    ++next_path_;
    return true;
  }

  std::int64_t pid_;
  std::string folder_;
  std::uint32_t stacks_;
  std::atomic<bool> should_stop_ = false;
  std::atomic<bool> has_begun_ = false;
  std::atomic<bool> has_ended_ = false;
  mutable std::mutex mutex_;
  std::deque<std::string> paths_;  ///< guarded, as the next two
  std::size_t first_path_ = 0;     ///< how many were removed
  std::optional<Error> failure_;
  std::size_t next_path_ = 0;
  std::unique_ptr<RunFollower> follower_;
  GrowingSteps steps_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<PidSource>> PidSource::start(std::int64_t pid, const std::string& folder,
                                                    std::uint32_t stacks) {
  auto source = std::make_unique<RecordingSource>(pid, folder, stacks);
  if (Status status = source->begin(); !status) return status.error();
  return std::unique_ptr<PidSource>(std::move(source));
}

}  // namespace tactus::watch
