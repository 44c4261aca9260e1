#include "cli/commands/bench/bench_run.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "base/file.h"
#include "base/hash.h"
#include "base/printable.h"
#include "bench/candidate/candidate_build.h"
#include "bench/device/cuda_facts.h"
#include "bench/measure.h"
#include "bench/results/compact_result.h"
#include "bench/rivals/torch_rival.h"
#include "check/machine_facts.h"
#include "cli/command.h"
#include "cli/inputs/roofline_inputs.h"
#include "cli/report_files.h"
#include "hardware/host_machine.h"
#include "hardware/measure_host.h"

namespace tactus::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLargestOnCpu = 1e11;  // [FLOP]; a larger shape takes minutes
constexpr double kSaveEverySeconds = 5;
constexpr int kMostTimesMeasured = 5;  // the host, if rows look impossible
constexpr double kPatience = 60;       // [s] for one call
constexpr double kLeastPatience = 1;   // [s] when the time for everything is nearly over
/// The candidate's share of a total limit: torch has several rivals.
constexpr double kShareBeforeTorch = 0.5;

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

/// No candidate can know it before it runs.
std::uint64_t secret_salt() {
  std::uint64_t salt = 0;
  if (getrandom(&salt, sizeof salt, 0) != sizeof salt) {
    salt = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
  }
  return salt;
}

/// The hash of the code that runs: the library, or this program, which has our kernels.
std::string content_of(const Candidate& candidate) {
  const std::string path = candidate.path.empty() ? "/proc/self/exe" : candidate.path;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return fmt::format("{:016x}", hash_bytes(bytes));
}

/// The first line of a compiler's output that is an error, after a colon; nothing if none is.
std::string first_complaint(const std::string& message) {
  const std::size_t word = message.find("error:");
  if (word == std::string::npos) return {};
  const std::size_t begin = message.rfind('\n', word) + 1;
  const std::string line = message.substr(begin, message.find('\n', word) - begin);
  // Without the folder that the candidate is in.
  const std::size_t colon = line.find(':');
  const std::size_t slash = line.rfind('/', colon);
  return ": " + (slash == std::string::npos ? line : line.substr(slash + 1));
}

