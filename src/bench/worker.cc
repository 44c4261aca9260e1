#include "bench/worker.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>

#include "bench/bound_call.h"
#include "bench/device.h"
#include "bench/kernel_library.h"
#include "operators/cpu/library.h"
#include "operators/reference.h"

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t heap_bytes() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
}

std::int64_t page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The candidate, ready to be called.
class Session {
 public:
  explicit Session(const WorkerTask& task) : task_(task) {}

  /// Loads the candidate and its device; says in `answer` what is in the way.
  bool open(WorkerAnswer& answer) {
    if (task_.candidate.kind == Candidate::Kind::kReference) return open_device(answer);
    if (task_.candidate.kind == Candidate::Kind::kLibrary) {
      Result<KernelLibrary> library = KernelLibrary::open(task_.candidate.path);
      if (!library) return refuse(answer, library.error().message);
      library_ = std::make_unique<KernelLibrary>(std::move(*library));
    } else {
      library_ = std::make_unique<KernelLibrary>(cpu_library());
    }
    entry_ = library_->find(task_.problem->operator_name, task_.candidate.device);
    if (entry_ == nullptr) {
      answer.skipped = true;
      return refuse(
          answer, fmt::format("{} has no {}", task_.candidate.name, task_.problem->operator_name));
    }
    return open_device(answer) && open_workspace(answer);
  }

  /// Each check works on the next copy, so that where the memory lies says nothing about what a
  /// call is for.
  WorkerAnswer run() {
    WorkerAnswer answer;
    const std::size_t turn = checks_++ % kCopies;
    if (turn >= calls_.size() && !add_call(answer)) {
      if (calls_.empty()) return answer;
      answer = {};
    }
    BoundCall& call = *calls_[turn % calls_.size()];
    if (!copy_in(call, answer)) return answer;
    if (task_.candidate.kind == Candidate::Kind::kReference) {
      const HostTensors tensors = tensors_at(*task_.problem, *task_.layout, call.block());
      run_reference(*task_.definition, *task_.problem, tensors, task_.threads);
    } else {
      take(device_->run(*entry_, call.call()), answer);
    }
    if (answer.error.empty()) copy_out(call, answer);
    return answer;
  }

  /// What the timed calls work on in turn.
  WorkerAnswer fill() {
    WorkerAnswer answer;
    while (calls_.size() < kCopies) {
      if (add_call(answer)) continue;
      if (calls_.empty()) return answer;
      answer = {};
      break;
    }
    if (!copy_in(*calls_[0], answer)) return answer;
    for (std::size_t i = 1; i < calls_.size(); ++i) {
      const Status copied =
          device_->copy_within(calls_[i]->block(), calls_[0]->block(), task_.layout->bytes);
      if (!copied) {
        refuse(answer, copied.error().message);
        return answer;
      }
    }
    return answer;
  }

  WorkerAnswer time(const WorkerRequest& request) {
    WorkerAnswer answer;
    if (task_.candidate.kind == Candidate::Kind::kReference || calls_.empty()) {
      answer.error = "the reference is not timed";
      return answer;
    }
    answer.launch_floor_ns = device_->launch_floor_ns();
    warm_up(answer);
    answer.samples_ns.reserve(
        static_cast<std::size_t>(std::max<std::int64_t>(0, request.stop.at_most)) + kBatch);
    const std::int64_t heap_before = heap_bytes();
    sample(request, answer);
    const std::int64_t allowed = task_.candidate.device == TACTUS_CUDA ? 65536 : 1024;
    const std::int64_t growth = heap_bytes() - heap_before;
    // One call more than there are times: the audited one of the CPU.
    const auto calls = static_cast<std::int64_t>(answer.samples_ns.size() +
                                                 (task_.candidate.device == TACTUS_CPU ? 1 : 0));
    answer.leaked_bytes = growth > allowed ? growth / std::max<std::int64_t>(calls, 1) : 0;
    return answer;
  }

 private:
  static bool refuse(WorkerAnswer& answer, std::string why) {
    answer.error = std::move(why);
    return false;
  }

  bool open_device(WorkerAnswer& answer) {
    if (task_.candidate.device == TACTUS_CUDA) {
      Result<std::unique_ptr<Device>> device = make_cuda_device(task_.candidate.ordinal);
      if (!device) return refuse(answer, device.error().message);
      device_ = std::move(*device);
    } else {
      device_ = make_cpu_device(task_.threads);
    }
    return true;
  }

