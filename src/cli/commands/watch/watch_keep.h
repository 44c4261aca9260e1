#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/command.h"
#include "watch/streams.h"

namespace tactus::cli {

/// Compares what was recorded around an alert with the steps before it, which were normal; keeps
/// both if that is wished for. Of what is still being recorded, it does so on a thread of its own,
/// so that nobody who watches waits.
class WatchKeeper {
 public:
  struct Options {
    std::int64_t behind_ns = 0;  ///< after the alert, that belongs to it
    bool keeps_files = false;
    std::string folder;     ///< where files go
    std::string name;       ///< how they begin
    bool is_tact = true;    ///< the recordings are; else they are imported
    bool is_whole = false;  ///< all of the recording is there: nothing has to be waited for
    bool overwrite = false;
  };
  /// `recordings` are the files that hold the latest steps, the latest first; any thread may ask.
  WatchKeeper(const CommonOptions& common, Options options,
              std::function<std::vector<std::string>()> recordings);
  ~WatchKeeper();
  WatchKeeper(const WatchKeeper&) = delete;
  WatchKeeper& operator=(const WatchKeeper&) = delete;

  /// An alert. If all is there, it is filled in; else it comes out of `take_done` later.
  void note_alert(watch::WatchEvent& event);
  /// Alerts that were filled in since the last call, as events of their own.
  std::vector<watch::WatchEvent> take_done();
  /// Nothing more is recorded: does what waits, but begins nothing after this long.
  void finish(std::chrono::milliseconds limit);
  /// What could not be kept or compared, as sentences.
  std::vector<std::string> take_notes();

 private:
  void run();
  void fill(watch::WatchEvent& event);
  Result<Run> cut(const TimeSpan& span) const;
  void keep(Run& slow, Run* normal, watch::Alert& alert);
  Status compare_parts(const Run& normal, const Run& slow, watch::Alert& alert) const;
  void note(std::string text);

  const CommonOptions& common_;
  Options options_;
  std::function<std::vector<std::string>()> recordings_;
  std::size_t alerts_ = 0;

  std::mutex mutex_;
  std::condition_variable wakes_;
  std::condition_variable idle_;
  std::deque<watch::WatchEvent> waiting_;  ///< guarded, as the next five
  std::vector<watch::WatchEvent> done_;
  std::vector<std::string> notes_;
  bool is_busy_ = false;
  bool is_over_ = false;    ///< nothing more is recorded
  bool is_ending_ = false;  ///< nothing more is begun
  std::thread thread_;
};

}  // namespace tactus::cli
