#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "bench/asked_shapes.h"
#include "bench/candidate/template.h"
#include "bench/results/bench_report.h"
#include "bench/results/merge_results.h"
#include "cli/command.h"
#include "cli/commands/bench/bench_run.h"
#include "cli/commands/bench/bench_watch.h"
#include "cli/gates.h"
#include "cli/inputs/input_guard.h"
#include "cli/inputs/machines.h"
#include "cli/inputs/roofline_inputs.h"
#include "cli/page_file.h"
#include "cli/report_files.h"
#include "cli/terminal.h"
#include "operators/definition.h"
#include "serve/documents/page_content.h"
#include "views/bench/bench_view.h"

namespace tactus::cli {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

class BenchCommand final : public Command {
 public:
  std::string name() const override { return "bench"; }
  std::string description() const override {
    return "Check that a kernel is right, and measure how close to the bound it is";
  }
  std::string details() const override {
    return "Runs every shape in a process of its own, compares the result with a reference and "
           "times it. S is the bound of the machine over the measured time; the score is the "
           "weighted S: the mean of the operators' S, weighted by their importance. Wrong numbers "
           "are explained: where they are, and which typical mistake gives them. Exits with 1 "
           "if a row is wrong, impossible, broken or did not build, with 4 if --fail-under cannot "
           "be judged.";
  }
  std::string examples() const override {
    return "  tactus bench --device cpu --quick\n"
           "  tactus bench --new rms_norm > mine.cpp\n"
           "  tactus bench --operator rms_norm --candidate mine.cpp --fail-under 0.5\n"
           "  tactus bench --new rms_norm --lang triton > mine.py\n"
           "  tactus bench --device cuda --operator rms_norm --candidate mine.py\n"
           "  tactus bench --watch mine.cpp --operator rms_norm --quick\n"
           "  tactus bench --operator rms_norm --candidate mine.cpp --max-seconds 60 --json\n"
           "  tactus bench --device cuda --operator silu_and_mul --candidate mine.cu --rival cuda\n"
           "  tactus bench --device cuda -o h200.json  # resumes an interrupted run\n"
           "  tactus bench --device cuda --rival torch -o h200.json --limit-seconds 480\n"
           "  tactus bench --operator softmax --shape rows=64,columns=4096 --candidate mine.cpp\n"
           "  tactus mine run.tact -o ours.json && tactus bench --catalogue ours.json --quick\n"
           "  tactus bench --compare before.json after.json --fail-on slower\n"
           "  tactus bench --show h200.json --html h200.html --svg roofline.svg --dots s.svg\n"
           "  tactus bench --show monday.json tuesday.json -o both.json --no-samples\n";
  }

  void add_options(Options& options) override {
    options
        .add("--operator", operators_,
             "operators to run, separated by commas (default: all of the catalogue); also gemm, "
             "attention, softmax, add, sub, mul, div, silu, gelu, sum, mean, max, copy, cast, cat, "
             "gather, fill")
        .operator_name()
        .not_empty();
    options
        .add("--shape", shapes_,
             "ids of shapes to run, separated by commas (default: all), or one shape by its "
             "parameters: rows=64,columns=4096,dtype=fp32")
        .type_name("ID|NAME=N")
        .not_empty();
    options.add("--device", device_, "where to run: cpu (default), cuda or cuda:N")
        .type_name("DEVICE")
        .suggestions({"cpu", "cuda"});
    options
        .add("--candidate", request_.candidate,
             "the kernels to measure: cpu, cuda, a library (.so), a source (.cpp, .cu, .hip, .py) "
             "or "
             "a binding of a library (.json) (default: those of the device); reference: the "
             "definitions themselves, which are checked and not timed")
        .file("NAME|FILE")
        .suggestions({"cpu", "cuda", "reference"});
    options
        .add("--watch", watch_,
             "measure this candidate now and after each change of the file; Ctrl-C ends it")
        .file();
    options.add("--rival", request_.rival, "also time this one: as --candidate, or torch")
        .file("NAME|FILE")
        .suggestions({"cpu", "cuda", "torch"});
    options.add("--catalogue", catalogue_, "use the shapes of this catalogue (tactus mine)").file();
    hardware_.add_one_to(options, "the device that runs the kernels");
    options.add("--quick", request_.quick, "one small shape per operator");
    options.add("--check-only", request_.check_only, "check results, measure no times");
    options.add("--seconds", request_.seconds, "time budget per shape (default: 0.5)")
        .type_name("S")
        .between(0, 1e6);
    options
        .add("--max-seconds,--limit-seconds", request_.limit_seconds,
             "time limit for everything; other shapes are skipped, and the next run with the same "
             "-o does them")
        .type_name("S")
        .between(1, 1e6);
    options
        .add("--fail-under", fail_under_,
             "exit 1 if the score (weighted S, between 0 and 1) is below S, 4 if nothing was timed")
        .type_name("S")
        .between(0, 1);
    options.add("--new", new_, "print a source to start a candidate for this operator from")
        .operator_name();
    options.add("--lang", lang_, "of --new (default: cpp, or cu with --device cuda):")
        .choices({"cpp", "cu", "hip", "triton", "torch"});
    options
        .add("--compare", compare_,
             "compare two results: which rows are faster, slower or the same")
        .file("BEFORE AFTER")
        .values(2, 2);
    options
        .add("--fail-on", fail_on_,
             "with --compare: slower: exit 1 if a row is slower, 4 if nothing can be compared")
        .choices({"slower"})
        .type_name("GATE");
    options.add("--show", show_, "report results of one machine, without running anything")
        .file("FILE...")
        .values(1, 1000);
    options
        .add("-o,--output", request_.output,
             "keep results here and resume an interrupted run; - prints JSON")
        .file();
    options.add("--no-samples", request_.no_samples,
                "keep and print results without their raw samples");
    options.add("--html", html_, "write a self-contained HTML page").file();
    options.add("--svg", svg_, "write the roofline plot").file();
    options.add("--dots", dots_, "write the plot of S by operator (SVG)").file();
    options.add("--md", markdown_, "write a Markdown report").file();
    options.add("--force", force_, "overwrite files that exist");
    options.add("--json", json_, "print JSON");
  }

