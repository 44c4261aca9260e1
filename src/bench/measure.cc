#include "bench/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>

#include "base/utf8.h"
#include "bench/checking/audit_draw.h"
#include "bench/checking/judge.h"
#include "bench/device/device.h"
#include "bench/worker/shared_block.h"
#include "bench/worker/worker.h"
#include "bounds/roofline/speed_of_light.h"

namespace tactus {
namespace {

/// Copies of the tensors that a measurement holds at the same time: the inputs before the call, the
/// shared block, and those on the device, with room for one more if they are small.
constexpr double kHostCopies = 2;
constexpr double kDeviceCopies = 3;
constexpr std::size_t kLargeBytes = std::size_t{32} << 20;

class Measurement {
 public:
  Measurement(const OperatorDefinition& definition, const Problem& problem,
              const MeasureOptions& options, MeasureMemory& memory, BenchRow& row,
              std::uint64_t copied_bytes)
      : definition_(definition),
        problem_(problem),
        layout_(layout_of(problem)),
        options_(options),
        memory_(memory),
        row_(row),
        copied_bytes_(copied_bytes) {}

  void run(const Candidate& candidate) {
    if (!fits(candidate)) return;
    const Result<std::byte*> shared = memory_.shared.of(layout_.bytes);
    if (!shared) return fail(BenchStatus::kSkipped, shared.error().message);
    const Result<std::byte*> before = memory_.before.of(layout_.bytes);
    if (!before) return fail(BenchStatus::kSkipped, before.error().message);
    block_ = *shared;
    before_ = *before;
    const WorkerTask task = {.definition = &definition_,
                             .problem = &problem_,
                             .layout = &layout_,
                             .block = block_,
                             .candidate = candidate,
                             .threads = options_.threads};
    Result<WorkerProcess> worker =
        WorkerProcess::start([&task](const Channel& channel) { serve_worker(task, channel); });
    if (!worker) return fail(BenchStatus::kError, worker.error().message);
    // A missing operator is detected before any input is drawn.
    WorkerRequest request;
    if (!ask(*worker, request)) return note_prints(*worker);
    request.kind = WorkerRequest::kRun;
    // The timed calls check one more draw.
    const int seeds = layout_.bytes > kLargeBytes ? 1 : std::max(1, options_.seeds);
    for (int seed = 0; seed < seeds; ++seed) {
      draw(static_cast<std::uint64_t>(seed));
      const std::optional<WorkerAnswer> answer = ask(*worker, request);
      if (!answer || !check("")) return note_prints(*worker);
    }
    if (!options_.check_only && candidate.kind != Candidate::Kind::kReference) time(*worker);
    note_prints(*worker);
  }

 private:
  bool fits(const Candidate& candidate) {
    const std::unique_ptr<Device> host = make_cpu_device(1);
    const bool on_host = candidate.device == TACTUS_CPU;
    const double wanted =
        static_cast<double>(layout_.bytes) * (kHostCopies + (on_host ? kDeviceCopies : 0));
    const std::size_t kept = memory_.shared.bytes() + memory_.before.bytes();
    const double there = 0.9 * static_cast<double>(host->free_bytes() + kept);
    if (wanted <= there) return true;
    fail(BenchStatus::kSkipped,
         fmt::format("needs {:.1f} GB of memory, {:.1f} GB are free", wanted / 1e9, there / 1e9));
    return false;
  }

  void draw_into(std::byte* block, std::uint64_t round) const {
    write_guards(problem_, layout_, block);
    draw_tensors(definition_, problem_, tensors_at(problem_, layout_, block),
                 options_.salt + 1000 * round, options_.threads);
  }

  void draw(std::uint64_t round) {
    draw_into(before_, round);
    copy_bytes(block_, before_, layout_.bytes, options_.threads);
  }

  /// Nothing if the worker has ended or failed; the row then says why.
  std::optional<WorkerAnswer> ask(WorkerProcess& worker, const WorkerRequest& request) {
    double patience_s = options_.patience_s;
    if (request.kind == WorkerRequest::kTime) {
      // Warm-up, audit and at least three more; then as long as the budget lasts.
      patience_s = 5 * patience_s + 4 * request.stop.seconds;
    }
    const Result<Frame> frame = worker.ask(frame_of(request), patience_s);
    if (!frame) {
      fail(BenchStatus::kError, frame.error().message);
      return std::nullopt;
    }
    std::optional<WorkerAnswer> answer = answer_of(*frame);
    if (!answer) {
      fail(BenchStatus::kError, "its process sent something that is not an answer");
    } else if (!answer->error.empty()) {
      fail(answer->skipped ? BenchStatus::kSkipped
           : answer->wrong ? BenchStatus::kWrong
                           : BenchStatus::kError,
           answer->error);
      answer.reset();
    }
    return answer;
  }

