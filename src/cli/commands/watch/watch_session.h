#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/watch/watch_keep.h"
#include "http/page_server.h"
#include "views/watch/watch_view.h"
#include "watch/report.h"
#include "watch/sinks/sinks.h"
#include "watch/sources/step_source.h"

namespace tactus::cli {

struct WatchSinks {
  std::string json_lines;  ///< path, "-" or empty
  std::string webhook;
  std::string metrics;
  std::string otlp;
  bool syslog = false;
};

/// From a source of steps to what people and programs read, until the source or the user ends it.
class WatchSession {
 public:
  WatchSession(const CommonOptions& common, const watch::WatchOptions& options, std::string source);
  ~WatchSession();

  /// Opens sinks; an error if an address makes no sense or cannot be listened on.
  Status open_sinks(const WatchSinks& sinks);
  void set_keeper(std::unique_ptr<WatchKeeper> keeper) { keeper_ = std::move(keeper); }
  /// What an alert tells people to type, to see more.
  void set_advice(std::string command) { advice_ = std::move(command); }
  /// Prints events as they come: on standard output, or nothing if that is for JSON.
  void set_quiet(bool quiet) { is_quiet_ = quiet; }
  /// Learns from steps that are known to be sound.
  Status learn(watch::StepSource& source);

  /// `seconds`: no longer than this.
  Status watch(watch::StepSource& source, std::optional<double> seconds);
  watch::WatchReport report() const;
  bool is_ready() const { return watcher_.is_ready(); }

 private:
  void take_steps(watch::StepSource& source, const std::vector<watch::SourcedStep>& steps);
  void take_events();
  void tell(const watch::WatchEvent& event);
  void refresh(bool at_end);
  void draw();
  void erase_live();

  const CommonOptions& common_;
  watch::Watcher watcher_;
  std::string source_;
  std::unique_ptr<WatchKeeper> keeper_;
  std::string advice_;
  std::unique_ptr<watch::BoundedWorker> line_sink_;
  std::unique_ptr<watch::BoundedWorker> webhook_;
  std::unique_ptr<watch::BoundedWorker> syslog_;
  std::unique_ptr<watch::BoundedWorker> otlp_logs_;
  std::unique_ptr<watch::BoundedWorker> otlp_metrics_;
  struct Page;
  std::shared_ptr<Page> page_;
  std::unique_ptr<http::PageServer> server_;
  std::vector<std::size_t> stream_of_;  ///< of the source, to that of the watcher
  std::vector<std::deque<LivePoint>> points_;
  struct Told {
    std::optional<std::int64_t> time_ns;
    std::size_t left_out = 0;
  };
  std::map<std::string, Told> told_;  ///< episodes that were printed, by stream
  std::vector<watch::WatchEvent> alerts_;
  std::vector<std::string> notes_;
  std::size_t drawn_lines_ = 0;
  std::int64_t next_draw_ns_ = 0;
  std::int64_t next_refresh_ns_ = 0;
  std::int64_t next_otlp_ns_ = 0;
  bool is_quiet_ = false;
  bool is_live_ = false;
  bool was_interrupted_ = false;
};

}  // namespace tactus::cli
