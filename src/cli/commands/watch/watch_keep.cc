#include "cli/commands/watch/watch_keep.h"

#include <algorithm>
#include <filesystem>

#include "cli/inputs/compared_runs.h"
#include "views/comparison/comparison_view.h"
#include "watch/keep/cut_run.h"

namespace tactus::cli {
namespace {

/// Meters are read ten times per second; a comparison needs some tens of their samples.
constexpr std::int64_t kLeastNormalNs = 10'000'000'000;
/// Of a slowdown that began long ago, the last part is kept.
constexpr std::int64_t kMostNs = 30'000'000'000;

/// For a command that can be pasted.
std::string shell_word(const std::string& path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=,:@";
  if (!path.empty() && path.find_first_not_of(kPlain) == std::string::npos) return path;
  std::string out = "'";
  for (const char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

bool WatchKeeper::keep(std::int64_t from_ns, std::int64_t to_ns, const std::string& path) {
  std::string why = "nothing was recorded";
  for (const std::string& recording : recordings_()) {
    const Result<std::size_t> kept =
        watch::cut_file(recording, {from_ns, to_ns}, path, options_.overwrite);
    if (kept) return true;
    why = kept.error().message;
    if (kept.error().code == ErrorCode::kUsage) break;  // the file exists
  }
  notes_.push_back("not kept: " + why);
  return false;
}

void WatchKeeper::note_alert(watch::WatchEvent& event) {
  if (options_.is_whole) {
    fill(event);
  } else {
    waiting_.push_back(event);
  }
}

std::vector<watch::WatchEvent> WatchKeeper::take_due(std::int64_t now_ns, bool at_end) {
  std::vector<watch::WatchEvent> due;
  std::erase_if(waiting_, [&](watch::WatchEvent& event) {
    if (!at_end && now_ns < event.time_ns + options_.keep_ns) return false;
    fill(event);
    event.kind = watch::EventKind::kKept;
    if (!event.about.recording.empty()) due.push_back(event);
    return true;
  });
  return due;
}

void WatchKeeper::fill(watch::WatchEvent& event) {
  watch::Alert& alert = event.about;
  const auto path_of = [&](const std::string& what) {
    const std::string file = options_.name + "-" + what + "-" + std::to_string(alert.number);
    return (std::filesystem::path(options_.folder) / (file + ".tact")).string();
  };
  const std::int64_t begin = alert.episode.first_ns;
  const std::string recording = path_of("alert");
  if (!keep(std::max(begin, event.time_ns - kMostNs), event.time_ns + options_.keep_ns,
            recording)) {
    return;
  }
  alert.recording = recording;
  // What was normal: the steps right before the slowdown, enough of them for slow meters.
  const std::string normal = path_of("normal");
  const std::int64_t before = std::max(options_.keep_ns, kLeastNormalNs);
  if (!keep(begin - before, begin, normal)) return;
  alert.normal = normal;
  alert.command = "tactus compare " + shell_word(normal) + " " + shell_word(recording);
  compare_with_normal(alert);
}

void WatchKeeper::compare_with_normal(watch::Alert& alert) {
  CommonOptions silent = common_;
  silent.quiet = true;
  ComparedRuns runs(silent);
  if (!runs.open({{{alert.normal}, {alert.recording}}}, {}) || !runs.prepare({})) {
    notes_.push_back("the alert could not be compared with the normal: too little was recorded");
    return;
  }
  const Comparison comparison = compare(runs.side(0), runs.side(1));
  alert.cause = verdict_class_name(comparison.verdict.verdict);
  alert.verdict = comparison.verdict.text;
  alert.comparison =
      show_comparison_json(comparison, context_of(runs.run(0), runs.run(1), comparison.labels));
}

}  // namespace tactus::cli
