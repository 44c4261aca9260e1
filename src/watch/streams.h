#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "watch/alert.h"
#include "watch/online_model.h"

namespace tactus::watch {

struct WatchOptions {
  LearningOptions learning;
  DetectorRules rules;
};

enum class EventKind : std::uint8_t {
  kReady,       ///< a model has learnt enough to judge
  kTooNoisy,    ///< it will not judge: the noise is larger than what it looks for
  kNewWork,     ///< work that was never seen; learnt before it is judged
  kEpisode,     ///< steps began to take too long
  kAlert,       ///< .. and it lasts
  kAlertEnded,  ///< an alert is over
  kExplained,   ///< what was recorded around an alert was compared with the normal
  kKept,        ///< .. and is kept
};
std::string_view event_kind_name(EventKind kind);

struct WatchEvent {
  EventKind kind = EventKind::kReady;
  std::int64_t time_ns = 0;  ///< since the epoch
  std::uint64_t step = 0;    ///< of the stream
  Alert about;               ///< stream, rank, phase and model in any case; the rest of an episode
  std::uint64_t learnt = 0;
  double spread = 0;
};

/// What one stream comes to so far.
struct StreamAccount {
  std::string name;
  std::optional<std::int64_t> rank;
  std::uint64_t steps = 0;
  std::uint64_t judged = 0;
  std::uint64_t unknown_work = 0;  ///< steps whose work is not known well enough
  std::uint64_t new_work = 0;
  std::uint64_t episodes = 0;
  std::uint64_t alerts = 0;
  bool is_ready = false;
  bool is_too_noisy = false;
  bool in_episode = false;
  bool in_alert = false;
  double last_us = 0;       ///< duration of the last step
  double predicted_us = 0;  ///< of the last step that was judged
  double ratio = 1;         ///< duration over prediction of that step
  double level = 0;         ///< the sum over its limit
  double spread = 0;        ///< usual residual
  double extra_us = 0;      ///< that episodes took
  double total_us = 0;
  double judged_us = 0;            ///< of the steps that were judged
  double judged_predicted_us = 0;  ///< that was predicted for those
  std::int64_t seen_ns = 0;        ///< when the last step was seen, since the epoch
  double error_sum = 0;            ///< of |residual| of quiet judged steps
  std::uint64_t quiet_judged = 0;
};

/// Watches the steps of one process or rank: a model and a detector for each kind of step.
class StreamWatch {
 public:
  StreamWatch(std::string name, std::optional<std::int64_t> rank, const WatchOptions& options);

  /// Appends what happened.
  ScoredStep add(const Step& step, std::vector<WatchEvent>& events);
  void learn(const Step& step);
  /// After the last call of learn.
  void end_of_learning();
  /// The stream is over: ends what is open.
  void finish(std::vector<WatchEvent>& events);

  const StreamAccount& account() const { return account_; }
  /// Null if no step of that kind came.
  const OnlineModel* model(ModelKind kind) const;

 private:
  struct Part {
    std::unique_ptr<OnlineModel> model;
    bool said_ready = false;
    bool said_noisy = false;
    bool said_episode = false;
    bool said_alert = false;
    std::uint64_t last_new_work = 0;
    bool said_new_work = false;
    double predicted_us = 0;
    double actual_us = 0;
    Phase phase = Phase::kUnknown;
  };

  Part& part(ModelKind kind);
  WatchEvent event(EventKind kind, const Part& part, std::int64_t time_ns) const;
  void tell(Part& part, const Step& step, const ScoredStep& scored,
            std::vector<WatchEvent>& events);

  WatchOptions options_;
  std::array<Part, 3> parts_;
  StreamAccount account_;
};

/// All streams of a watch, by name. A source that makes up names without end cannot fill the
/// memory: from 1,024 streams on, new ones are counted and left out.
class Watcher {
 public:
  explicit Watcher(const WatchOptions& options) : options_(options) {}

  /// Steps that are known to be sound: each stream that is added later has learnt from those of its
  /// rank, or from all if there are none of it.
  void set_sound(std::vector<std::pair<std::optional<std::int64_t>, Step>> steps) {
    sound_ = std::move(steps);
  }
  /// Nothing if there are too many.
  std::optional<std::size_t> stream(const std::string& name, std::optional<std::int64_t> rank = {});
  ScoredStep add(std::size_t stream, const Step& step);
  void finish();

  /// What happened since the last call, alerts numbered.
  std::vector<WatchEvent> take_events();
  const std::vector<StreamWatch>& streams() const { return streams_; }
  std::uint64_t left_out() const { return left_out_; }
  std::uint64_t alerts() const { return alerts_; }
  bool is_ready() const;

 private:
  void learn_sound(StreamWatch& stream) const;

  WatchOptions options_;
  std::vector<std::pair<std::optional<std::int64_t>, Step>> sound_;  ///< and their rank
  std::vector<StreamWatch> streams_;
  std::vector<WatchEvent> events_;
  std::uint64_t left_out_ = 0;
  std::uint64_t alerts_ = 0;
};

}  // namespace tactus::watch
