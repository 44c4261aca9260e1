#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "explain/comparison.h"
#include "inject/request.h"
#include "record/session/session.h"

namespace tactus::drill {

struct DrillRequest {
  std::string folder;  ///< of the recording and the reports
  bool overwrite = false;
  std::vector<std::string> command;
  std::vector<std::string> scenarios;
  std::vector<double> intensities;
  double seconds = 10;  ///< of an injection
  double rest = 5;      ///< before the first, between two, and after the last
  double warmup = 0;    ///< before the first rest
  inject::Shape shape = inject::Shape::kStep;
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
  std::int64_t begin_ns = 0;  ///< since the recording began
  std::int64_t end_ns = 0;
  std::optional<double> cores;
  std::optional<double> bytes_per_s;
};

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
  Slower slower = Slower::kNotJudged;
  /// Steps and seconds until the interval of all steps so far lay above 1.
  std::optional<std::size_t> detected_steps;
  std::optional<double> detected_s;
  std::string named;                  ///< class of the verdict; empty: not compared
  std::vector<std::string> accepted;  ///< classes that are right for this scenario
  std::vector<std::string> seen;      ///< classes whose counters moved without being felt
  std::string text;                   ///< the verdict's sentence, or why there is none
  Grade grade = Grade::kNotJudged;
};

struct DrillReport {
  std::vector<DrillRow> rows;
  std::string recording;  ///< the file
  std::vector<std::string> warnings;
};

/// Runs and records the command, and injects one scenario after the other. The list has one entry
/// per injection that was begun or refused.
struct DrillOutcome {
  record::RecordAccount account;
  std::vector<Injected> injected;
  std::size_t planned = 0;
};
Result<DrillOutcome> run_drill(const DrillRequest& request);

/// The classes that name a scenario rightly.
std::vector<VerdictClass> accepted_classes(std::string_view scenario);

/// Compares the time of each injection with the rests before and after it.
Result<DrillReport> grade_drill(const Run& run, const std::vector<Injected>& injected,
                                double rest_s);

/// The grade that follows from what was felt and named.
Grade grade_of(Slower slower, VerdictClass named, bool was_judged,
               const std::vector<VerdictClass>& accepted);

}  // namespace tactus::drill