  Result<int> run(const CommonOptions& common) override {
    if (!fail_on_.empty() && compare_.empty()) {
      return usage_error("--fail-on slower: needs --compare BEFORE AFTER");
    }
    if (fail_under_ && !compare_.empty()) {
      return usage_error("--fail-under: is for one result; with --compare give --fail-on slower");
    }
    if (request_.output == kStandardOutput) {
      json_ = true;
      request_.output.clear();
    }
    if (!watch_.empty()) {
      if (Status fits = check_watch(); !fits) return fits.error();
      request_.candidate = watch_;
    }
    if (Status safe = guard_files(); !safe) return safe.error();
    if (!compare_.empty()) return show_comparison();
    if (!show_.empty()) return show_results(common);
    const Status device = read_device();
    if (!device) return device.error();
    if (!lang_.empty() && new_.empty()) return usage_error("--lang: needs --new OPERATOR");
    if (!new_.empty()) return show_template();
    return measure_all(common);
  }

 private:
  Status guard_files() const {
    std::vector<std::string> inputs = hardware_.names();
    for (const auto* list : {&compare_, &show_}) {
      inputs.insert(inputs.end(), list->begin(), list->end());
    }
    inputs.insert(inputs.end(), {catalogue_, request_.candidate, request_.rival});
    if (Status safe = guard_inputs({request_.output}, inputs); !safe) return safe;
    inputs.push_back(request_.output);  // an interrupted run resumes from it
    return guard_inputs({html_, svg_, dots_, markdown_}, inputs);
  }

  /// What has no meaning, or no end, beside --watch.
  Status check_watch() const {
    if (!request_.candidate.empty()) {
      return usage_error("--watch: names the candidate; leave out --candidate");
    }
    if (!compare_.empty() || !show_.empty() || !new_.empty()) {
      return usage_error("--watch: measures; leave out --compare, --show and --new");
    }
    if (fail_under_) {
      return usage_error("--watch: has no result to judge; leave out --fail-under");
    }
    for (const std::string* path : {&html_, &svg_, &dots_, &markdown_}) {
      if (!path->empty()) {
        return usage_error("--watch: prints; leave out --html, --svg, --dots and --md");
      }
    }
    return {};
  }

  /// A list of nothing, such as ",", would mean everything.
  Status names_something() const {
    if (!operators_.empty() && request_.question.operators.empty()) {
      return usage_error("--operator " + operators_ + ": names no operator");
    }
    if (!shapes_.empty() && request_.question.shapes.empty()) {
      return usage_error("--shape " + shapes_ + ": names no shape");
    }
    return {};
  }

