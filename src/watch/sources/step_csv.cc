#include "watch/sources/step_csv.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/median.h"
#include "base/printable.h"
#include "base/text.h"
#include "sources/text/csv_reader.h"
#include "sources/text/number.h"

namespace tactus::watch {
namespace {

/// 30 years from the epoch to 300 years after it, in us: what is outside is not a time.
constexpr double kLatestUs = 9.0e15;
/// Longer steps than an hour, and more than a billion tokens, are damage.
constexpr double kLongestUs = 3.6e9;
constexpr double kMostTokens = 1e9;
constexpr std::size_t kMostStreams = 100'000;
/// How many tokens short of one per request a rounded mean can be by itself.
constexpr double kRounding = 1.5;

struct Columns {
  std::optional<std::size_t> job, start, dur, batch, input, output, mode, prompt_tokens, prompts,
      launches;
};

class Reader {
 public:
  explicit Reader(CsvReader& csv) : csv_(csv) {}

  Status find_columns() {
    if (csv_.column("launches") && !csv_.column("batch_size")) return find_launches();
    const bool is_sglang = csv_.column("compute_batch_size").has_value();
    static constexpr std::array<std::string_view, 6> kVllm = {
        "job_name",   "start_ts",         "duration_us",
        "batch_size", "avg_input_length", "avg_output_length"};
    static constexpr std::array<std::string_view, 7> kSglang = {"job_name",
                                                                "start_ts",
                                                                "duration_us",
                                                                "compute_batch_size",
                                                                "compute_avg_input_length",
                                                                "compute_avg_output_length",
                                                                "compute_forward_mode"};
    const std::span<const std::string_view> wanted =
        is_sglang ? std::span<const std::string_view>(kSglang) : kVllm;
    if (Status status = csv_.require(wanted); !status) return status;
    columns_ = {.job = csv_.column(wanted[0]),
                .start = csv_.column(wanted[1]),
                .dur = csv_.column(wanted[2]),
                .batch = csv_.column(wanted[3]),
                .input = csv_.column(wanted[4]),
                .output = csv_.column(wanted[5]),
                .mode = is_sglang ? csv_.column(wanted[6]) : std::nullopt,
                .prompt_tokens = csv_.column("prompt_tokens"),
                .prompts = csv_.column("prompts")};
    return {};
  }

  /// Of a program of which nothing else is known.
  Status find_launches() {
    static constexpr std::array<std::string_view, 4> kWanted = {"job_name", "start_ts",
                                                                "duration_us", "launches"};
    if (Status status = csv_.require(kWanted); !status) return status;
    columns_ = {.job = csv_.column(kWanted[0]),
                .start = csv_.column(kWanted[1]),
                .dur = csv_.column(kWanted[2]),
                .launches = csv_.column(kWanted[3])};
    return {};
  }

  Status read_rows() {
    for (;;) {
      const Result<bool> more = csv_.next();
      if (!more) return more.error();
      if (!*more) return {};
      if (!csv_.fits_header() || !read_row()) ++table_.losses.bad_rows;
    }
  }

  StepTable finish() {
    table_.has_prompt_tokens = columns_.mode || columns_.prompt_tokens || columns_.launches;
    for (std::size_t i = 0; i < table_.streams.size(); ++i) {
      std::vector<Step>& steps = table_.streams[i].steps;
      if (!table_.has_prompt_tokens) label_hidden_prompts(steps, produced_[i]);
      table_.losses.empty_calls += drop_empty_calls(steps);
    }
    std::erase_if(table_.streams, [](const StepStream& stream) { return stream.steps.empty(); });
    return std::move(table_);
  }

 private:
  std::optional<double> number(const std::optional<std::size_t>& column, double most) const {
    if (!column) return std::nullopt;
    const std::optional<double> found = finite_number(trim(csv_.field(*column)));
    return found && *found >= 0 && *found <= most ? found : std::nullopt;
  }

  bool read_row() {
    const std::optional<double> start = number(columns_.start, kLatestUs);
    const std::optional<double> dur = finite_number(trim(csv_.field(*columns_.dur)));
    if (!start || !dur || *dur > kLongestUs) return false;
    Step step{.start_ns = static_cast<std::int64_t>(*start * 1e3), .dur_us = *dur};
    double produced = 0;
    if (!(columns_.launches ? read_launches(step) : read_work(step, produced))) return false;
    if (!(*dur > 0)) {
      ++table_.losses.not_positive;
      return true;
    }
    const std::optional<std::size_t> stream = stream_of(csv_.field(*columns_.job));
    if (!stream) return false;
    std::vector<Step>& steps = table_.streams[*stream].steps;
    if (!steps.empty() && step.start_ns < steps.back().start_ns) {
      ++table_.losses.backwards;
      return true;
    }
    steps.push_back(step);
    produced_[*stream].push_back(produced);
    return true;
  }

