#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/meters/host/own_processes.h"
#include "record/meters/sampler.h"

namespace tactus::meters {

struct MeterOptions {
  std::vector<std::int64_t> pids;  ///< recorded processes; they and their children are own
  double hz = 20;                  ///< turns per second, 1 to 100
  /// Share of a core that the meters of the host may use, and those of each GPU; what is too dear
  /// is sampled less often. 0: as they need.
  double budget = 0.01;
  std::size_t buffer_samples = 1 << 16;  ///< of each thread; what does not fit is lost and counted
  bool gpu = true;
  std::string nvml = "libnvidia-ml.so.1";  ///< the library, as dlopen() takes it
  std::string root;                        ///< where /proc and /sys are; empty: the machine
};

/// Samples the host's and the GPUs' counters on threads of its own. What cannot be read is an
/// issue, never an error. All functions but `add_process` are for one thread.
class MeterSession {
 public:
  /// Fails if the options make no sense or no thread can be started.
  static Result<std::unique_ptr<MeterSession>> start(MeterOptions options);
  ~MeterSession();

  /// One more recorded process, which is no child of another; from any thread.
  void add_process(std::int64_t pid) { own_->add(pid); }

  /// Appends the samples since the last call, by thread and in its order of time.
  void drain(std::vector<MeterSample>& into);
  /// The table of counters from that place on: it only grows. Every drained sample's counter is in
  /// it.
  std::vector<MeterCounter> counters(std::size_t from = 0) const { return table_->counters(from); }
  std::vector<MeterDevice> devices() const { return table_->devices(); }
  std::vector<MeterIssue> issues(std::size_t from = 0) const { return table_->issues(from); }
  /// One entry per thread.
  std::vector<SamplerStats> stats() const;
  /// One entry per reader, by device and name.
  std::vector<MeterRate> rates() const;

  /// Ends the threads; what they have sampled can still be drained.
  void stop();

 private:
  explicit MeterSession(MeterOptions options);
  Status start_threads();

  MeterOptions options_;
  std::shared_ptr<MeterTable> table_;
  std::shared_ptr<OwnProcesses> own_;
  std::shared_ptr<MeterBudget> budget_;
  std::int64_t stopped_ns_ = 0;
  std::vector<std::unique_ptr<Sampler>> samplers_;
};

}  // namespace tactus::meters
