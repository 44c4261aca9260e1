#include "cli/commands/watch/watch_keep.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "cli/inputs/open_run.h"
#include "cli/shell_word.h"
#include "explain/prepare_sides.h"
#include "views/comparison/comparison_view.h"
#include "watch/keep/cut_run.h"

namespace tactus::cli {
namespace {

/// Meters are read ten times per second; a comparison needs some tens of their samples.
constexpr std::int64_t kLeastNormalNs = 10'000'000'000;
/// Of a slowdown that began long ago, the last part is looked at.
constexpr std::int64_t kMostNs = 30'000'000'000;
/// Each costs about as much as reading the seconds around it; a recording of a whole night can have
/// thousands of alerts.
constexpr std::size_t kMostAlerts = 100;
constexpr std::size_t kMostWaiting = 16;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

WatchKeeper::WatchKeeper(const CommonOptions& common, Options options,
                         std::function<std::vector<std::string>()> recordings)
    : common_(common), options_(std::move(options)), recordings_(std::move(recordings)) {
  if (!options_.is_whole) thread_ = std::thread([this] { run(); });
}

WatchKeeper::~WatchKeeper() {
  finish(std::chrono::milliseconds(0));
  if (thread_.joinable()) thread_.join();
}

void WatchKeeper::note(std::string text) {
  const std::lock_guard lock(mutex_);
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) {
    notes_.push_back(std::move(text));
  }
}

std::vector<std::string> WatchKeeper::take_notes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

void WatchKeeper::note_alert(watch::WatchEvent& event) {
  if (++alerts_ > kMostAlerts) {
    note("more than " + std::to_string(kMostAlerts) + " alerts; the others were not compared");
    return;
  }
  if (options_.is_whole) {
    fill(event);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < kMostWaiting) {
      waiting_.push_back(event);
    } else {
      notes_.push_back("too many alerts at a time; one was not compared");
    }
  }
  wakes_.notify_one();
}

std::vector<watch::WatchEvent> WatchKeeper::take_done() {
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, {});
}

void WatchKeeper::finish(std::chrono::milliseconds limit) {
  if (!thread_.joinable()) return;
  std::unique_lock lock(mutex_);
  is_over_ = true;
  wakes_.notify_one();
  idle_.wait_for(lock, limit, [this] { return waiting_.empty() && !is_busy_; });
  is_ending_ = true;
  wakes_.notify_one();
}

/// The thread: waits until the recording reaches behind the first alert that waits.
void WatchKeeper::run() {
  ::setpriority(PRIO_PROCESS, 0, 10);  // of this thread: the server goes first
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    if (waiting_.empty()) {
      wakes_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
      continue;
    }
    const std::int64_t left_ns = waiting_.front().time_ns + options_.behind_ns - now_ns();
    if (left_ns > 0 && !is_over_) {
      wakes_.wait_for(lock, std::chrono::nanoseconds(left_ns),
                      [this] { return is_ending_ || is_over_; });
      continue;
    }
    watch::WatchEvent event = std::move(waiting_.front());
    waiting_.pop_front();
    is_busy_ = true;
    lock.unlock();
    fill(event);
    const bool is_kept = !event.about.recording.empty();
    event.kind = is_kept ? watch::EventKind::kKept : watch::EventKind::kExplained;
    lock.lock();
    is_busy_ = false;
    if (is_kept || !event.about.cause.empty()) done_.push_back(std::move(event));
    if (waiting_.empty()) idle_.notify_all();
  }
}

/// The first recording that has something of that time.
Result<Run> WatchKeeper::cut(const TimeSpan& span) const {
  Error why = input_error("nothing was recorded");
  for (const std::string& recording : recordings_()) {
    if (options_.is_tact) {
      Result<Run> part = watch::open_cut(recording, span);
      if (part) return part;
      why = part.error();
      continue;
    }
    CommonOptions silent = common_;
    silent.quiet = true;
    Result<Run> run = open_trace(recording, silent);
    if (!run) return run.error();
    watch::cut_run(*run, {span.begin_ns - run->origin_ns, span.end_ns - run->origin_ns});
    return run;
  }
  return why;
}

void WatchKeeper::fill(watch::WatchEvent& event) {
  watch::Alert& alert = event.about;
  const std::string whose = options_.keeps_files ? "not kept: " : "an alert was not compared: ";
  const std::int64_t begin = alert.episode.first_ns;
  Result<Run> slow =
      cut({std::max(begin, event.time_ns - kMostNs), event.time_ns + options_.behind_ns});
  if (!slow) return note(whose + slow.error().message);
  // What was normal: the steps right before the slowdown, enough of them for slow meters.
  Result<Run> normal = cut({begin - std::max(options_.behind_ns, kLeastNormalNs), begin});
  if (!normal) note(whose + normal.error().message);
  if (normal && !compare_parts(*normal, *slow, alert)) {
    note("an alert could not be compared with the normal: too little was recorded");
  }
  if (options_.keeps_files) keep(*slow, normal ? &*normal : nullptr, alert);
}

void WatchKeeper::keep(Run& slow, Run* normal, watch::Alert& alert) {
  const auto write = [&](Run& part, const std::string& what, std::string& kept) {
    const std::string file =
        options_.name + "-" + what + "-" + std::to_string(alert.number) + ".tact";
    const std::string path = (std::filesystem::path(options_.folder) / file).string();
    const Status written = watch::write_cut(part, path, options_.overwrite);
    if (written) kept = path;
    if (!written) note("not kept: " + written.error().message);
    return written.operator bool();
  };
  if (!write(slow, "alert", alert.recording)) return;
  if (normal == nullptr || !write(*normal, "normal", alert.normal)) return;
  alert.command = "tactus compare " + shell_word(alert.normal) + " " + shell_word(alert.recording);
}

Status WatchKeeper::compare_parts(const Run& normal, const Run& slow, watch::Alert& alert) const {
  const unsigned threads = options_.is_whole ? thread_count(common_) : 1;
  Result<PreparedSides> prepared = prepare_sides({{{&normal}, {&slow}}}, {}, threads);
  if (!prepared) return prepared.error();
  for (const Run* run : {&normal, &slow}) {
    if (Status status = run->status(); !status) return status;
  }
  const Comparison comparison = compare(prepared->sides[0], prepared->sides[1]);
  alert.cause = verdict_class_name(comparison.verdict.verdict);
  alert.verdict = comparison.verdict.text;
  alert.comparison = show_comparison_json(comparison, context_of(normal, slow, comparison.labels));
  return {};
}

}  // namespace tactus::cli