  /// Judges the contents of the block; `when` says after which call.
  bool check(std::string_view when) {
    const std::string guard = broken_guard(problem_, layout_, block_);
    if (!guard.empty()) return wrong(fmt::format("{}{}", guard, when));
    const std::string input = changed_input(problem_, layout_, before_, block_);
    if (!input.empty()) return wrong(fmt::format("changed its input {}{}", input, when));
    const Judgement judgement = judge(definition_, problem_, tensors_at(problem_, layout_, before_),
                                      tensors_at(problem_, layout_, block_), options_.check_work,
                                      options_.salt, options_.threads);
    row_.max_rel_err = std::max(row_.max_rel_err.value_or(0), judgement.max_rel_err);
    row_.checked += judgement.checked;
    row_.mismatch += judgement.wrong;
    if (judgement.right) return true;
    return wrong(fmt::format("{}{} ({} of {} numbers)", judgement.first, when, judgement.wrong,
                             judgement.checked));
  }

  void time(WorkerProcess& worker) {
    copy_bytes(block_, before_, layout_.bytes, options_.threads);
    WorkerRequest request = {.kind = WorkerRequest::kFill, .stop = options_.stop, .secret = 0};
    if (!ask(worker, request)) return;
    Random random(options_.salt ^ 0x5bd1e995);
    draw_into(block_, static_cast<std::uint64_t>(options_.seeds));
    mix_draws(problem_, layout_, before_, block_, random.next());
    copy_bytes(block_, before_, layout_.bytes, options_.threads);
    request.kind = WorkerRequest::kTime;
    request.copied_bytes = copied_bytes_;
    request.secret = random.next();
    const std::optional<WorkerAnswer> answer = ask(worker, request);
    if (!answer || !check(", in a call inside the timed loop")) return;
    const MedianInterval interval = interval_of_rounds(answer->sampled);
    row_.samples_ns = answer->sampled.samples_ns;
    row_.rounds = answer->sampled.rounds;
    row_.t_ns = interval.median;
    row_.t_low_ns = interval.low;
    row_.t_high_ns = interval.high;
    row_.interval_known = interval.known;
    row_.launch_floor_ns = answer->launch_floor_ns;
    row_.clock_noise_ns = answer->clock_noise_ns;
    if (answer->touch_floor_ns > 0) row_.touch_floor_ns = answer->touch_floor_ns;
    if (answer->copy_ns > 0) row_.copy_ns = answer->copy_ns;
    if (answer->sm_clock_mhz > 0) row_.sm_clock_mhz = answer->sm_clock_mhz;
    if (!answer->caveat.empty()) note(answer->caveat);
    note_clocks(*answer);
    note_memory(*answer);
  }

  void note(std::string_view text) {
    row_.note += fmt::format("{}{}", row_.note.empty() ? "" : "; ", text);
  }

  void note_clocks(const WorkerAnswer& answer) {
    if (answer.throttled == 0) return;
    const std::string why = lowered_words(answer.lowered);
    if (answer.throttled_kept) {
      note(
          fmt::format("clocks were lowered ({}) during {} of {} samples; too few others remain, so "
                      "they are kept",
                      why, answer.throttled, answer.sampled.samples_ns.size()));
      return;
    }
    row_.throttled = answer.throttled;
    note(fmt::format("{} samples thrown away: clocks were lowered ({})", answer.throttled, why));
  }

  void note_memory(const WorkerAnswer& answer) {
    if (answer.leaked_bytes > 0) {
      note(fmt::format("it keeps memory: {} bytes more after each call", answer.leaked_bytes));
    }
    constexpr double kFaultsOfAllocation = 16;
    if (answer.allocations >= 1) {
      note(fmt::format("it allocates in each call: {:.0f} times", answer.allocations));
    } else if (answer.page_faults >= kFaultsOfAllocation) {
      note(fmt::format("it seems to allocate in each call: {:.0f} pages", answer.page_faults));
    }
    constexpr std::int64_t kBytesOfLeak = 32 << 20;  // smaller changes may come from the driver
    if (answer.device_bytes > kBytesOfLeak) {
      note(
          fmt::format("the GPU has {} MB less after the timed calls: it, or another process, keeps "
                      "memory",
                      answer.device_bytes >> 20));
    }
  }

