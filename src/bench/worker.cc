#include "bench/worker.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

#include "bench/device.h"
#include "bench/kernel_library.h"
#include "operators/cpu/library.h"
#include "operators/reference.h"

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;

/// A block of tensors on the device and the call that is made on it.
class BoundCall {
 public:
  BoundCall(const Problem& problem, const TensorLayout& layout, std::byte* block) : block_(block) {
    for (const auto& [name, value] : problem.parameters) {
      parameters_.push_back({name.c_str(), value});
    }
    for (const auto* tensors : {&problem.inputs, &problem.outputs}) {
      const bool in = tensors == &problem.inputs;
      for (std::size_t i = 0; i < tensors->size(); ++i) {
        const TensorSpec& spec = (*tensors)[i];
        strides_.push_back(dense_strides(spec.shape));
        std::byte* data =
            block == nullptr ? nullptr : block + (in ? layout.inputs : layout.outputs)[i];
        (in ? inputs_ : outputs_)
            .push_back({spec.name.c_str(), data, abi_type(spec.dtype),
                        static_cast<std::int32_t>(spec.shape.size()), spec.shape.data(),
                        strides_.back().data()});
      }
    }
    call_.abi_version = TACTUS_ABI_VERSION;
    call_.size = sizeof(tactus_call);
    call_.operator_name = problem.operator_name.c_str();
    call_.inputs = inputs_.data();
    call_.input_count = static_cast<std::int32_t>(inputs_.size());
    call_.outputs = outputs_.data();
    call_.output_count = static_cast<std::int32_t>(outputs_.size());
    call_.parameters = parameters_.data();
    call_.parameter_count = static_cast<std::int32_t>(parameters_.size());
  }
  BoundCall(const BoundCall&) = delete;
  BoundCall& operator=(const BoundCall&) = delete;

  std::byte* block() const { return block_; }
  tactus_call& call() { return call_; }

 private:
  static std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    return strides;
  }

  static std::int32_t abi_type(NumberType type) {
    switch (type) {
      case NumberType::kFp64: return TACTUS_FP64;
      case NumberType::kFp32: return TACTUS_FP32;
      case NumberType::kBf16: return TACTUS_BF16;
      case NumberType::kFp16: return TACTUS_FP16;
      case NumberType::kFp8E4m3: return TACTUS_FP8_E4M3;
      case NumberType::kFp8E4m3Fnuz: return TACTUS_FP8_E4M3_FNUZ;
      case NumberType::kInt64: return TACTUS_INT64;
      case NumberType::kInt32: return TACTUS_INT32;
      default: break;
    }
    CHECK(false);
    return 0;
  }

  std::byte* block_;
  std::vector<std::vector<std::int64_t>> strides_;
  std::vector<tactus_tensor> inputs_;
  std::vector<tactus_tensor> outputs_;
  std::vector<tactus_parameter> parameters_;
  tactus_call call_{};
};