  bool read_launches(Step& step) const {
    const std::optional<double> launches = number(columns_.launches, kMostTokens);
    if (launches) step.launches = *launches;
    return launches.has_value();
  }

  /// `produced`: tokens so far, of all requests of the batch.
  bool read_work(Step& step, double& produced) const {
    const std::optional<double> batch = number(columns_.batch, kMostTokens);
    const std::optional<double> input = number(columns_.input, kMostTokens);
    const std::optional<double> output = number(columns_.output, kMostTokens);
    if (!batch || !input || !output) return false;
    step.sequences = *batch;
    step.context = *batch * (*input + *output);
    step.phase = Phase::kDecode;
    produced = *batch * *output;
    if (columns_.mode) {
      const std::optional<double> mode = number(columns_.mode, 100);
      if (!mode) return false;
      if (*mode == 1) {
        step.phase = Phase::kPrefill;
        step.prompts = *batch;
        step.prompt_tokens = *batch * *input;
        step.sequences = 0;
        step.context = 0;
      }
    } else if (columns_.prompt_tokens) {
      const std::optional<double> tokens = number(columns_.prompt_tokens, kMostTokens);
      if (!tokens) return false;
      step.prompt_tokens = *tokens;
      if (columns_.prompts) step.prompts = number(columns_.prompts, kMostTokens).value_or(NAN);
      if (*tokens > 0) step.phase = *batch > 0 ? Phase::kMixed : Phase::kPrefill;
    }
    return true;
  }

  std::optional<std::size_t> stream_of(std::string_view job) {
    if (last_ && table_.streams[*last_].name == job) return last_;
    auto at = places_.find(job);
    if (at == places_.end()) {
      if (table_.streams.size() >= kMostStreams) return std::nullopt;
      at = places_.emplace(std::string(job), table_.streams.size()).first;
      table_.streams.emplace_back().name = printable(job);
      produced_.emplace_back();
    }
    last_ = at->second;
    return last_;
  }

  CsvReader& csv_;
  Columns columns_;
  StepTable table_;
  std::vector<std::vector<double>> produced_;  ///< as the streams of the table
  std::map<std::string, std::size_t, std::less<>> places_;
  std::optional<std::size_t> last_;
};

}  // namespace

void label_hidden_prompts(std::vector<Step>& steps, const std::vector<double>& produced) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    bool is_mixed = i + 1 < steps.size() && steps[i + 1].sequences > steps[i].sequences;
    if (i > 0) {
      is_mixed = is_mixed || steps[i].sequences < steps[i - 1].sequences ||
                 produced[i] < produced[i - 1] + steps[i - 1].sequences - kRounding;
    }
    steps[i].phase = is_mixed ? Phase::kMixed : Phase::kDecode;
  }
  // Nothing in front of it tells what the first step did.
  if (!steps.empty() && steps[0].phase == Phase::kDecode) steps[0].phase = Phase::kUnknown;
}

std::uint64_t drop_empty_calls(std::vector<Step>& steps) {
  if (steps.empty()) return 0;
  std::vector<double> durations;
  durations.reserve(steps.size());
  for (const Step& step : steps) durations.push_back(step.dur_us);
  const double least = upper_median(std::move(durations)) / 10;
  return std::erase_if(steps, [&](const Step& step) { return step.dur_us < least; });
}

Result<StepTable> read_step_csv(InputBytes& bytes) {
  Result<CsvReader> csv = CsvReader::open(bytes);
  if (!csv) return csv.error();
  Reader reader(*csv);
  if (Status status = reader.find_columns(); !status) return status.error();
  if (Status status = reader.read_rows(); !status) return status.error();
  StepTable table = reader.finish();
  if (table.streams.empty()) {
    return input_error(bytes.path() + ": holds no step that can be used (" +
                       count_of(static_cast<std::int64_t>(table.losses.total()), "row", "rows") +
                       " left out: no number where one is needed, or no time)");
  }
  return table;
}

Result<StepTable> read_step_csv(const std::string& path) {
  Result<std::unique_ptr<InputBytes>> bytes = InputBytes::open(path);
  if (!bytes) return bytes.error();
  return read_step_csv(**bytes);
}

}  // namespace tactus::watch