  /// The first line, without control characters for a terminal.
  void note_prints(const WorkerProcess& worker) {
    const std::string printed = worker.printed();
    if (printed.empty()) return;
    constexpr std::size_t kLongest = 200;
    bool repaired = false;
    std::string line =
        to_valid_utf8(printed.substr(0, std::min(printed.find('\n'), kLongest)), repaired);
    for (char& c : line) {
      if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
    }
    note(fmt::format("it printed: {}", line));
  }

  bool wrong(std::string why) {
    fail(BenchStatus::kWrong, std::move(why));
    return false;
  }

  void fail(BenchStatus status, std::string why) {
    row_.status = status;
    row_.reason = std::move(why);
  }

  const OperatorDefinition& definition_;
  const Problem& problem_;
  TensorLayout layout_;
  const MeasureOptions& options_;
  MeasureMemory& memory_;
  BenchRow& row_;
  const std::uint64_t copied_bytes_;  ///< bytes of the copy that it is compared with; 0: none
  std::byte* block_ = nullptr;
  std::byte* before_ = nullptr;  ///< the inputs of the call in the block
};

std::uint64_t bytes_if_memory_bounds(const Cost& cost, const HardwareProfile& hardware) {
  const std::optional<SpeedOfLight> bound = speed_of_light(cost, hardware, CostModel::kStrict);
  const double memory_ns = cost.bytes() / hardware.memory_bandwidth.value * 1e9;
  const bool memory_bounds = bound && memory_ns > 0.999 * bound->t_ns;
  return memory_bounds ? static_cast<std::uint64_t>(cost.bytes()) : 0;
}

}  // namespace

BenchRow measure(const Operator& op, const Shape& shape, const Candidate& candidate,
                 const HardwareProfile* hardware, const MeasureOptions& options) {
  BenchRow row;
  row.operator_name = op.name;
  row.shape_id = shape.id;
  row.candidate = candidate.name;
  const auto refuse = [&row](BenchStatus status, std::string why) {
    row.status = status;
    row.reason = std::move(why);
    return row;
  };
  const Result<Cost> cost = cost_of(op.name, shape, CostModel::kStrict);
  if (!cost) return refuse(BenchStatus::kSkipped, cost.error().message);
  if (cost->flops() > options.largest_flops) {
    return refuse(BenchStatus::kSkipped,
                  fmt::format("{:.2g} FLOP are more than {:.2g}, the limit here", cost->flops(),
                              options.largest_flops));
  }
  const Result<const OperatorDefinition*> definition = find_definition(op.name);
  if (!definition) return refuse(BenchStatus::kSkipped, definition.error().message);
  const Result<Problem> problem = make_problem(**definition, shape.parameters);
  if (!problem) return refuse(BenchStatus::kSkipped, problem.error().message);
  const std::uint64_t copied =
      hardware != nullptr && options.beside_copies ? bytes_if_memory_bounds(*cost, *hardware) : 0;
  MeasureMemory own_memory;
  MeasureMemory& memory = options.memory != nullptr ? *options.memory : own_memory;
  Measurement(**definition, *problem, options, memory, row, copied).run(candidate);
  if (hardware != nullptr) add_bound(row, op, shape, *hardware);
  return row;
}

void add_bound(BenchRow& row, const Operator& op, const Shape& shape,
               const HardwareProfile& hardware) {
  if (row.status != BenchStatus::kOk) return;
  const Result<Cost> cost = cost_of(op.name, shape, CostModel::kStrict);
  if (!cost) return;
  const std::optional<SpeedOfLight> bound = speed_of_light(*cost, hardware, CostModel::kStrict);
  if (!bound) return;
  row.t_sol_ns = bound->t_ns;
  if (!row.t_ns || *row.t_ns <= 0) return;
  row.s = bound->t_ns / *row.t_ns;
  row.s_with_launch = std::max(bound->t_ns, row.launch_floor_ns.value_or(0)) / *row.t_ns;
}

}  // namespace tactus
