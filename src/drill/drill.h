#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cycles/cycles.h"
#include "explain/comparison.h"
#include "inject/request.h"
#include "record/session/session.h"

namespace tactus::drill {

inline constexpr double kRest = 5;  ///< [s] that a drill rests if nothing else is asked for

struct DrillRequest {
  std::string folder;  ///< of the recording and the reports
  bool overwrite = false;
  std::vector<std::string> command;
  std::vector<std::string> scenarios;
  std::vector<double> intensities;
  double seconds = 10;     ///< of an injection
  double rest = kRest;     ///< before the first, between two, and after the last
  double warmup = 0;       ///< before the first rest
  std::size_t repeat = 1;  ///< of everything; from two on in a drawn order, anew each time
  std::uint64_t seed = 1;  ///< of that order
  inject::Shape shape = inject::Shape::kStep;
  std::uint32_t stacks = 0;                 ///< of launches: a sum of wire::StackWish
  std::vector<std::string> inject_options;  ///< "--cores", "2"
  bool stop = false;                        ///< ends the command when the drill is over
  std::function<void(const std::string&)> tell;
};

/// One injection of a drill, as it was done.
struct Injected {
  std::string scenario;
  double intensity = 0;
  std::string shape;
  std::string refused;        ///< why it was not done; empty if it was
  std::string problem;        ///< why it ended early
  std::int64_t asked_ns = 0;  ///< when the injector was started; since the recording began
  std::int64_t begin_ns = 0;  ///< when the load began
  std::int64_t end_ns = 0;
  std::optional<double> cores;
  std::optional<double> bytes_per_s;
  std::optional<double> rest_s;  ///< before and after it; nothing if the recording does not say
};

/// A load does not begin and end at once: so much at both ends of an injection belongs to neither.
inline constexpr std::int64_t kSettle = 300'000'000;  // [ns]

/// What watch, fed with the steps of a drill one after another, said of one injection.
struct Detection {
  std::optional<std::size_t> steps;  ///< until its first alarm
  std::optional<double> seconds;     ///< the same as time since the load began
  std::optional<double> alert_s;     ///< until somebody would have been called
  std::size_t judged = 0;            ///< steps of the injection that it judged
  bool was_open = false;             ///< an alert was open already when the load began
};
/// An alert that began in a rest: by no injection, though the machine may have been slower.
struct RestAlert {
  std::int64_t since_ns = 0;   ///< since the recording began, as the next
  std::int64_t called_ns = 0;  ///< when it was raised
  RatioRow ratio;              ///< of steps to what their work explains
};
/// .. and of the rests, in which nothing was injected.
struct WatchedRests {
  std::size_t judged = 0;
  std::size_t episodes = 0;
  std::vector<RestAlert> alerts;
  bool is_ready = false;  ///< it learnt enough to judge at all
};
struct WatchedDrill {
  std::vector<Detection> of;  ///< by injection
  WatchedRests rests;
};
/// Runs the detector of watch over a recording, as `tactus watch RUN` does.
WatchedDrill watch_drill(const Run& run, const Cycles& cycles,
                         const std::vector<Injected>& injected);

/// How long steps take in a window, as logarithms of nanoseconds.
struct StepLevel {
  double typical = 0;  ///< the mean of the logarithms
  double mean = 0;     ///< the logarithm of the mean
};
/// The same of every injection, and of windows of that length in which nothing was injected.
struct StepWindows {
  std::vector<std::optional<StepLevel>> injected;  ///< nothing if there were too few steps
  std::vector<StepLevel> resting;
};
/// A machine has moods: what changes from one window to the next is not seen within a window. So
/// the end of each rest is a window, too. Of steps of the phase that takes most of the time.
StepWindows step_windows(const Cycles& cycles, const std::vector<Injected>& injected);

/// The ratio of one injection, or of its repeats, to windows without an injection, with a 95%
/// interval for what windows do by themselves: Student's t of two samples with one spread. Of a
/// single injection, it also reaches as far as the windows without one do. Nothing if there are
/// fewer than two of those.
RatioRow among_windows(const std::vector<double>& injected, const std::vector<double>& resting);
std::vector<double> typical_of(const std::vector<StepLevel>& levels);
std::vector<double> means_of(const std::vector<StepLevel>& levels);

/// Whether the steps became slower by 5% or more.
enum class Slower : unsigned char { kYes, kNo, kNotJudged };
/// What the drill makes of it.
enum class Grade : unsigned char {
  kRight,      ///< felt and named, or not felt and not named
  kMissed,     ///< felt, and nothing was named
  kWrong,      ///< something else was named
  kNotJudged,  ///< not done, too few steps, or too noisy to say
};
std::string_view slower_name(Slower slower);
std::string_view grade_name(Grade grade);

struct DrillRow {
  Injected injected;
  std::size_t steps = 0;         ///< while it was injected
  std::size_t normal_steps = 0;  ///< in the rests around it
  RatioRow ratio;                ///< of the typical step
  RatioRow mean;  ///< of the mean: a few steps that stall do not move the typical one
  RatioRow typical_among{.ratio = NAN};  ///< with the interval of `among_windows`
  RatioRow mean_among{.ratio = NAN};
  std::string doubt;  ///< what windows without an injection do, if that is why it is not judged
  Slower slower = Slower::kNotJudged;
  Detection detection;  ///< by watch
  std::string named;    ///< class of the verdict; empty: not compared
  VerdictClass verdict = VerdictClass::kUnknown;
  bool was_judged = false;            ///< the verdict has no reason why it says nothing
  std::vector<std::string> accepted;  ///< classes that are right for this scenario
  std::vector<std::string> seen;      ///< classes whose counters moved without being felt
  std::string text;                   ///< the verdict's sentence, or why there is none
  Grade grade = Grade::kNotJudged;
  std::string normal_file;    ///< a cut of the rests, if it was asked for
  std::string injected_file;  ///< .. and of the injection
};

/// All repeats of one scenario at one intensity.
struct DrillGroup {
  std::string scenario;
  double intensity = 0;
  std::size_t repeats = 0;  ///< that could be compared
  RatioRow typical;         ///< with the interval of `among_windows`
  RatioRow mean;
  Slower slower = Slower::kNotJudged;
  std::size_t detected = 0;  ///< repeats that watch noticed
  std::size_t alerts = 0;
  std::size_t named_rightly = 0;
  std::string named;  ///< the class that most repeats named, else unknown
  Grade grade = Grade::kNotJudged;
};

struct DrillReport {
  std::vector<DrillRow> rows;
  std::vector<DrillGroup> groups;   ///< if something was repeated
  std::size_t resting_windows = 0;  ///< windows of rests that injections are held against
  RatioRow resting;                 ///< 95% of them lie in this interval around their middle
  WatchedRests rests;
  std::string recording;  ///< the file
  std::vector<std::string> warnings;
};

/// Runs and records the command, and injects one scenario after the other. What was done and what
/// was refused is in the recording (`injected_in`).
struct DrillOutcome {
  record::RecordAccount account;
  std::size_t planned = 0;
};
Result<DrillOutcome> run_drill(const DrillRequest& request);

/// The classes that name a scenario rightly.
std::vector<VerdictClass> accepted_classes(std::string_view scenario);

/// What a drill notes in its recording about an injection that it did, or that was refused.
record::Note note_of(const Injected& injected, std::int64_t origin_ns);

/// The injections of a recording in the order of time: those that a drill noted, else all that the
/// recorder knows of, of which it is not known what they measured.
std::vector<Injected> injected_in(const Run& run);

/// The rests before and after an injection, without what belongs to another one; ns since the
/// recording began.
struct Rests {
  TimeSpan before;
  TimeSpan after;
};
Rests rests_around(const std::vector<Injected>& injected, std::size_t which);

/// Cuts a pair of short recordings out of a drill for each injection that was done: the end of the
/// rest before it, and the injection after it has settled. They go to the folder of the recording.
Status write_pairs(const std::string& recording, double seconds, bool overwrite,
                   DrillReport& report);

/// Compares the time of each injection in a recording with the rests before and after it, and asks
/// watch. A drill is graded by its recording alone, so that grading it again gives the same.
/// `rest_s` is for rests of another length than the recording says.
Result<DrillReport> grade_drill(const std::string& recording, std::optional<double> rest_s,
                                unsigned threads);

/// The repeats of each scenario and intensity, in the order of their first one.
std::vector<DrillGroup> grade_groups(const std::vector<DrillRow>& rows, const StepWindows& windows);

/// An interval that reaches as far as both of them.
RatioRow wider_of(const RatioRow& ratio, const RatioRow& other);

/// Slower by 5% or more: the typical step, or the mean.
Slower slower_of(const RatioRow& typical, const RatioRow& mean);

/// The grade that follows from what was felt and named.
Grade grade_of(Slower slower, VerdictClass named, bool was_judged,
               const std::vector<VerdictClass>& accepted);

}  // namespace tactus::drill