  bool open_workspace(WorkerAnswer& answer) {
    if (entry_ == nullptr || entry_->workspace_bytes == nullptr) return true;
    BoundCall shape_only(*task_.problem, *task_.layout, nullptr);
    device_->prepare(shape_only.call());
    workspace_bytes_ = entry_->workspace_bytes(&shape_only.call());
    if (workspace_bytes_ == 0) return true;
    const double wanted = static_cast<double>(workspace_bytes_);
    constexpr double kAbsurd = 0x1p46;
    if (wanted > kAbsurd) {
      return refuse(answer, fmt::format("asks for {:.3g} GB of workspace", wanted / 1e9));
    }
    const Result<void*> memory = device_->allocate(workspace_bytes_ + kGuardBytes);
    if (!memory) {
      answer.skipped = true;
      return refuse(answer, fmt::format("asks for {:.1f} GB of workspace: {}", wanted / 1e9,
                                        memory.error().message));
    }
    workspace_ = *memory;
    const std::vector<std::byte> guard(kGuardBytes, kGuard);
    const Status copied = device_->copy_in(workspace_guard(), guard.data(), guard.size());
    return copied ? true : refuse(answer, copied.error().message);
  }

  std::byte* workspace_guard() const {
    return static_cast<std::byte*>(workspace_) + workspace_bytes_;
  }

  bool workspace_kept(WorkerAnswer& answer) {
    if (workspace_ == nullptr) return true;
    std::vector<std::byte> guard(kGuardBytes);
    const Status copied = device_->copy_out(guard.data(), workspace_guard(), guard.size());
    if (!copied) return refuse(answer, copied.error().message);
    if (std::all_of(guard.begin(), guard.end(), [](std::byte b) { return b == kGuard; })) {
      return true;
    }
    answer.wrong = true;
    return refuse(answer, fmt::format("wrote behind its workspace of {} bytes", workspace_bytes_));
  }

  bool add_call(WorkerAnswer& answer) {
    const Result<void*> memory = device_->allocate(task_.layout->bytes);
    if (!memory) {
      answer.skipped = true;
      return refuse(answer,
                    fmt::format("needs {:.1f} GB, {:.1f} GB are free on {}",
                                static_cast<double>(task_.layout->bytes) / 1e9,
                                static_cast<double>(device_->free_bytes()) / 1e9, device_->name()));
    }
    calls_.push_back(std::make_unique<BoundCall>(*task_.problem, *task_.layout,
                                                 static_cast<std::byte*>(*memory)));
    tactus_call& call = calls_.back()->call();
    device_->prepare(call);
    call.workspace = workspace_;
    call.workspace_bytes = workspace_bytes_;
    return true;
  }

  bool copy_in(const BoundCall& call, WorkerAnswer& answer) {
    const Status copied = device_->copy_in(call.block(), task_.block, task_.layout->bytes);
    return copied ? true : refuse(answer, copied.error().message);
  }

  void copy_out(const BoundCall& call, WorkerAnswer& answer) {
    if (!workspace_kept(answer)) return;
    const Status copied = device_->copy_out(task_.block, call.block(), task_.layout->bytes);
    if (!copied) answer.error = copied.error().message;
  }

  static void take(const CallOutcome& outcome, WorkerAnswer& answer) {
    answer.code = outcome.code;
    answer.error = outcome.error;
    if (outcome.code == TACTUS_UNSUPPORTED && outcome.error.empty()) {
      answer.skipped = true;
      answer.error = "it does not take this shape";
    } else if (outcome.code != 0 && outcome.error.empty()) {
      answer.error = fmt::format("the kernel returned {}", outcome.code);
    }
  }

  tactus_call& next_copy() {
    turn_ = (turn_ + 1) % calls_.size();
    return calls_[turn_]->call();
  }

  void warm_up(WorkerAnswer& answer) {
    constexpr double kSeconds = 0.05;
    const Clock::time_point begin = Clock::now();
    Clock::time_point before;
    do {
      before = Clock::now();
      take(device_->run(*entry_, next_copy()), answer);
    } while (answer.error.empty() && seconds_since(begin) < kSeconds);
    call_seconds_ = seconds_since(before);
  }

