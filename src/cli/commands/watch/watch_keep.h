#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "watch/streams.h"

namespace tactus::cli {

/// Keeps what was recorded around an alert, and compares it with the steps before it.
class WatchKeeper {
 public:
  struct Options {
    std::int64_t keep_ns = 0;  ///< after the alert
    std::string folder;        ///< where files go
    std::string name;          ///< how they begin
    bool is_whole = false;     ///< all of the recording is there: nothing has to be waited for
    bool overwrite = false;
  };
  /// `recordings` are the files that hold the latest steps, the latest first.
  WatchKeeper(const CommonOptions& common, Options options,
              std::function<std::vector<std::string>()> recordings)
      : common_(common), options_(std::move(options)), recordings_(std::move(recordings)) {}

  /// An alert. If all is there, it is filled in; else it waits until `take_due` finds it due.
  void note_alert(watch::WatchEvent& event);
  /// Alerts whose recording could be kept by now, as events; all of them at the end.
  std::vector<watch::WatchEvent> take_due(std::int64_t now_ns, bool at_end);
  /// What could not be kept, as sentences.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  bool keep(std::int64_t from_ns, std::int64_t to_ns, const std::string& path);
  void fill(watch::WatchEvent& event);
  void compare_with_normal(watch::Alert& alert);

  const CommonOptions& common_;
  Options options_;
  std::function<std::vector<std::string>()> recordings_;
  std::vector<watch::WatchEvent> waiting_;
  std::vector<std::string> notes_;
};

}  // namespace tactus::cli
