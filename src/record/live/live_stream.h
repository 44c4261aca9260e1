#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "record/live/live_sums.h"
#include "record/meters/meter_session.h"
#include "record/session/host_part.h"
#include "record/session/targets.h"

namespace tactus::record {

/// The process that a number or a name means: "4711", "vllm", "server.py". An error if there is
/// none, or if there are several that do not belong together.
Result<std::int64_t> find_process(const std::string& pid_or_name,
                                  const std::string& proc = "/proc");

/// Watches a process that runs, from the same stream as a recording, without a file.
class LiveStream {
 public:
  struct Options {
    std::int64_t pid = 0;
    bool host = false;  ///< trace its threads
    double meters_hz = 10;
  };

  /// An error if the process does not exist. What cannot be seen is a note of the picture.
  static Result<std::unique_ptr<LiveStream>> start(const Options& options);
  ~LiveStream();

  /// Reads what arrived since the last call.
  LivePicture look();
  /// Readable when the process has ended.
  int fd() const { return process_.fd(); }

 private:
  explicit LiveStream(const Options& options);
  void attach();
  void add_meters(const std::vector<meters::MeterSample>& samples, LivePicture& picture);

  Options options_;
  TickClock clock_;
  Targets targets_;
  HostPart host_;
  std::unique_ptr<meters::MeterSession> meters_;
  LiveSums sums_;
  File process_;
  std::string command_;
  std::map<std::size_t, std::shared_ptr<Target>> agents_;
  std::map<std::uint32_t, double> latest_;  ///< value by counter
  std::uint64_t lost_ = 0;
  int looks_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace tactus::record
