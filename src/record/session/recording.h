#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "record/beside/injected_truth.h"
#include "record/ring/backlog.h"
#include "record/ring/step_watch.h"
#include "record/session/clocks.h"
#include "record/session/fill/host_filler.h"
#include "record/session/fill/meter_filler.h"
#include "record/session/host_part.h"
#include "record/session/run_filler.h"
#include "record/session/session.h"
#include "record/session/targets.h"
#include "run/tact/tact_file.h"

namespace tactus::record {

/// What a crash of the recorder can lose.
inline constexpr auto kCommit = std::chrono::milliseconds(200);

/// The Run that grows, and its file.
class Recording {
 public:
  Recording(OutputFile file, Targets& targets, HostPart& host, const Wishes& wishes);

  /// Without an agent, there are meters, and what can be seen from outside.
  void expect_no_agent() { has_agent_ = false; }

  /// A recording without meters is better than none.
  void start_meters(double hz);
  void meter_process(std::int64_t pid) {
    if (meters_) meters_->add_process(pid);
  }

  /// Keeps only the last seconds until `finish`.
  void keep_last(double seconds, std::size_t most_bytes) { backlog_.emplace(seconds, most_bytes); }
  void warn(std::string message) { builder_.warn(std::move(message)); }

  /// From here on, the file opens.
  Status begin_file();
  /// Takes what the targets wrote, and appends it to the file.
  Status commit();
  /// `with_rest`: what was not taken yet goes into the file, too.
  Status finish(bool with_rest);
  void add(const InjectedTruth& truth) { injections_.push_back(truth); }
  void add(Note note) { notes_.push_back(std::move(note)); }
  std::int64_t origin_ns() const { return clock_.origin_ns(); }
  /// The first process that launched work.
  std::optional<std::int64_t> launching_process() const;
  /// The longest step of the last batch.
  std::int64_t longest_step_ns() const { return longest_step_ns_; }

  /// What the agents of the recorded processes say of themselves, with the process.
  std::vector<std::pair<std::int64_t, AgentCounts>> agents() const;
  /// Recorded so far, with times of their own.
  std::uint64_t kernels() const;
  /// How long it has gone on.
  std::int64_t now_ns() const { return clock_.latest_ns(); }
  /// Stacks that were wanted for a while.
  void note_stacks(std::uint32_t stacks) { wishes_.stacks |= stacks; }

  std::uint64_t bytes() const { return writer_.bytes(); }
  /// What the next commits can need.
  std::uint64_t room_to_finish() const;
  void fill(RecordAccount& account) const;

 private:
  /// What a light recording has not; said with the first process.
  void say_mode();
  void take_batch();

  /// Processes and threads stay known.
  void forget(Batch& old);

  void add(const Batch& batch);

  void count_losses(const Batch& batch);

  void add(const Harvest::Part& part);
  /// Injections that lie behind a time of the recording, and all notes.
  void add_injections(std::int64_t from_ns);

  void add_last_words();

  TickClock clock_;
  Targets& targets_;
  HostPart& host_;
  Wishes wishes_;
  RunWriter writer_;
  RunBuilder builder_;
  RunFiller filler_;
  ProcessSources sources_;
  HostFiller host_filler_;
  TruthFiller truths_;
  std::vector<InjectedTruth> injections_;  ///< that are not in the file yet
  std::vector<InjectedTruth> recorded_injections_;
  std::vector<Note> notes_;  ///< that are not in the file yet
  StepWatch steps_;
  std::optional<Backlog> backlog_;
  std::optional<MeterFiller> meters_;
  std::map<std::size_t, std::size_t> numbers_;           ///< Target::number to that of the filler
  std::map<std::size_t, std::shared_ptr<Target>> live_;  ///< by Target::number
  bool has_agent_ = true;
  std::uint64_t lost_ = 0;
  std::uint64_t slices_ = 0;
  std::uint64_t last_commit_bytes_ = 0;
  std::int64_t longest_step_ns_ = 0;
};

}  // namespace tactus::record
