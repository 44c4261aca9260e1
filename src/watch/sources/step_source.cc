#include "watch/sources/step_source.h"

#include <algorithm>

#include "base/text.h"
#include "watch/latency_model.h"
#include "watch/sources/step_csv.h"

namespace tactus::watch {
namespace {

constexpr std::size_t kMostStreams = 4096;

/// Steps that are there as a whole.
class WholeSource final : public StepSource {
 public:
  Result<bool> poll(std::vector<SourcedStep>& into) override {
    into.insert(into.end(), steps_.begin(), steps_.end());
    steps_.clear();
    return false;
  }
  void add(const std::string& stream, std::optional<std::int64_t> rank, const Step& step) {
    steps_.push_back({stream_of(stream, rank), step});
  }
  void sort() {
    std::stable_sort(steps_.begin(), steps_.end(), [](const SourcedStep& a, const SourcedStep& b) {
      return a.step.start_ns < b.step.start_ns;
    });
  }
  using StepSource::note;

 private:
  std::vector<SourcedStep> steps_;
};

void note_losses(const StepLosses& losses, WholeSource& source) {
  const auto tell = [&](std::uint64_t count, const char* one, const char* many) {
    if (count > 0) source.note(count_of(static_cast<std::int64_t>(count), one, many));
  };
  tell(losses.bad_rows, "row has no number where one is needed, and is left out",
       "rows have no number where one is needed, and are left out");
  tell(losses.not_positive, "row has a duration of 0 or less, and is left out",
       "rows have a duration of 0 or less, and are left out");
  tell(losses.backwards, "row starts before the one in front of it, and is left out",
       "rows start before the one in front of them, and are left out");
  tell(losses.empty_calls, "call did nothing (shorter than a tenth of the median), and is left out",
       "calls did nothing (shorter than a tenth of the median), and are left out");
}

}  // namespace

std::size_t StepSource::stream_of(const std::string& name, std::optional<std::int64_t> rank) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i].name == name && streams_[i].rank == rank) return i;
  }
  if (streams_.size() >= kMostStreams) return streams_.size() - 1;
  streams_.push_back({name, rank});
  return streams_.size() - 1;
}

Result<std::unique_ptr<StepSource>> csv_source(const std::string& path) {
  const Result<StepTable> table = read_step_csv(path);
  if (!table) return table.error();
  auto source = std::make_unique<WholeSource>();
  note_losses(table->losses, *source);
  std::size_t hidden = 0;
  for (const StepStream& stream : table->streams) {
    for (const Step& step : stream.steps) {
      source->add("all jobs", std::nullopt, step);
      hidden += kind_of(step) ? 0 : 1;
    }
  }
  if (hidden > 0) {
    source->note(count_of(static_cast<std::int64_t>(hidden),
                          "step may have computed a prompt of unknown length, and is not judged",
                          "steps may have computed prompts of unknown length, and are not judged"));
  }
  source->sort();
  return std::unique_ptr<StepSource>(std::move(source));
}

double generating(const std::optional<std::int64_t>& batch,
                  const std::optional<std::int64_t>& prompts,
                  const std::optional<std::int64_t>& tokens) {
  if (batch && prompts && *prompts <= *batch) return static_cast<double>(*batch - *prompts);
  return tokens ? static_cast<double>(*tokens) : 0;
}

std::optional<Step> step_of(const Cycle& cycle, std::int64_t origin_ns) {
  if (!cycle.complete || cycle.dur_ns <= 0) return std::nullopt;
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? static_cast<double>(*value) : NAN;
  };
  Step step{.start_ns = origin_ns + cycle.start_ns,
            .dur_us = static_cast<double>(cycle.dur_ns) / 1e3,
            .launches = static_cast<double>(cycle.launches),
            .phase = cycle.phase};
  step.context = number(cycle.context);
  if (cycle.phase == Phase::kDecode) {
    step.sequences = number(cycle.batch       ? cycle.batch
                            : cycle.sequences ? cycle.sequences
                                              : cycle.generation_tokens);
    step.prompt_tokens = 0;
  } else if (cycle.phase != Phase::kUnknown) {
    step.prompt_tokens = number(cycle.context_tokens ? cycle.context_tokens : cycle.tokens);
    step.sequences = generating(cycle.batch, cycle.prompts, cycle.generation_tokens);
    step.prompts = cycle.batch ? std::max(0.0, number(cycle.batch) - step.sequences) : NAN;
    if (std::isnan(step.prompt_tokens)) step.sequences = NAN;
  }
  return step;
}

std::unique_ptr<StepSource> run_source(const Run& run, const Cycles& cycles) {
  auto source = std::make_unique<WholeSource>();
  std::size_t cut = 0;
  for (const Cycle& cycle : cycles.cycles) {
    const std::optional<Step> step = step_of(cycle, run.origin_ns);
    if (!step) {
      ++cut;
      continue;
    }
    std::string name = "process";
    std::optional<std::int64_t> rank;
    if (cycle.process < run.processes.size()) {
      const Process& process = run.processes[cycle.process];
      name += " " + std::to_string(process.os_pid.value_or(process.number));
      rank = process.rank;
    }
    source->add(name, rank, *step);
  }
  if (cut > 0) {
    source->note(count_of(static_cast<std::int64_t>(cut),
                          "step is cut by the recording, and is left out",
                          "steps are cut by the recording, and are left out"));
  }
  source->sort();
  return source;
}

}  // namespace tactus::watch
