#include "bench/bench.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "base/file.h"
#include "base/parallel.h"
#include "bench/bench_report.h"
#include "bench/candidate_build.h"
#include "bench/compact_result.h"
#include "bench/cuda_facts.h"
#include "bench/machine_facts.h"
#include "bench/merge_results.h"
#include "bench/template.h"
#include "bench/torch_rival.h"
#include "cli/command.h"
#include "cli/report_files.h"
#include "cli/roofline_inputs.h"
#include "cli/terminal.h"
#include "hardware/host_machine.h"
#include "hardware/measure_host.h"
#include "operators/definition.h"
#include "views/bench_html.h"
#include "views/bench_markdown.h"
#include "views/bench_plot.h"
#include "views/bench_text.h"

namespace tactus::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLargestOnCpu = 1e11;  // [FLOP]; beyond, a shape takes minutes
constexpr double kSaveEverySeconds = 5;
/// Of a limit on everything, for the candidate: the rivals of torch are several.
constexpr double kShareBeforeTorch = 0.5;

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

/// Not known to any candidate before it runs.
std::uint64_t secret_salt() {
  std::uint64_t salt = 0;
  if (getrandom(&salt, sizeof salt, 0) != sizeof salt) {
    salt = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
  }
  return salt;
}

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
    return "Is a kernel right, and how close to the bound is it?";
  }
  std::string examples() const override {
    return "  tactus bench --device cpu --quick\n"
           "  tactus bench --new rms_norm > mine.cpp\n"
           "  tactus bench --operator rms_norm --candidate mine.cpp\n"
           "  tactus bench --device cuda --operator silu_and_mul --candidate mine.cu --rival cuda\n"
           "  tactus bench --device cuda -o h200.json        (goes on where it was broken off)\n"
           "  tactus bench --device cuda --rival torch -o h200.json --limit-seconds 480\n"
           "  tactus bench --compare before.json after.json\n"
           "  tactus bench --show h200.json --html h200.html --svg roofline.svg --dots s.svg\n"
           "  tactus bench --show monday.json tuesday.json -o both.json --no-samples\n";
  }

  void add_options(CLI::App& app) override {
    app.add_option("--operator", operators_, "operators, separated by commas (default: all)");
    app.add_option("--shape", shapes_, "ids of shapes, separated by commas (default: all)");
    app.add_option("--device", device_, "cpu, cuda or cuda:N (default: cpu)");
    app.add_option(
        "--candidate", candidate_,
        "cpu, cuda, reference, a .so, or a .cpp or .cu that is compiled (default: as the "
        "device)");
    app.add_option("--rival", rival_, "what to time beside it: as --candidate, or torch");
    app.add_option("--catalogue", catalogue_,
                   "shapes of `tactus mine` instead of the built-in ones");
    app.add_flag("--quick", quick_, "one small shape of each operator");
    app.add_flag("--check-only", check_only_, "no timing");
    app.add_option("--seconds", seconds_, "to time a shape at most (default: 0.5)");
    app.add_option("--limit-seconds", limit_seconds_,
                   "for everything: what is not reached is left for the next run with the same -o")
        ->check(CLI::Range(1.0, 1e6));
    app.add_option("--new", new_, "print a candidate for this operator to start from");
    app.add_option("--compare", compare_, "two results: which rows are faster, slower, the same")
        ->expected(2);
    app.add_option("--show", show_, "report these results of one machine without running anything")
        ->type_name("FILE...")
        ->expected(1, 1000);
    app.add_option("-o,--output", output_, "keep results here; finished rows are not run again")
        ->type_name("FILE");
    app.add_flag("--no-samples", no_samples_, "keep and print results without their raw samples");
    app.add_option("--html", html_, "write a page with everything in it")->type_name("FILE");
    app.add_option("--svg", svg_, "write the roofline plot")->type_name("FILE");
    app.add_option("--dots", dots_, "write the plot of S by operator (SVG)")->type_name("FILE");
    app.add_option("--md", markdown_, "write it as Markdown")->type_name("FILE");
    app.add_flag("--force", force_, "replace files that are there");
    app.add_flag("--json", json_, "print JSON");
  }

  Result<int> run(const CommonOptions& common) override {
    if (!compare_.empty()) return show_comparison();
    if (!show_.empty()) return show_results();
    const Status device = read_device();
    if (!device) return device.error();
    if (!new_.empty()) return show_template();
    return measure_all(common);
  }

 private:
  Status read_device() {
    const std::size_t colon = device_.find(':');
    const std::string kind = device_.substr(0, colon);
    if (kind != "cpu" && kind != "cuda") {
      return usage_error(fmt::format("--device {}: cpu, cuda or cuda:N is meant", device_));
    }
    kind_ = kind == "cuda" ? TACTUS_CUDA : TACTUS_CPU;
    if (colon == std::string::npos) return {};
    const std::string number = device_.substr(colon + 1);
    if (kind_ == TACTUS_CPU || number.empty() || number.size() > 3 ||
        number.find_first_not_of("0123456789") != std::string::npos) {
      return usage_error(fmt::format("--device {}: cpu, cuda or cuda:N is meant", device_));
    }
    ordinal_ = std::stoi(number);
    return {};
  }

  Result<int> show_template() {
    const Result<const OperatorDefinition*> definition = find_definition(new_);
    if (!definition) return definition.error();
    return printed(candidate_template(**definition, kind_));
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
    return printed(json_ ? bench_comparison_json(results[0], results[1])
                         : bench_comparison_text(results[0], results[1], text_columns()));
  }

  Result<int> show_results() {
    const Result<Catalogue> catalogue = open_catalogue(catalogue_);
    if (!catalogue) return catalogue.error();
    Result<std::vector<BenchResult>> results = read_results(show_);
    if (!results) return results.error();
    Result<BenchResult> merged = merge_results(std::move(*results));
    if (!merged) return merged.error();
    merged->score = bench_score(*catalogue, merged->rows);
    if (!output_.empty()) {
      const Status saved = write_report(output_, text_of(*merged), force_);
      if (!saved) return saved.error();
    }
    return report(*merged, *catalogue, hardware_of_result(*merged));
  }

  /// Writes the files that were asked for, and prints the rest.
  Result<int> report(const BenchResult& result, const Catalogue& catalogue,
                     const HardwareProfile& hardware) const {
    const BenchReport reported = make_bench_report(result, catalogue, hardware);
    const auto write = [this](const std::string& path, const auto& show) -> Status {
      if (path.empty()) return {};
      return write_report(path, show(), force_);
    };
    for (const Status& written :
         {write(html_, [&] { return bench_html(reported); }),
          write(svg_, [&] { return bench_plot_svg(bench_roofline_plot(reported)); }),
          write(dots_, [&] { return bench_plot_svg(bench_dots_plot(reported)); }),
          write(markdown_, [&] { return bench_markdown(reported); })}) {
      if (!written) return written.error();
    }
    return printed(json_ ? text_of(result) : bench_text(reported, text_columns()));
  }

  /// Before anything is measured: a run may take an hour.
  Status reports_can_be_written() const {
    for (const std::string& path : {html_, svg_, dots_, markdown_}) {
      std::error_code error;
      if (path.empty() || force_ || !std::filesystem::exists(path, error)) continue;
      return usage_error(path + ": exists already; give --force to overwrite it");
    }
    return {};
  }

  std::string text_of(const BenchResult& result) const {
    const std::string text = bench_result_text(result);
    return no_samples_ ? compact_result_text(text) : text;
  }

  Result<int> measure_all(const CommonOptions& common) {
    begin_ = Clock::now();
    if (const Status free = reports_can_be_written(); !free) return free.error();
    if (rival_ == "torch" && kind_ == TACTUS_CPU) {
      return usage_error("--rival torch runs on a GPU: add --device cuda");
    }
    const std::unique_ptr<Progress> progress = make_progress(common.quiet || json_);
    Result<Catalogue> catalogue = open_catalogue(catalogue_);
    if (!catalogue) return catalogue.error();
    const Result<std::vector<BenchTask>> tasks = plan_bench(
        *catalogue, {.operators = split(operators_), .shapes = split(shapes_), .quick = quick_});
    if (!tasks) return tasks.error();

    BenchResult result;
    const Result<HardwareProfile> hardware = describe_machine(result.machine, *progress);
    if (!hardware) return hardware.error();
    if (const Status resumed = resume(result); !resumed) return resumed.error();

    const Result<BuildFolder> folder = BuildFolder::make();
    if (!folder) return folder.error();
    remove_folder_if_interrupted(folder->path());
    const std::string device_name = kind_ == TACTUS_CUDA ? "cuda" : "cpu";
    const Result<Candidate> candidate =
        find_candidate(candidate_.empty() ? device_name : candidate_, kind_, ordinal_, *folder);
    if (!candidate && candidate.error().message.find("does not compile") == std::string::npos) {
      return candidate.error();
    }
    std::optional<Candidate> rival;
    if (!rival_.empty() && rival_ != "torch") {
      Result<Candidate> found = find_candidate(rival_, kind_, ordinal_, *folder);
      if (!found) return found.error();
      rival = std::move(*found);
    }
    if (!candidate) {
      tell(candidate.error().message);
      build_failed(*tasks, result);
    } else {
      const Status ran = run_tasks(*tasks, *candidate, rival ? &*rival : nullptr, *hardware, common,
                                   *progress, *catalogue, result);
      if (!ran) return ran.error();
    }
    if (const Status settled = settle_bounds(*tasks, *hardware, *progress, result); !settled) {
      return settled.error();
    }
    if (rival_ == "torch" && !check_only_) {
      const Status asked = run_torch(*tasks, folder->path(), *progress, result);
      if (!asked) return asked.error();
    }
    result.score = bench_score(*catalogue, result.rows);
    if (const Status saved = save(result); !saved) return saved.error();
    return report(result, *catalogue, *hardware);
  }

  HostOptions host_options() const {
    HostOptions options;
    if (quick_) options.time_per_figure = std::chrono::milliseconds(50);
    return options;
  }

  Result<HardwareProfile> describe_machine(BenchMachine& machine, Progress& progress) {
    machine.date = today();
    if (kind_ == TACTUS_CPU) {
      Result<HardwareProfile> host = measure_host(progress, /*fresh=*/true, host_options());
      if (!host) return host.error();
      machine.name = read_host_machine().processor;
      machine.profile = host->name;
      machine.memory_bandwidth = host->memory_bandwidth.value;
      return host;
    }
    const Result<CudaFacts> facts = cuda_facts(ordinal_);
    if (!facts) return facts.error();
    machine.name = facts->name;
    machine.driver = facts->driver;
    if (const std::string release = read_driver().release; !release.empty()) {
      machine.driver += fmt::format(" (driver {})", release);
    }
    const HardwareProfile* profile = hardware_of_device(facts->name);
    if (profile == nullptr) {
      return input_error(
          fmt::format("no hardware profile for {}: write one (docs/hardware.md) or measure it with "
                      "`tactus roofline --hardware cuda`",
                      facts->name));
    }
    machine.profile = profile->name;
    machine.memory_bandwidth = profile->memory_bandwidth.value;
    return *profile;
  }

  /// The host's ceilings are measured once more at the end, and the better ones count: a machine
  /// that was busy at the start would make kernels look better than they are.
  Status settle_bounds(const std::vector<BenchTask>& tasks, const HardwareProfile& hardware,
                       Progress& progress, BenchResult& result) const {
    if (kind_ != TACTUS_CPU || check_only_) return {};
    const Result<HardwareProfile> again = measure_host(progress, /*fresh=*/true, host_options());
    if (!again) return again.error();
    const HardwareProfile best = best_of(hardware, *again);
    result.machine.memory_bandwidth = best.memory_bandwidth.value;
    for (BenchRow& row : result.rows) {
      for (const BenchTask& task : tasks) {
        if (task.op->name == row.operator_name && task.shape->id == row.shape_id) {
          add_bound(row, *task.op, *task.shape, best);
        }
      }
    }
    return {};
  }

  /// Takes over the rows of an earlier, unfinished run into the same file.
  Status resume(BenchResult& result) const {
    std::error_code error;
    if (output_.empty() || !std::filesystem::exists(output_, error)) return {};
    const Result<std::string> text = read_small_file(output_);
    if (!text) return text.error();
    Result<BenchResult> earlier = read_bench_result(*text, output_);
    if (!earlier) return earlier.error();
    if (earlier->machine.name != result.machine.name) {
      return usage_error(fmt::format("{} was measured on {}, this is {}: choose another file",
                                     output_, earlier->machine.name, result.machine.name));
    }
    result.rows = std::move(earlier->rows);
    return {};
  }

  static bool has(const BenchResult& result, const BenchTask& task, const std::string& candidate) {
    for (const BenchRow& row : result.rows) {
      if (row.operator_name == task.op->name && row.shape_id == task.shape->id &&
          row.candidate == candidate) {
        return true;
      }
    }
    return false;
  }

  void build_failed(const std::vector<BenchTask>& tasks, BenchResult& result) const {
    for (const BenchTask& task : tasks) {
      BenchRow row;
      row.operator_name = task.op->name;
      row.shape_id = task.shape->id;
      row.candidate = std::filesystem::path(candidate_).filename().string();
      row.status = BenchStatus::kBuildFailed;
      row.reason = "it does not compile";
      if (!has(result, task, row.candidate)) result.rows.push_back(std::move(row));
    }
  }

  Status run_tasks(const std::vector<BenchTask>& tasks, const Candidate& candidate,
                   const Candidate* rival, const HardwareProfile& hardware,
                   const CommonOptions& common, Progress& progress, const Catalogue& catalogue,
                   BenchResult& result) {
    MeasureOptions options;
    options.check_only = check_only_;
    options.threads = thread_count(common);
    options.stop.seconds = seconds_;
    if (quick_) {
      options.stop.seconds = std::min(seconds_, 0.1);
      options.stop.at_least = 6;  // the fewest that give an interval
      options.seeds = 1;          // and one more draw in the timed calls
      options.check_work = 1e8;
      options.beside_copies = kind_ == TACTUS_CUDA;  // flushing a host takes long
    }
    MeasureMemory memory;
    options.memory = &memory;
    options.salt = secret_salt();
    if (kind_ == TACTUS_CPU) options.largest_flops = kLargestOnCpu;
    Clock::time_point saved = Clock::now();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const BenchTask& task = tasks[i];
      progress.update(fmt::format("{} {}", task.op->name, task.shape->id), i, tasks.size());
      if (has(result, task, candidate.name)) continue;
      if (seconds_left(rival_ == "torch" ? kShareBeforeTorch : 1) <= 0) {
        tell(fmt::format("the time was up at {} {}", task.op->name, task.shape->id));
        return {};
      }
      options.salt += 0x9e3779b97f4a7c15ull;
      BenchRow row = measure(*task.op, *task.shape, candidate, &hardware, options);
      if (rival != nullptr && row.status != BenchStatus::kSkipped) {
        const BenchRow other = measure(*task.op, *task.shape, *rival, &hardware, options);
        if (other.t_ns) row.rival = RivalTime{rival->name, *other.t_ns};
        if (!other.t_ns) {
          row.note +=
              fmt::format("the rival: {}", other.reason.empty() ? "not timed" : other.reason);
        }
      }
      result.rows.push_back(std::move(row));
      if (std::chrono::duration<double>(Clock::now() - saved).count() > kSaveEverySeconds) {
        result.score = bench_score(catalogue, result.rows);
        if (Status status = save(result); !status) return status;
        saved = Clock::now();
      }
    }
    return {};
  }

  double seconds_left(double share) const {
    if (limit_seconds_ <= 0) return std::numeric_limits<double>::infinity();
    return limit_seconds_ * share - std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  /// PyTorch and its libraries on every row that has no rival yet, after the candidate.
  Status run_torch(const std::vector<BenchTask>& tasks, const std::string& folder,
                   Progress& progress, BenchResult& result) {
    TorchQuestion question;
    question.device = ordinal_;
    question.seconds = seconds_;
    std::map<std::pair<std::string, std::string>, std::vector<BenchRow*>> rows;
    for (BenchRow& row : result.rows) {
      if (row.rivals.empty()) rows[{row.operator_name, row.shape_id}].push_back(&row);
    }
    for (const BenchTask& task : tasks) {
      if (rows.contains({task.op->name, task.shape->id})) question.tasks.push_back(task);
    }
    if (question.tasks.empty()) return {};
    if (limit_seconds_ > 0) question.limit_seconds = std::max(1.0, seconds_left(1));
    Clock::time_point saved = Clock::now();
    Status status;
    std::set<std::pair<std::string, std::string>> seen;
    progress.update("torch starts", 0, question.tasks.size());
    const TorchOutcome outcome = ask_torch(question, folder, [&](const TorchAnswer& answer) {
      seen.insert({answer.operator_name, answer.shape_id});
      progress.update(fmt::format("torch: {} {}", answer.operator_name, answer.shape_id),
                      seen.size(), question.tasks.size());
      for (BenchRow* row : rows[{answer.operator_name, answer.shape_id}]) {
        add_rival(*row, answer.measurement);
      }
      if (std::chrono::duration<double>(Clock::now() - saved).count() < kSaveEverySeconds) return;
      status = save(result);
      saved = Clock::now();
    });
    if (!outcome.complaint.empty()) tell(outcome.complaint);
    if (outcome.complaint.empty() && seen.size() < question.tasks.size()) {
      tell(fmt::format("the time was up for torch after {} of {} shapes", seen.size(),
                       question.tasks.size()));
    }
    return status;
  }

  Status save(const BenchResult& result) const {
    if (output_.empty()) return {};
    return write_report(output_, text_of(result), /*replace=*/true);
  }

  static Result<int> printed(const std::string& text) {
    const Status status = print(text);
    if (!status) return status.error();
    return kDone;
  }

  std::string operators_;
  std::string shapes_;
  std::string device_ = "cpu";
  std::string candidate_;
  std::string rival_;
  std::string catalogue_;
  std::string new_;
  std::vector<std::string> compare_;
  std::vector<std::string> show_;
  std::string output_;
  std::string html_;
  std::string svg_;
  std::string dots_;
  std::string markdown_;
  bool no_samples_ = false;
  bool force_ = false;
  bool quick_ = false;
  bool check_only_ = false;
  bool json_ = false;
  double seconds_ = 0.5;
  double limit_seconds_ = 0;  ///< 0: none
  Clock::time_point begin_;
  tactus_device kind_ = TACTUS_CPU;
  int ordinal_ = 0;
};

}  // namespace

std::unique_ptr<Command> bench_command() {
  return std::make_unique<BenchCommand>();
}

}  // namespace tactus::cli