  Status read_device() {
    const std::size_t colon = device_.find(':');
    const std::string kind = device_.substr(0, colon);
    if (kind != "cpu" && kind != "cuda") {
      return usage_error(
          fmt::format("--device {}: is not a device; give cpu, cuda or cuda:N", device_));
    }
    request_.device = kind == "cuda" ? TACTUS_CUDA : TACTUS_CPU;
    if (colon == std::string::npos) return {};
    const std::string number = device_.substr(colon + 1);
    if (request_.device == TACTUS_CPU || number.empty() || number.size() > 3 ||
        number.find_first_not_of("0123456789") != std::string::npos) {
      return usage_error(
          fmt::format("--device {}: is not a device; give cpu, cuda or cuda:N", device_));
    }
    request_.ordinal = std::stoi(number);
    return {};
  }

  TemplateLanguage language() const {
    if (lang_ == "triton") return TemplateLanguage::kTriton;
    if (lang_ == "torch") return TemplateLanguage::kTorch;
    if (lang_ == "hip") return TemplateLanguage::kHip;
    const bool cuda = lang_.empty() ? request_.device == TACTUS_CUDA : lang_ == "cu";
    return cuda ? TemplateLanguage::kCuda : TemplateLanguage::kCpp;
  }

  Result<int> show_template() {
    const Result<const OperatorDefinition*> definition = find_definition(new_);
    if (!definition) return definition.error();
    const Status printed = print(candidate_template(**definition, language()));
    if (!printed) return printed.error();
    return kDone;
  }

  static Result<std::vector<BenchResult>> read_results(const std::vector<std::string>& paths) {
    std::vector<BenchResult> results;
    for (const std::string& path : paths) {
      const Result<std::string> text = read_small_file(path);
      if (!text) return text.error();
      Result<BenchResult> result = read_bench_result(*text, path);
      if (!result) return result.error();
      results.push_back(std::move(*result));
    }
    return results;
  }

  Result<int> show_comparison() {
    const Result<std::vector<BenchResult>> read = read_results(compare_);
    if (!read) return read.error();
    const std::vector<BenchResult>& results = *read;
    const Status shown =
        print(json_ ? bench_comparison_json(results[0], results[1])
                    : bench_comparison_text(results[0], results[1], text_columns()));
    if (!shown) return shown.error();
    return judged(fail_on_.empty() ? GateOutcome() : judge_slower(results[0], results[1]));
  }

  Result<int> show_results(const CommonOptions& common) {
    Result<Catalogue> catalogue = open_catalogue(catalogue_);
    if (!catalogue) return catalogue.error();
    Result<std::vector<BenchResult>> results = read_results(show_);
    if (!results) return results.error();
    Result<BenchResult> merged = merge_results(std::move(*results));
    if (!merged) return merged.error();
    std::vector<std::string> names;
    for (const BenchRow& row : merged->rows) names.push_back(row.operator_name);
    add_generic_operators(*catalogue, names);
    const Result<const HardwareProfile*> asked = hardware_.machine(common);
    if (!asked) return asked.error();
    if (*asked != nullptr) bound_by(**asked, *catalogue, *merged);
    merged->score = bench_score(*catalogue, merged->rows);
    if (!request_.output.empty()) {
      const Status saved =
          write_report(request_.output, result_file_text(*merged, request_.no_samples), force_);
      if (!saved) return saved.error();
    }
    return report(*merged, *catalogue, *asked != nullptr ? **asked : hardware_of_result(*merged));
  }

  /// Writes the requested files, and prints the rest.
  Result<int> report(const BenchResult& result, const Catalogue& catalogue,
                     const HardwareProfile& hardware) const {
    const BenchReport reported = make_bench_report(result, catalogue, hardware);
    const auto write = [this](const std::string& path, const auto& show) -> Status {
      if (path.empty()) return {};
      return write_report(path, show(), force_);
    };
    for (const Status& written :
         {html_.empty() ? Status()
                        : write_page(html_, force_, "Benchmark: " + result.machine.name, "bench",
                                     serve::bench_documents(result, catalogue, hardware)),
          write(svg_, [&] { return bench_plot_svg(bench_roofline_plot(reported)); }),
          write(dots_, [&] { return bench_plot_svg(bench_dots_plot(reported)); }),
          write(markdown_, [&] { return bench_markdown(reported); })}) {
      if (!written) return written.error();
    }
    const Status shown = print(json_ ? result_file_text(result, request_.no_samples)
                                     : bench_text(reported, text_columns()));
    if (!shown) return shown.error();
    GateOutcome gate = judge_rows(result);
    if (fail_under_) {
      const GateOutcome complete = judge_completeness(result);
      gate = worse_of(std::move(gate), complete.exit_code != kDone
                                           ? complete
                                           : judge_score(result.score, *fail_under_));
    }
    return judged(gate);
  }