std::int64_t heap_bytes() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
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

  WorkerAnswer run() {
    WorkerAnswer answer;
    if (calls_.empty() && !add_call(answer)) return answer;
    if (!copy_in(*calls_[0], answer)) return answer;
    if (task_.candidate.kind == Candidate::Kind::kReference) {
      const HostTensors tensors = tensors_at(*task_.problem, *task_.layout, calls_[0]->block());
      run_reference(*task_.definition, *task_.problem, tensors, task_.threads);
    } else {
      take(device_->run(*entry_, calls_[0]->call()), answer);
    }
    if (answer.error.empty()) copy_out(*calls_[0], answer);
    return answer;
  }

  /// Calls on copies of the block in turn, and one on the block itself at a place in the loop that
  /// the kernel cannot know: that one is checked afterwards.
  WorkerAnswer time(const WorkerRequest& request) {
    WorkerAnswer answer;
    if (task_.candidate.kind == Candidate::Kind::kReference) {
      answer.error = "the reference is not timed";
      return answer;
    }
    while (static_cast<std::int64_t>(calls_.size()) < 3) {
      // Two copies suffice where the caches are flushed; the first is the audited one.
      if (!add_call(answer)) {
        if (calls_.size() < 2) return answer;
        answer.error.clear();
        break;
      }
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
    answer.launch_floor_ns = device_->launch_floor_ns();
    warm_up(answer);
    const std::int64_t heap_before = heap_bytes();
    sample(request, answer);
    answer.leaked_bytes =
        std::max<std::int64_t>(0, heap_bytes() - heap_before - own_growth(answer));
    if (answer.error.empty()) copy_out(*calls_[0], answer);
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
    const Result<void*> memory = device_->allocate(workspace_bytes_);
    if (!memory) {
      return refuse(answer, fmt::format("it asks for {} bytes of workspace: {}", workspace_bytes_,
                                        memory.error().message));
    }
    workspace_ = *memory;
    return true;
  }

  bool add_call(WorkerAnswer& answer) {
    const Result<void*> memory = device_->allocate(task_.layout->bytes);
    if (!memory) return refuse(answer, memory.error().message);
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

  /// The copies, never the audited block, in turn.
  tactus_call& next_copy() {
    turn_ = turn_ + 1 < calls_.size() ? turn_ + 1 : 1;
    return calls_[turn_]->call();
  }

  void warm_up(WorkerAnswer& answer) {
    constexpr double kSeconds = 0.05;
    const Clock::time_point begin = Clock::now();
    do {
      take(device_->run(*entry_, next_copy()), answer);
    } while (answer.error.empty() &&
             std::chrono::duration<double>(Clock::now() - begin).count() < kSeconds);
  }

  void sample(const WorkerRequest& request, WorkerAnswer& answer) {
    if (!answer.error.empty()) return;
    answer.samples_ns.reserve(static_cast<std::size_t>(request.stop.at_most) + kBatch);
    const Clock::time_point begin = Clock::now();
    const std::int64_t audited = static_cast<std::int64_t>(
        request.secret % static_cast<std::uint64_t>(request.stop.at_least));
    bool audit_done = false;
    while (answer.error.empty()) {
      const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
      if (audit_done && enough(request.stop, answer.samples_ns, spent)) return;
      std::vector<const tactus_call*> batch;
      // Long calls are timed one by one, so that the budget holds.
      const bool slow = !answer.samples_ns.empty() && answer.samples_ns.back() > 2e6;
      for (std::size_t i = 0; i < (slow ? 1 : kBatch); ++i) {
        const auto at = static_cast<std::int64_t>(answer.samples_ns.size() + i);
        const bool audit = !audit_done && at >= audited;
        batch.push_back(audit ? &calls_[0]->call() : &next_copy());
        audit_done = audit_done || audit;
      }
      take(device_->time(*entry_, batch, answer.samples_ns), answer);
    }
  }

  /// What our own list of samples may have added to the heap.
  static std::int64_t own_growth(const WorkerAnswer& answer) {
    return static_cast<std::int64_t>(answer.samples_ns.capacity() * sizeof(double)) + 65536;
  }

  static constexpr std::size_t kBatch = 4;

  const WorkerTask& task_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<KernelLibrary> library_;
  const tactus_entry* entry_ = nullptr;
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  std::vector<std::unique_ptr<BoundCall>> calls_;  ///< the first takes the block of the parent
  std::size_t turn_ = 0;
};

}  // namespace

void serve_worker(const WorkerTask& task, const Channel& channel) {
  Session session(task);
  WorkerAnswer opening;
  const bool open = session.open(opening);
  while (const std::optional<Frame> frame = channel.receive(-1)) {
    const std::optional<WorkerRequest> request = request_of(*frame);
    if (!request) return;
    WorkerAnswer answer = opening;
    if (open && request->kind == WorkerRequest::kRun) answer = session.run();
    if (open && request->kind == WorkerRequest::kTime) answer = session.time(*request);
    if (!channel.send(frame_of(answer))) return;
  }
}

}  // namespace tactus