  void sample(const WorkerRequest& request, WorkerAnswer& answer) {
    if (!answer.error.empty()) return;
    const Clock::time_point begin = Clock::now();
    // The audited call is one of those that are made in any case.
    const double affordable = 4 * request.stop.seconds / std::max(call_seconds_, 1e-9);
    const auto surely = static_cast<std::uint64_t>(std::clamp(
        affordable, 3.0, static_cast<double>(std::max<std::int64_t>(3, request.stop.at_least))));
    const std::uint64_t audited = request.secret % surely;
    const std::uint64_t copy = request.secret / surely % calls_.size();
    bool audit_done = false;
    std::int64_t faults_before = page_faults();
    std::size_t faults_from = 0;
    while (answer.error.empty()) {
      const double spent = seconds_since(begin) - copying_seconds_;
      if (audit_done && enough(request.stop, answer.samples_ns, spent)) break;
      const std::uint64_t done = answer.samples_ns.size();
      if (!audit_done && done >= audited) {
        audit(*calls_[copy], answer);
        audit_done = true;
        continue;
      }
      // Long calls are timed one by one, so that the budget holds.
      const std::size_t most = call_seconds_ > 2e-3 ? 1 : kBatch;
      std::vector<const tactus_call*> batch;
      while (batch.size() < most && (audit_done || done + batch.size() < audited)) {
        batch.push_back(&next_copy());
      }
      take(device_->time(*entry_, batch, answer.samples_ns), answer);
      if (faults_from == 0) {  // the first ones are ours: the flush is allocated then
        faults_before = page_faults();
        faults_from = answer.samples_ns.size();
      }
    }
    const std::size_t counted = answer.samples_ns.size() - faults_from;
    if (counted > 0 && task_.candidate.device == TACTUS_CPU) {
      answer.page_faults =
          static_cast<double>(page_faults() - faults_before) / static_cast<double>(counted);
    }
  }

  /// A call like the timed ones whose result goes back at once: what a thread of the kernel writes
  /// later does not count. On the CPU its tensors come in after the flush, so that threads of
  /// earlier calls are done by then; its time is not taken, since they are in the caches.
  void audit(const BoundCall& call, WorkerAnswer& answer) {
    const bool on_cpu = task_.candidate.device == TACTUS_CPU;
    Clock::time_point begin = Clock::now();
    if (on_cpu) device_->flush();
    if (!copy_in(call, answer)) return;
    copying_seconds_ += seconds_since(begin);
    const tactus_call* calls[] = {&call.call()};
    take(on_cpu ? device_->run(*entry_, call.call())
                : device_->time(*entry_, calls, answer.samples_ns),
         answer);
    begin = Clock::now();
    if (answer.error.empty()) copy_out(call, answer);
    copying_seconds_ += seconds_since(begin);
  }

  static constexpr std::size_t kBatch = 4;
  static constexpr std::size_t kCopies = 3;
  static constexpr std::size_t kGuardBytes = 4096;
  static constexpr std::byte kGuard{0xa5};

  const WorkerTask& task_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<KernelLibrary> library_;
  const tactus_entry* entry_ = nullptr;
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  std::vector<std::unique_ptr<BoundCall>> calls_;
  std::size_t turn_ = 0;
  std::size_t checks_ = 0;
  double call_seconds_ = 0;     ///< of the last call before timing
  double copying_seconds_ = 0;  ///< between timed calls: not of their budget
};

}  // namespace

void serve_worker(const WorkerTask& task, const Channel& channel) {
  Session session(task);
  WorkerAnswer opening;
  const bool open = session.open(opening);
  while (const std::optional<Frame> frame = channel.receive(-1).frame) {
    const std::optional<WorkerRequest> request = request_of(*frame);
    if (!request) return;
    WorkerAnswer answer = opening;
    if (open) {
      switch (request->kind) {
        case WorkerRequest::kOpen: break;
        case WorkerRequest::kRun: answer = session.run(); break;
        case WorkerRequest::kFill: answer = session.fill(); break;
        case WorkerRequest::kTime: answer = session.time(*request); break;
      }
    }
    std::fflush(stdout);  // what it printed is to be seen even if it crashes in the next call
    if (!channel.send(frame_of(answer))) return;
  }
}

}  // namespace tactus