  static int judged(const GateOutcome& gate) {
    if (gate.exit_code != kDone) print_error(gate.reason);
    return gate.exit_code;
  }

  /// Checked before anything is measured: a run may take an hour.
  Status reports_can_be_written() const {
    for (const std::string& path : {html_, svg_, dots_, markdown_}) {
      if (path == kStandardOutput) return write_report(path, "", force_);  // says why not
      std::error_code error;
      if (path.empty() || force_ || !std::filesystem::exists(path, error)) continue;
      return usage_error(path + ": exists already; give --force to overwrite it");
    }
    return {};
  }

  Result<int> measure_all(const CommonOptions& common) {
    if (const Status free = reports_can_be_written(); !free) return free.error();
    if (request_.rival == "reference") {
      return usage_error(
          "--rival reference: the reference is checked and never timed; give cpu, cuda, torch or a "
          "file");
    }
    if (request_.rival == "torch" && request_.device == TACTUS_CPU) {
      return usage_error("--rival torch runs on a GPU: add --device cuda");
    }
    const Result<const HardwareProfile*> hardware = hardware_.machine(common);
    if (!hardware) return hardware.error();
    request_.hardware = *hardware;
    request_.fresh = hardware_.fresh();
    const std::unique_ptr<Progress> progress = make_progress(common.quiet);
    Result<Catalogue> opened = open_catalogue(catalogue_);
    if (!opened) return opened.error();
    request_.question = {
        .operators = split(operators_), .shapes = split(shapes_), .quick = request_.quick};
    if (Status named = names_something(); !named) return named.error();
    const Result<Catalogue> catalogue = asked_catalogue(std::move(*opened), request_.question);
    if (!catalogue) return catalogue.error();
    request_.threads = thread_count(common);
    if (!watch_.empty()) return watch(*catalogue, *progress);
    const Result<MeasuredBench> measured = run_bench(request_, *catalogue, *progress);
    if (!measured) return measured.error();
    if (Status has = check_operators(*measured, common); !has) return has.error();
    if (!measured->warning.empty() && !common.quiet) print_error("warning: " + measured->warning);
    return report(measured->result, *catalogue,
                  measured->hardware ? *measured->hardware : hardware_of_result(measured->result));
  }

  /// An error if a candidate has nothing that was asked for; a word if it lacks something.
  Status check_operators(const MeasuredBench& measured, const CommonOptions& common) const {
    const std::size_t lacking = measured.lacking.size();
    const std::string& named = request_.candidate;
    const bool is_ours = named.empty() || named == "cpu" || named == "cuda" || named == "reference";
    if (lacking == 0 || is_ours) return {};
    const std::string& first = measured.lacking.front();
    const std::string start = "; tactus bench --new " + first + " prints a source to start from";
    if (lacking == measured.asked_operators) {
      return usage_error(measured.lacking_reason +
                         (lacking == 1 ? ""
                                       : fmt::format(", and none of the {} other operators "
                                                     "that were asked for",
                                                     lacking - 1)) +
                         start);
    }
    if (!common.quiet) {
      print_error(
          fmt::format("the candidate lacks {} of the {} operators ({}{}): their rows are "
                      "skipped",
                      lacking, measured.asked_operators, first, lacking > 1 ? ", .." : ""));
    }
    return {};
  }

  Result<int> watch(const Catalogue& catalogue, Progress& progress) {
    const auto show = [this](const BenchResult& result, const WatchedBefore& before) {
      // One line per run, so that a reader knows where a result ends.
      return print(json_ ? Json::parse(result_file_text(result, request_.no_samples)).dump() + "\n"
                         : bench_watch_text(result, before, text_columns()));
    };
    const Status watched = watch_bench(request_, catalogue, progress, show);
    if (!watched) return watched.error();
    return kDone;
  }

  BenchRequest request_;
  std::string watch_;
  std::string operators_;
  std::string shapes_;
  std::string device_ = "cpu";
  std::string catalogue_;
  HardwareOption hardware_;
  std::string fail_on_;
  std::optional<double> fail_under_;
  std::string new_;
  std::string lang_;
  std::vector<std::string> compare_;
  std::vector<std::string> show_;
  std::string html_;
  std::string svg_;
  std::string dots_;
  std::string markdown_;
  bool force_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> bench_command() {
  return std::make_unique<BenchCommand>();
}

}  // namespace tactus::cli