/// As the compiler wrote it: with its own lines and indents, which point at places in them. Only
/// what controls a terminal is made visible.
void print_compiler_output(const std::string& message) {
  std::string text;
  std::string piece;
  const auto end_piece = [&](char with) {
    text += printable(piece) + with;
    piece.clear();
  };
  for (const char c : message) {
    if (c == '\n' || c == '\t') {
      end_piece(c);
    } else if (c != '\r') {
      piece += c;
    }
  }
  if (!piece.empty()) end_piece('\n');
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void name_profile(const HardwareProfile& hardware, BenchMachine& machine) {
  machine.profile = hardware.name;
  machine.memory_bandwidth = hardware.memory_bandwidth.value;
}

class BenchRun {
 public:
  BenchRun(const BenchRequest& asked, const Catalogue& catalogue)
      : asked_(asked), catalogue_(catalogue) {}

  Result<MeasuredBench> run(Progress& progress) {
    const Result<std::vector<BenchTask>> tasks = plan_bench(catalogue_, asked_.question);
    if (!tasks) return tasks.error();
    BenchResult result;
    if (const Status named = describe_machine(result.machine); !named) return named.error();
    if (const Status resumed = resume(result); !resumed) return resumed.error();

    const Result<BuildFolder> folder = BuildFolder::make();
    if (!folder) return folder.error();
    const std::string device_name = asked_.device == TACTUS_CUDA ? "cuda" : "cpu";
    const Result<Candidate> candidate =
        find_candidate(asked_.candidate.empty() ? device_name : asked_.candidate, asked_.device,
                       asked_.ordinal, *folder);
    if (!candidate && candidate.error().message.find("does not compile") == std::string::npos) {
      return candidate.error();
    }
    std::optional<Candidate> rival;
    if (!asked_.rival.empty() && asked_.rival != "torch") {
      Result<Candidate> found =
          find_candidate(asked_.rival, asked_.device, asked_.ordinal, *folder);
      if (!found) return found.error();
      rival = std::move(*found);
    }
    if (candidate) content_ = content_of(*candidate);
    if (!candidate) {
      print_compiler_output(candidate.error().message);
      build_failed(*tasks, candidate.error().message, result);
    } else {
      const Status known = find_bounds(*tasks, *candidate, progress, result);
      if (!known) return known.error();
      const Status ran = run_tasks(*tasks, *candidate, rival ? &*rival : nullptr, progress, result);
      if (!ran) return ran.error();
    }
    if (const Status settled = settle_bounds(progress, result); !settled) {
      return settled.error();
    }
    if (asked_.rival == "torch" && !asked_.check_only) {
      const Status asked = run_torch(*tasks, folder->path(), progress, result);
      if (!asked) return asked.error();
    }
    result.score = bench_score(catalogue_, result.rows);
    if (const Status saved = save(result); !saved) return saved.error();
    MeasuredBench measured{.result = std::move(result),
                           .hardware = std::move(hardware_),
                           .warning = std::move(warning_)};
    count_lacking(*tasks, measured);
    return measured;
  }

 private:
  /// By this run: rows that were resumed were measured before.
  static void count_lacking(const std::vector<BenchTask>& tasks, MeasuredBench& measured) {
    std::set<std::string> asked;
    for (const BenchTask& task : tasks) asked.insert(task.op->name);
    measured.asked_operators = asked.size();
    for (const BenchRow& row : measured.result.rows) {
      if (!row.lacks_operator || asked.erase(row.operator_name) == 0) continue;
      if (measured.lacking.empty()) measured.lacking_reason = row.reason;
      measured.lacking.push_back(row.operator_name);
    }
  }

  /// Its name; on a GPU also its limits, whose profile needs no measuring.
  Status describe_machine(BenchMachine& machine) {
    machine.date = today();
    if (asked_.hardware != nullptr) hardware_ = *asked_.hardware;
    if (asked_.device == TACTUS_CPU) {
      machine.name = read_host_machine().processor;
    } else {
      const Result<CudaFacts> facts = cuda_facts(asked_.ordinal);
      if (!facts) return facts.error();
      machine.name = facts->name;
      machine.card = facts->card;
      machine.driver = facts->driver;
      if (const std::string release = read_driver().release; !release.empty()) {
        machine.driver += fmt::format(" (driver {})", release);
      }
      const HardwareProfile* profile = hardware_ ? &*hardware_ : hardware_of_device(facts->name);
      if (profile == nullptr) {
        return input_error(fmt::format(
            "there is no hardware profile for {}: give --hardware FILE.toml, or --hardware cuda to "
            "measure it",
            facts->name));
      }
      if (!hardware_) hardware_ = *profile;
    }
    if (hardware_) name_profile(*hardware_, machine);
    return {};
  }

  /// The host is measured only if something will be timed, and only if it never was: rows that are
  /// there keep their bounds.
  Status find_bounds(const std::vector<BenchTask>& tasks, const Candidate& candidate,
                     Progress& progress, BenchResult& result) {
    if (hardware_) return {};
    const bool is_new = std::any_of(tasks.begin(), tasks.end(), [&](const BenchTask& task) {
      return !has(result, task, candidate.name);
    });
    if (asked_.check_only || !is_new) {
      hardware_ = saved_host();
      if (hardware_ && result.machine.profile.empty()) name_profile(*hardware_, result.machine);
      return {};
    }
    Result<HardwareProfile> host = measure_host(progress, asked_.fresh, {}, &warning_);
    if (!host) return host.error();
    hardware_ = std::move(*host);
    name_profile(*hardware_, result.machine);
    return {};
  }

  /// Bounds that were asked for are those of all rows. Else rows of earlier runs keep theirs, and
  /// a row that looks impossible may show that the host was busy when it was measured: then it is
  /// measured again, and the better figures count.
  Status settle_bounds(Progress& progress, BenchResult& result) {
    if (asked_.hardware != nullptr) {
      bound_by(*hardware_, catalogue_, result);
      return {};
    }
    if (asked_.device != TACTUS_CPU || asked_.check_only || !hardware_) return {};
    const auto is_impossible = [](const BenchRow& row) {
      return row.status == BenchStatus::kImpossible;
    };
    const auto is_open = [&](const BenchRow& row) {
      return is_impossible(row) || kept_.contains({row.operator_name, row.shape_id, row.candidate});
    };
    for (int i = 0; i < kMostTimesMeasured; ++i) {
      if (std::none_of(result.rows.begin(), result.rows.end(), is_impossible)) return {};
      Result<HardwareProfile> better = better_host(progress, *hardware_);
      if (!better) return better.error();
      hardware_ = std::move(*better);
      name_profile(*hardware_, result.machine);
      bound_by(*hardware_, catalogue_, result, is_open);
    }
    return {};
  }

  /// Keeps the rows of an earlier, interrupted run into the same file.
  Status resume(BenchResult& result) const {
    std::error_code error;
    if (asked_.output.empty() || !std::filesystem::exists(asked_.output, error)) return {};
    const Result<std::string> text = read_small_file(asked_.output);
    if (!text) return text.error();
    Result<BenchResult> earlier = read_bench_result(*text, asked_.output);
    if (!earlier) return earlier.error();
    if (earlier->machine.name != result.machine.name) {
      return usage_error(
          fmt::format("{} was measured on {}, this machine is {}: choose another file",
                      asked_.output, earlier->machine.name, result.machine.name));
    }
    result.rows = std::move(earlier->rows);
    if (are_other_cards(earlier->machine, result.machine)) result.machine.card.clear();
    if (!hardware_) {  // their bounds are of this
      result.machine.profile = earlier->machine.profile;
      result.machine.memory_bandwidth = earlier->machine.memory_bandwidth;
    }
    return {};
  }

  /// True if the row of this task is there: of the same code, measured in the same way.
  bool has(const BenchResult& result, const BenchTask& task, const std::string& candidate) const {
    return std::any_of(result.rows.begin(), result.rows.end(), [&](const BenchRow& row) {
      const bool was_run = row.status != BenchStatus::kSkipped || row.reason != kOutOfTime;
      return was_run && is_of(row, task, candidate) && row.content == content_ &&
             row.options == how();
    });
  }

  static bool is_of(const BenchRow& row, const BenchTask& task, const std::string& candidate) {
    return row.operator_name == task.op->name && row.shape_id == task.shape->id &&
           row.candidate == candidate;
  }

  /// Takes the place of what other code of this name, or other options, gave.
  void keep(BenchRow row, const BenchTask& task, BenchResult& result) {
    row.content = content_;
    row.options = how();
    std::erase_if(result.rows,
                  [&](const BenchRow& old) { return is_of(old, task, row.candidate); });
    kept_.insert({row.operator_name, row.shape_id, row.candidate});
    result.rows.push_back(std::move(row));
  }

  /// How rows are measured, in words; rows that were measured otherwise do not stand in for them.
  std::string how() const {
    if (asked_.check_only) return asked_.quick ? "check, quick" : "check";
    return fmt::format("{}, {:g} s, {} threads", asked_.quick ? "quick" : "full", asked_.seconds,
                       asked_.threads);
  }

  static BenchRow skipped(const BenchTask& task, const std::string& candidate,
                          std::string_view why) {
    BenchRow row;
    row.operator_name = task.op->name;
    row.shape_id = task.shape->id;
    row.candidate = candidate;
    row.status = BenchStatus::kSkipped;
    row.reason = why;
    return row;
  }

  void build_failed(const std::vector<BenchTask>& tasks, const std::string& message,
                    BenchResult& result) {
    const std::string name = std::filesystem::path(asked_.candidate).filename().string();
    for (const BenchTask& task : tasks) {
      BenchRow row = skipped(task, name, "it does not compile" + first_complaint(message));
      row.status = BenchStatus::kBuildFailed;
      keep(std::move(row), task, result);
    }
  }

  Status run_tasks(const std::vector<BenchTask>& tasks, const Candidate& candidate,
                   const Candidate* rival, Progress& progress, BenchResult& result) {
    const HardwareProfile* hardware = hardware_ ? &*hardware_ : nullptr;
    MeasureOptions options;
    options.check_only = asked_.check_only;
    options.threads = asked_.threads;
    options.stop.seconds = asked_.seconds;
    if (asked_.quick) {
      options.stop.seconds = std::min(asked_.seconds, 0.1);
      options.stop.at_least = 6;  // the fewest that give an interval
      options.seeds = 1;          // and one more draw in the timed calls
      options.check_work = 1e8;
      options.beside_copies = asked_.device == TACTUS_CUDA;  // memory of a host takes long
    }
    MeasureMemory memory;
    options.memory = &memory;
    options.salt = secret_salt();
    if (asked_.device == TACTUS_CPU) options.largest_flops = kLargestOnCpu;
    const double stop_seconds = options.stop.seconds;
    Clock::time_point saved = Clock::now();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const BenchTask& task = tasks[i];
      progress.update(fmt::format("{} {}", task.op->name, task.shape->id), i, tasks.size());
      if (has(result, task, candidate.name)) continue;
      const double left = seconds_left(asked_.rival == "torch" ? kShareBeforeTorch : 1);
      if (left <= 0) {
        keep(skipped(task, candidate.name, kOutOfTime), task, result);
        continue;
      }
      options.patience_s = std::clamp(left, kLeastPatience, kPatience);
      options.stop.seconds = std::min(stop_seconds, left);
      options.salt += 0x9e3779b97f4a7c15ull;
      const Clock::time_point begin = Clock::now();
      BenchRow row = measure(*task.op, *task.shape, candidate, hardware, options);
      row.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      if (ran_out_of_time(row)) row = skipped(task, candidate.name, kOutOfTime);
      if (rival != nullptr && row.status != BenchStatus::kSkipped) {
        const BenchRow other = measure(*task.op, *task.shape, *rival, hardware, options);
        if (other.t_ns) row.rival = RivalTime{rival->name, *other.t_ns};
        if (!other.t_ns) {
          row.note +=
              fmt::format("the rival: {}", other.reason.empty() ? "not timed" : other.reason);
        }
      }
      keep(std::move(row), task, result);
      if (std::chrono::duration<double>(Clock::now() - saved).count() > kSaveEverySeconds) {
        result.score = bench_score(catalogue_, result.rows);
        if (Status status = save(result); !status) return status;
        saved = Clock::now();
      }
    }
    return {};
  }

  /// True if a call got less time than usual, and that was too little.
  bool ran_out_of_time(const BenchRow& row) const {
    return seconds_left(1) <= 0 && row.status == BenchStatus::kError &&
           row.reason.starts_with("no answer within");
  }

  double seconds_left(double share) const {
    if (asked_.limit_seconds <= 0) return std::numeric_limits<double>::infinity();
    return asked_.limit_seconds * share -
           std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  /// PyTorch and its libraries on every row that has no rival yet, after the candidate.
  Status run_torch(const std::vector<BenchTask>& tasks, const std::string& folder,
                   Progress& progress, BenchResult& result) {
    TorchQuestion question;
    question.device = asked_.ordinal;
    question.seconds = asked_.seconds;
    std::map<std::pair<std::string, std::string>, std::vector<BenchRow*>> rows;
    for (BenchRow& row : result.rows) {
      if (row.rivals.empty()) rows[{row.operator_name, row.shape_id}].push_back(&row);
    }
    for (const BenchTask& task : tasks) {
      if (rows.contains({task.op->name, task.shape->id})) question.tasks.push_back(task);
    }
    if (question.tasks.empty()) return {};
    if (asked_.limit_seconds > 0) question.limit_seconds = std::max(1.0, seconds_left(1));
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
    if (!outcome.complaint.empty()) print_error(outcome.complaint);
    if (outcome.complaint.empty() && seen.size() < question.tasks.size()) {
      print_error(fmt::format("the time budget of torch ended after {} of {} shapes", seen.size(),
                              question.tasks.size()));
    }
    return status;
  }

  Status save(const BenchResult& result) const {
    if (asked_.output.empty()) return {};
    return write_report(asked_.output, result_file_text(result, asked_.no_samples),
                        /*replace=*/true);
  }

  const BenchRequest& asked_;
  const Catalogue& catalogue_;
  std::optional<HardwareProfile> hardware_;  ///< of the bounds of new rows
  std::string warning_;
  std::string content_;  ///< of the candidate; empty if it does not compile
  std::set<std::tuple<std::string, std::string, std::string>> kept_;  ///< rows of this run
  const Clock::time_point begin_ = Clock::now();
};

}  // namespace

Result<MeasuredBench> run_bench(const BenchRequest& request, const Catalogue& catalogue,
                                Progress& progress) {
  return BenchRun(request, catalogue).run(progress);
}

void bound_by(const HardwareProfile& hardware, const Catalogue& catalogue, BenchResult& result,
              const std::function<bool(const BenchRow&)>& which) {
  name_profile(hardware, result.machine);
  std::map<std::pair<std::string, std::string>, std::pair<const Operator*, const Shape*>> known;
  for (const Operator& op : catalogue.operators) {
    for (const Shape& shape : op.shapes) known[{op.name, shape.id}] = {&op, &shape};
  }
  for (BenchRow& row : result.rows) {
    if (which && !which(row)) continue;
    row.t_sol_ns.reset();
    row.s.reset();
    row.s_with_launch.reset();
    const auto found = known.find({row.operator_name, row.shape_id});
    if (found != known.end()) {
      add_bound(row, *found->second.first, *found->second.second, hardware);
    }
  }
}

std::string result_file_text(const BenchResult& result, bool no_samples) {
  const std::string text = bench_result_text(result);
  return no_samples ? compact_result_text(text) : text;
}

}  // namespace tactus::cli
