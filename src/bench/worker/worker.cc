#include "bench/worker/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>

#include "bench/candidate/kernel_library.h"
#include "bench/device/device.h"
#include "bench/timing/sampler.h"
#include "bench/worker/tensor_copies.h"
#include "operators/cpu/library.h"
#include "operators/reference.h"

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The candidate, ready to be called.
class Session {
 public:
  explicit Session(const WorkerTask& task) : task_(task) {}

  /// Loads the candidate and its device; `answer` says what prevents it.
  bool open(WorkerAnswer& answer) {
    if (task_.candidate.kind == Candidate::Kind::kReference) return open_device(answer);
    if (task_.candidate.kind == Candidate::Kind::kLibrary) {
      Result<KernelLibrary> library = KernelLibrary::open(task_.candidate.path);
      if (!library) return refuse(answer, library.error().message);
      library_ = std::make_unique<KernelLibrary>(std::move(*library));
      // Not on CUDA: the runtime that nvcc links into a library may allocate.
      if (task_.candidate.device == TACTUS_CPU) library_->count_allocations();
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

  /// Each check uses the next copy, so the place in memory does not show what a call is for.
  WorkerAnswer run() {
    WorkerAnswer answer;
    const std::size_t turn = checks_++ % copies_->wanted();
    if (turn >= copies_->size() && !add_copy(answer)) {
      if (copies_->size() == 0) return answer;
      answer = {};
    }
    BoundCall& call = (*copies_)[turn % copies_->size()];
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

  /// The copies that the timed calls use in turn.
  WorkerAnswer fill() {
    WorkerAnswer answer;
    TensorCopies& copies = *copies_;
    while (copies.size() < copies.wanted()) {
      if (add_copy(answer)) continue;
      if (copies.size() == 0) return answer;
      answer = {};
      break;
    }
    if (!copy_in(copies[0], answer)) return answer;
    for (std::size_t i = 1; i < copies.size(); ++i) {
      const Status copied =
          device_->copy_within(copies[i].block(), copies[0].block(), task_.layout->bytes);
      if (!copied) {
        refuse(answer, copied.error().message);
        return answer;
      }
    }
    return answer;
  }

  WorkerAnswer time(const WorkerRequest& request) {
    WorkerAnswer answer;
    if (task_.candidate.kind == Candidate::Kind::kReference || copies_->size() == 0) {
      answer.error = "the reference is not timed";
      return answer;
    }
    Sampler sampler(*device_, *entry_, *copies_);
    take(sampler.warm_up(request.secret), answer);
    if (!answer.error.empty()) return answer;
    const ClockFloor floor = device_->launch_floor();
    answer.launch_floor_ns = floor.ns;
    answer.clock_noise_ns = floor.noise_ns;
    answer.touch_floor_ns = device_->touch_floor_ns().value_or(0);
    if (request.copied_bytes > 0) {
      answer.copy_ns = device_->copy_ns(request.copied_bytes).value_or(0);
    }
    const std::size_t free_before = device_->free_bytes();
    Sampling sampling;
    const auto audited = [&](BoundCall& call, std::vector<double>& samples_ns) {
      return audit(call, sampler, samples_ns, answer);
    };
    sampler.sample(request.stop, request.secret, audited, sampling);
    if (answer.error.empty()) take(sampling.outcome, answer);
    add(sampling, answer);
    if (task_.candidate.device == TACTUS_CUDA) {
      const std::size_t free_after = device_->free_bytes();
      if (free_after < free_before) {
        answer.device_bytes = static_cast<std::int64_t>(free_before - free_after);
      }
    }
    answer.caveat = device_->caveat();
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
    copies_ = std::make_unique<TensorCopies>(*device_, *task_.problem, *task_.layout);
    return true;
  }

  bool open_workspace(WorkerAnswer& answer) {
    if (entry_ == nullptr || entry_->workspace_bytes == nullptr) return true;
    BoundCall shape_only(*task_.problem, *task_.layout, nullptr);
    device_->prepare(shape_only.call());
    workspace_bytes_ = entry_->workspace_bytes(&shape_only.call());
    if (workspace_bytes_ == 0) return true;
    const auto wanted = static_cast<double>(workspace_bytes_);
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
    copies_->set_workspace(workspace_, workspace_bytes_);
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

  bool add_copy(WorkerAnswer& answer) {
    if (copies_->add()) return true;
    answer.skipped = true;
    return refuse(answer,
                  fmt::format("needs {:.1f} GB, {:.1f} GB are free on {}",
                              static_cast<double>(task_.layout->bytes) / 1e9,
                              static_cast<double>(device_->free_bytes()) / 1e9, device_->name()));
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
      answer.error = "it does not support this shape";
    } else if (outcome.code != 0 && outcome.error.empty()) {
      answer.error = fmt::format("the kernel returned {}", outcome.code);
    }
  }

  void add(const Sampling& sampling, WorkerAnswer& answer) const {
    Sieved sieved = without_slowed(sampling.all, sampling.slowed);
    answer.throttled = std::count(sampling.slowed.begin(), sampling.slowed.end(), true);
    answer.throttled_kept = answer.throttled > 0 && sieved.dropped == 0;
    answer.lowered = sampling.lowered;
    answer.sampled = std::move(sieved.kept);
    answer.sm_clock_mhz = median_interval(sampling.sm_clocks_mhz).median;
    const std::int64_t allowed = task_.candidate.device == TACTUS_CUDA ? 65536 : 1024;
    const std::int64_t calls = std::max<std::int64_t>(sampling.heap_calls, 1);
    if (sampling.heap_growth > allowed) answer.leaked_bytes = sampling.heap_growth / calls;
    answer.allocations = static_cast<double>(sampling.allocations) / static_cast<double>(calls);
    if (sampling.faults_of_calls > 0 && task_.candidate.device == TACTUS_CPU) {
      answer.page_faults =
          static_cast<double>(sampling.page_faults) / static_cast<double>(sampling.faults_of_calls);
    }
  }

  /// A timed call whose result is taken at once: later writes of the kernel's threads do not count.
  /// Threads of earlier calls are done before its tensors arrive, so their writes do not count
  /// either.
  bool audit(const BoundCall& call, Sampler& sampler, std::vector<double>& samples_ns,
             WorkerAnswer& answer) {
    Clock::time_point begin = Clock::now();
    device_->settle();
    if (!copy_in(call, answer)) return false;
    sampler.spent_elsewhere(seconds_since(begin));
    const tactus_call* calls[] = {&call.call()};
    take(device_->time(*entry_, calls, samples_ns), answer);
    begin = Clock::now();
    if (answer.error.empty()) copy_out(call, answer);
    sampler.spent_elsewhere(seconds_since(begin));
    return answer.error.empty();
  }

  static constexpr std::size_t kGuardBytes = 4096;
  static constexpr std::byte kGuard{0xa5};

  const WorkerTask& task_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<KernelLibrary> library_;
  const tactus_entry* entry_ = nullptr;
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  std::unique_ptr<TensorCopies> copies_;
  std::size_t checks_ = 0;
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
    std::fflush(stdout);  // so that its output is seen even if it crashes in the next call
    if (!channel.send(frame_of(answer))) return;
  }
}

}  // namespace tactus
