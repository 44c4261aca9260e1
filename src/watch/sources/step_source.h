#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cycles/cycles.h"
#include "http/client.h"
#include "watch/step.h"

namespace tactus::watch {

/// A step and whose it is.
struct SourcedStep {
  std::size_t stream = 0;  ///< of StepSource::streams
  Step step;
};

/// Where steps come from: a file as a whole, a file that grows, a server that is asked.
class StepSource {
 public:
  struct Stream {
    std::string name;
    std::optional<std::int64_t> rank;
  };

  virtual ~StepSource() = default;
  /// Appends what came since the last call; false if no more will. An error ends the watch.
  virtual Result<bool> poll(std::vector<SourcedStep>& into) = 0;
  /// How long to wait between two calls; 0 for what is there as a whole.
  virtual std::chrono::milliseconds interval() const { return std::chrono::milliseconds(0); }
  /// What was left out or is odd, as sentences; new ones since the last call.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
  const std::vector<Stream>& streams() const { return streams_; }

 protected:
  std::size_t stream_of(const std::string& name, std::optional<std::int64_t> rank);
  void note(std::string text) { notes_.push_back(std::move(text)); }

 private:
  std::vector<Stream> streams_;
  std::vector<std::string> notes_;
};

/// All steps of a CSV of steps in the order of time, as those of one server.
Result<std::unique_ptr<StepSource>> csv_source(const std::string& path);
/// A log of vLLM or SGLang; with `follow`, also what is appended to it.
Result<std::unique_ptr<StepSource>> log_source(const std::string& path, bool follow);
/// The steps of a run, by process: those of find_cycles, in the order of time.
std::unique_ptr<StepSource> run_source(const Run& run, const Cycles& cycles);
/// A .tact file that grows: annotations of steps of the recorder and of engines.
Result<std::unique_ptr<StepSource>> growing_run_source(const std::string& path);
/// A page of metrics, asked for again and again. The first answer is waited for here, so that a
/// wrong address is an error; later failures are notes.
Result<std::unique_ptr<StepSource>> metrics_source(const http::Url& url,
                                                   std::chrono::milliseconds every);

/// Sequences that generate in a step with prompts. Each has a token, and those that were drafted
/// for it, so requests count where they are known.
double generating(const std::optional<std::int64_t>& batch,
                  const std::optional<std::int64_t>& prompts,
                  const std::optional<std::int64_t>& tokens);

/// The work of a cycle as a step; nothing if it is cut.
std::optional<Step> step_of(const Cycle& cycle, std::int64_t origin_ns);

}  // namespace tactus::watch
