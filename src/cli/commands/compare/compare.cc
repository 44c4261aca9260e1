#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <set>

#include "base/parallel.h"
#include "classic/second_opinion/report_reader.h"
#include "classic/second_opinion/second_opinion.h"
#include "cli/command.h"
#include "cli/commands/compare/compared_names.h"
#include "cli/commands/compare/roles.h"
#include "cli/gates.h"
#include "cli/inputs/compared_runs.h"
#include "cli/inputs/cycle_options.h"
#include "cli/inputs/filter_options.h"
#include "cli/inputs/input_guard.h"
#include "cli/page_file.h"
#include "cli/report_files.h"
#include "cli/terminal.h"
#include "explain/verdict.h"
#include "serve/documents/page_content.h"
#include "sources/bytes/input_bytes.h"
#include "sources/perf_data/cases.h"
#include "views/classic/classic_view.h"
#include "views/comparison/comparison_view.h"

namespace tactus::cli {
namespace {

namespace fs = std::filesystem;

/// The name of a run in a report: its file without the ending.
std::string name_of(const std::string& path) {
  const fs::path stem = fs::path(path).lexically_normal().stem();
  return (stem.extension() == ".json" ? stem.stem() : stem).string();
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

constexpr std::size_t kLargestReport = 64 << 20;  // [bytes]
constexpr const char* kStandardInput = "-";

class CompareCommand final : public Command {
 public:
  std::string name() const override { return "compare"; }
  std::string description() const override {
    return "Show what changed between two runs: how much, where and why";
  }
  std::string details() const override {
    return "Says whether two runs can be compared, how much longer a step takes with a 95% "
           "interval, which functions the time went to, which counters explain it, and gives a "
           "verdict in one sentence.";
  }
  std::string examples() const override {
    return "  tactus compare good.tact bad.tact                         # the verdict and its "
           "evidence\n"
           "  tactus compare good.json.gz bad.json.gz --html report.html\n"
           "  tactus compare good.tact bad.tact --fail-on regression:5  # exit 1 if more than 5% "
           "slower\n"
           "  # several recordings of each\n"
           "  tactus compare --normal a1.tact a2.tact --abnormal b1.tact b2.tact\n"
           "  # a folder with normal_perf_data/ and abnormal_perf_data/\n"
           "  tactus compare CASE --classic reports\n"
           "  tactus compare report.md                                  # a second opinion on a "
           "classic report\n"
           "  # which of many processes differ\n"
           "  tactus compare --roles a.tact b.tact c_perf_data.csv -o reports\n";
  }

  void add_options(Options& options) override {
    options
        .add("RUN", inputs_,
             "the normal and the abnormal run, a folder that holds both, or a classic report")
        .file("RUN");
    options
        .add("--normal", normal_, "recordings of the normal side; several tell chance from change")
        .file("RUN")
        .values(1, Option::kAny);
    options.add("--abnormal", abnormal_, "recordings of the other side")
        .file("RUN")
        .values(1, Option::kAny);
    options.add("--phase", phase_, "only steps of this phase:")
        .choices(kPhaseChoices)
        .type_name("PHASE");
    options
        .add("--counters", counters_,
             "counter samples (CSV) for the runs: one file for both, or one for each, normal first")
        .file("FILE");
    options.add("--pid", pid_, "only this process: N, or N:M if it differs between the runs")
        .type_name("N[:M]")
        .not_empty();
    options.add("--rank", rank_, "only this rank of both runs");
    times_.add_times_to(options, "steps of a trace");
    for (const char* filter : {"--device", "--stream"}) {
      options.refuse(filter,
                     "a step is compared with all that it had done, on every device and stream; "
                     "--rank and --pid choose whose steps");
    }
    options.add("--skip-warmup", skip_warmup_,
                "leave out the first N cycles of each process of a trace");
    options.add("--json", json_, "print JSON");
    options.add("--html", html_, "write a self-contained HTML page").file();
    options.add("--md", markdown_, "write a Markdown report").file();
    options.add("--classic", classic_, "write the classic report (.md and .csv) to this folder")
        .folder();
    options
        .add("--fail-on", gate_,
             "regression:PCT: exit 1 if a step is more than PCT percent slower, 4 if that cannot "
             "be judged")
        .type_name("GATE")
        .suggestions({"regression:5"})
        .not_empty();
    options.add("--roles", roles_, "compare all processes of all runs with each other");
    options
        .add("-o,--output", output_,
             "the folder for the reports of --roles; - prints the overview only")
        .folder();
    options.add("--force", force_, "overwrite files that exist");
  }

  Result<int> run(const CommonOptions& common) override {
    if (Status status = read_options(); !status) return status.error();
    if (roles_) {
      return compare_roles_of({.inputs = inputs_,
                               .folder = output_,
                               .force = force_,
                               .json = json_,
                               .phase = kPhaseNames.at(phase_),
                               .warmup = skip_warmup_},
                              common);
    }
    const Result<GateOutcome> gate = compare_two(common);
    if (!gate) return gate.error();
    if (gate->exit_code != kDone) print_error(gate->reason);
    return gate->exit_code;
  }

 private:
  Result<GateOutcome> compare_two(const CommonOptions& common) const {
    if (!normal_.empty() || !abnormal_.empty()) return compare_several(common);
    if (inputs_.size() > 2) {
      return usage_error(
          "compare: give two runs, or one folder; --normal A1 A2 --abnormal B1 B2 takes several "
          "recordings of each, --roles compares processes");
    }
    if (inputs_.size() == 2) return compare_pair(common, {{{inputs_[0]}, {inputs_[1]}}});
    if (is_folder(inputs_[0])) return compare_folder(common);
    return give_second_opinion();
  }

  /// NORMAL and ABNORMAL, if they are given, are the first recordings of their sides.
  Result<GateOutcome> compare_several(const CommonOptions& common) const {
    std::array<std::vector<std::string>, 2> sides;
    if (inputs_.size() == 2) sides = {{{inputs_[0]}, {inputs_[1]}}};
    sides[0].insert(sides[0].end(), normal_.begin(), normal_.end());
    sides[1].insert(sides[1].end(), abnormal_.begin(), abnormal_.end());
    if (inputs_.size() == 1 || inputs_.size() > 2 || sides[0].empty() || sides[1].empty()) {
      return usage_error(
          "compare: give two runs, or recordings with --normal and --abnormal, or both");
    }
    if (!classic_.empty() && std::max(sides[0].size(), sides[1].size()) > 1) {
      return usage_error("--classic: the classic report takes one recording of each side");
    }
    // A recording and itself always agree, which says nothing about chance.
    for (const std::vector<std::string>& side : sides) {
      std::set<fs::path> seen;
      for (const std::string& path : side) {
        std::error_code error;
        const fs::path place = fs::weakly_canonical(path, error);
        if (!seen.insert(error ? fs::path(path) : place).second) {
          return usage_error("compare: " + path + " is given twice for one side");
        }
      }
    }
    return compare_pair(common, sides);
  }

  Status read_options() {
    if (inputs_.empty() && normal_.empty() && abnormal_.empty()) {
      return usage_error("compare: give two runs, one folder that holds both, or a classic report");
    }
    if (counters_.size() > 2) {
      return usage_error("--counters: give one file for both runs, or one for each");
    }
    if (!roles_ && !output_.empty()) {
      return usage_error("-o is for --roles; --html, --md and --classic write other reports");
    }
    if (roles_ && !gate_.empty()) {
      return usage_error("--fail-on needs two runs; --roles does not compare just two");
    }
    if (classic_ == kStandardOutput) {
      return usage_error("--classic -: write the name of a folder; its reports are two files each");
    }
    if (!html_.empty() && html_ == markdown_) {
      return usage_error("--html and --md write to the same file, " + html_ + "; give two names");
    }
    std::vector<std::string> inputs = inputs_;
    for (const auto* more : {&normal_, &abnormal_, &counters_}) {
      inputs.insert(inputs.end(), more->begin(), more->end());
    }
    if (Status safe = guard_inputs({html_, markdown_}, inputs); !safe) return safe;
    if (!pid_.empty()) {
      const std::size_t colon = pid_.find(':');
      const std::string parts[2] = {pid_.substr(0, colon),
                                    colon == std::string::npos ? pid_ : pid_.substr(colon + 1)};
      for (std::size_t i = 0; i < 2; ++i) {
        std::int64_t value = 0;
        const char* const end = parts[i].data() + parts[i].size();
        const auto [stop, error] = std::from_chars(parts[i].data(), end, value);
        if (error != std::errc() || stop != end) {
          return usage_error("--pid " + pid_ + ": is not a process id; write N or N:M");
        }
        pids_[i] = value;
      }
    }
    if (!gate_.empty()) {
      const Result<double> percent = read_regression_gate(gate_);
      if (!percent) return percent.error();
      gate_percent_ = *percent;
    }
    return {};
  }

  Result<GateOutcome> compare_folder(const CommonOptions& common) const {
    const Result<std::vector<perf_data::CaseFiles>> cases = perf_data::find_cases(inputs_[0]);
    if (!cases) return cases.error();
    if (cases->size() > 1 && (json_ || !html_.empty() || !markdown_.empty())) {
      return usage_error(inputs_[0] +
                         ": holds several cases; --json, --html and --md take one at a time");
    }
    GateOutcome worst;
    for (const perf_data::CaseFiles& found : *cases) {
      Result<GateOutcome> gate =
          compare_pair(common, {found.normal, found.abnormal}, found.identifier);
      if (!gate) return gate.error();
      worst = worse_of(std::move(worst), std::move(*gate));
    }
    return worst;
  }

  Result<GateOutcome> compare_pair(const CommonOptions& common, const ComparedFiles& files,
                                   const std::string& identifier = "") const {
    ComparedRuns runs(common);
    if (Status status = runs.open(files, counters_); !status) return status.error();
    const Result<SliceFilter> times = times_.resolve();
    if (!times) return times.error();
    const CompareQuestion question{
        .pids = pids_, .rank = rank_, .steps = {.times = *times, .warmup = skip_warmup_}};
    if (Status status = runs.prepare(question); !status) return status.error();
    Comparison comparison;
    Result<std::vector<ClassicReport>> reports = std::vector<ClassicReport>();
    // Neither needs anything of the other: the verdict looks at the sides, the report at the runs.
    const bool wants_rows = !classic_.empty() || (json_ && runs.are_patterns());
    parallel_for(thread_count(common), wants_rows ? 2 : 1, [&](std::size_t task, unsigned) {
      if (task == 0) comparison = compare(runs.side(0), runs.side(1), kPhaseNames.at(phase_));
      if (task == 1) reports = classic_reports(runs, identifier);
    });
    if (!reports) return reports.error();
    if (identifier.empty()) comparison.labels = labels_of(files);
    name_files(files, runs.are_patterns(), comparison.next);
    if (!classic_.empty()) {
      if (Status written = write_classic(*reports, common); !written) return written.error();
    }
    ComparisonContext context = context_of(runs.run(0), runs.run(1), comparison.labels);
    if (!reports->empty()) context.rows = &reports->front().rows;
    if (!html_.empty()) {
      if (Status status = write_page_of(runs, comparison, context, common); !status) {
        return status.error();
      }
    }
    if (Status status = show(comparison, context); !status) return status.error();
    if (!gate_percent_) return GateOutcome();
    return judge_regression(comparison, *gate_percent_);
  }

  /// The page of tactus report, opened at the comparison.
  Status write_page_of(const ComparedRuns& runs, const Comparison& comparison,
                       const ComparisonContext& context, const CommonOptions& common) const {
    std::vector<PageRun> list;
    std::vector<PageDocument> documents = {
        {.name = "compare", .is_json = true, .bytes = show_comparison_json(comparison, context)}};
    std::vector<std::string> warnings;
    NoProgress progress;
    for (std::size_t which = 0; which < 2; ++which) {
      serve::RunDocuments made(runs.run(which), comparison.labels[which],
                               {.threads = thread_count(common)}, progress);
      list.push_back(made.in_list());
      if (Status added =
              serve::add_run_documents(made, runs.run(which), which, documents, warnings);
          !added) {
        return added;
      }
    }
    documents.insert(documents.begin(),
                     {.name = "runs", .is_json = true, .bytes = show_page_runs(list)});
    return write_page(html_, force_, comparison.labels[1] + " against " + comparison.labels[0],
                      "compare", std::move(documents), std::move(warnings));
  }

  Status show(const Comparison& comparison, const ComparisonContext& context) const {
    if (!markdown_.empty()) {
      Status written = write_report(markdown_, show_comparison_markdown(comparison), force_);
      if (!written) return written;
    }
    return print(json_ ? show_comparison_json(comparison, context)
                       : show_comparison_text(comparison, text_columns()));
  }

  Result<GateOutcome> give_second_opinion() const {
    std::error_code error;
    const bool is_piped = inputs_[0] == kStandardInput;
    if (!is_piped && !fs::exists(inputs_[0], error)) {
      return usage_error(inputs_[0] + (error ? ": " + error.message() : ": does not exist"));
    }
    const std::optional<std::string> text = small_text(inputs_[0], kLargestReport);
    const std::optional<ClassicReportText> report =
        text ? read_classic_report(*text) : std::nullopt;
    if (!report) {
      return usage_error(
          (is_piped ? "standard input" : inputs_[0]) +
          ": is not a classic report, and one run alone cannot be compared; give two "
          "runs, or a folder with normal_perf_data/ and abnormal_perf_data/");
    }
    const Comparison comparison = second_opinion(*report);
    if (!html_.empty()) {
      const Status written = write_page(
          html_, force_, serve::file_name(is_piped ? "standard input" : inputs_[0]), "opinion",
          {{.name = "opinion",
            .is_json = true,
            .bytes = show_comparison_json(comparison, context_of(*report))}});
      if (!written) return written.error();
    }
    if (Status status = show(comparison, context_of(*report)); !status) return status.error();
    return gate_percent_ ? judge_regression(comparison, *gate_percent_) : GateOutcome();
  }

  Result<std::vector<ClassicReport>> classic_reports(const ComparedRuns& runs,
                                                     const std::string& identifier) const {
    const std::vector<PatternFile> normal = runs.pattern_files(0);
    const std::vector<PatternFile> abnormal = runs.pattern_files(1);
    const std::string names[2] = {name_of(normal.front().path), name_of(abnormal.front().path)};
    const std::string own = names[0] == names[1] ? names[0] : names[0] + "_vs_" + names[1];
    const std::vector<ClassicPair> pairs =
        identifier.empty() ? pair_processes(normal.front(), abnormal.front(), own)
                           : pair_case(normal, abnormal, identifier);
    std::vector<ClassicReport> reports;
    for (const ClassicPair& pair : pairs) {
      reports.push_back(report_pair(pair));
      if (Status status = runs.status(); !status) return status.error();
    }
    return reports;
  }

  /// All of them, or none if one of the files exists.
  Status write_classic(const std::vector<ClassicReport>& reports,
                       const CommonOptions& common) const {
    if (Status made = make_folder(classic_); !made) return made;
    std::vector<std::string> stems;
    for (const ClassicReport& report : reports) {
      stems.push_back((fs::path(classic_) / report.file_stem).string());
      const std::vector<std::string> files = {stems.back() + ".csv", stems.back() + ".md"};
      if (Status safe = guard_inputs(files, inputs_); !safe) return safe;
      if (Status free = guard_existing(files, force_); !free) return free;
    }
    for (std::size_t i = 0; i < reports.size(); ++i) {
      std::string markdown;
      Status written;
      parallel_for(thread_count(common), 2, [&](std::size_t task, unsigned) {
        if (task == 0) markdown = classic_markdown(reports[i]);
        if (task == 1) written = write_report(stems[i] + ".csv", classic_csv(reports[i]), force_);
      });
      if (written) written = write_report(stems[i] + ".md", markdown, force_);
      if (!written) return written;
    }
    return {};
  }

  std::vector<std::string> inputs_;
  std::string pid_;
  std::array<std::optional<std::int64_t>, 2> pids_;
  std::optional<std::int64_t> rank_;
  FilterOptions times_;
  std::size_t skip_warmup_ = 0;
  std::string html_;
  std::string markdown_;
  std::string classic_;
  std::string gate_;
  std::optional<double> gate_percent_;
  std::vector<std::string> normal_;
  std::vector<std::string> abnormal_;
  std::vector<std::string> counters_;
  std::string phase_ = "all";
  std::string output_;
  bool roles_ = false;
  bool json_ = false;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> compare_command() {
  return std::make_unique<CompareCommand>();
}

}  // namespace tactus::cli
