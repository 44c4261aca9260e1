#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "record/meters/meter_session.h"
#include "run/builder.h"

namespace tactus::record {

/// Puts what meters sample into the Run that is written while it grows.
class MeterFiller {
 public:
  /// Samples that often; what cannot be read becomes a warning at the end.
  static Result<MeterFiller> start(double hz, RunBuilder& builder, std::int64_t origin_ns,
                                   const std::string& host_name);

  /// A recorded process: its use is own, all other use is foreign.
  void add_process(std::int64_t pid);
  /// What was sampled since the last time, in the order of time.
  std::vector<meters::MeterSample> take();
  void add(const std::vector<meters::MeterSample>& samples);
  /// No more samples after those that `take` still gives.
  void stop() { session_->stop(); }
  /// Says what was lost, what could not be read, and what was read less often than asked.
  void finish();
  std::vector<meters::MeterRate> rates() const { return session_->rates(); }

 private:
  MeterFiller(std::unique_ptr<meters::MeterSession> session, RunBuilder& builder,
              std::int64_t origin_ns, StringId host_name);
  void add_new_series();

  std::unique_ptr<meters::MeterSession> session_;
  RunBuilder& builder_;
  std::int64_t origin_ns_;
  SourceId source_;
  std::vector<SeriesId> series_;  ///< by the counter's id
  std::size_t devices_ = 0;       ///< that the run knows
  std::set<std::int64_t> processes_;
};

}  // namespace tactus::record
