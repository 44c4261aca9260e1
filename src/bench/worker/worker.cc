#include "bench/worker/worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "bench/candidate/allocation_count.h"
#include "bench/candidate/kernel_library.h"
#include "bench/candidate/python_library.h"
#include "bench/device/device.h"
#include "bench/rooms/bound_call.h"
#include "bench/rooms/gpu_stage.h"
#include "bench/rooms/rooms.h"
#include "bench/timing/ticks.h"
#include "bench/worker/confinement.h"
#include "bench/worker/worker_main.h"
#include "operators/cpu/library.h"
#include "operators/reference.h"

namespace tactus {
namespace {

/// The candidate, ready to be called.
class Session {
 public:
  explicit Session(const WorkerTask& task) : task_(task) {}

  /// Loads the candidate and its device; `answer` says what prevents it.
  bool open(WorkerAnswer& answer) {
    // The judge has opened them by now, and the candidate needs none.
    for (const int file : std::exchange(shared_files_, {})) close(file);
    if (task_.candidate.kind == Candidate::Kind::kReference) return open_device(answer);
    if (task_.candidate.kind == Candidate::Kind::kLibrary) {
      if (task_.candidate.device == TACTUS_CPU) confine_candidate();
      Result<KernelLibrary> library = KernelLibrary::open(task_.candidate.path);
      if (!library) return refuse(answer, library.error().message);
      library_ = std::make_unique<KernelLibrary>(std::move(*library));
      // Not on CUDA: the runtime that nvcc links into a library may allocate.
      if (task_.candidate.device == TACTUS_CPU) library_->count_allocations();
    } else if (task_.candidate.kind == Candidate::Kind::kBuiltIn) {
      library_ = std::make_unique<KernelLibrary>(cpu_library());
    }
    if (task_.candidate.kind == Candidate::Kind::kPython) {
      Result<PythonLibrary> python = PythonLibrary::open(
          task_.candidate.path, task_.problem->operator_name, task_.candidate.device);
      if (!python) return refuse(answer, python.error().message);
      python_ = std::make_unique<PythonLibrary>(std::move(*python));
    }
    entry_ = python_ ? python_->entry()
                     : library_->find(task_.problem->operator_name, task_.candidate.device);
    if (entry_ == nullptr) {
      answer.skipped = true;
      answer.lacks_operator = true;
      return refuse(answer, missing_operator());
    }
    return open_device(answer) && open_workspace(answer);
  }

  /// Memory that the judge fills, or has filled, before each call.
  WorkerAnswer rooms(const WorkerRequest& request) {
    WorkerAnswer answer;
    if (!open_device(answer)) return answer;
    room_call_ = std::make_unique<BoundCall>(*task_.problem, *task_.layout, nullptr);
    device_->prepare(room_call_->call());
    give_workspace();
    if (task_.candidate.device == TACTUS_CUDA) return gpu_rooms(request);
    const std::size_t bytes = request.count * request.bytes;
    std::byte* first = is_small(*task_.layout) ? share(bytes, answer) : nullptr;
    if (first == nullptr) {
      const Result<void*> memory = device_->allocate(bytes);
      if (!memory) {
        answer.skipped = true;
        refuse(answer, memory.error().message);
        return answer;
      }
      first = static_cast<std::byte*>(*memory);
      // So that no call is the first to touch its pages; a large room is written as a whole.
      if (!is_large(*task_.layout)) std::memset(first, 0, bytes);
    }
    for (std::uint64_t i = 0; i < request.count; ++i) {
      answer.rooms.push_back(reinterpret_cast<std::uint64_t>(first) + i * request.bytes);
    }
    return answer;
  }

  /// All calls are made here, checked and timed ones.
  WorkerAnswer call(const WorkerRequest& request) {
    WorkerAnswer answer;
    if (!room_call_) {
      answer.error = "a call without a room";
      return answer;
    }
    if (stage_ && !take(stage_->furnish(request.address, request.key, request.hold), answer)) {
      return answer;
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the judge names rooms by their addresses
    auto* block = reinterpret_cast<std::byte*>(request.address);
    const tactus_call& call = room_call_->move_to(block, *task_.layout);
    if (task_.candidate.kind == Candidate::Kind::kReference) {
      answer.clocked.begin_ticks = read_ticks();  // the judge compares them with its own
      run_reference(*task_.definition, *task_.problem,
                    tensors_at(*task_.problem, *task_.layout, block), task_.threads);
      answer.clocked.end_ticks = read_ticks();
      return answer;
    }
    const CallMemory before = call_memory();
    if (request.kind == WorkerRequest::kNothing) {
      take(device_->clock_nothing(call, answer.clocked), answer);
    } else if (entry_ == nullptr) {
      answer.error = "a call without a kernel";
    } else {
      take(device_->clock(*entry_, call, answer.clocked), answer);
    }
    const CallMemory after = call_memory();
    answer.call_allocations = after.allocations - before.allocations;
    answer.heap_growth = after.heap_bytes - before.heap_bytes;
    answer.call_page_faults = after.page_faults - before.page_faults;
    if (stage_ && answer.error.empty()) take(stage_->take_results(request.address), answer);
    if (answer.error.empty()) workspace_kept(answer);
    answer.caveat = device_->caveat();
    return answer;
  }

  /// Nobody here times these calls: the judge does.
  WorkerAnswer series(const WorkerRequest& request) {
    WorkerAnswer answer;
    if (!room_call_ || task_.candidate.device != TACTUS_CPU) {
      answer.error = "a series without a room";
      return answer;
    }
    const auto call_at = [&](std::uint64_t i) -> const tactus_call& {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the judge names rooms by their addresses
      auto* block = reinterpret_cast<std::byte*>(request.address + i * request.bytes);
      return room_call_->move_to(block, *task_.layout);
    };
    for (std::uint64_t i = 0; i < request.count; ++i) {
      tactus_call tensors = call_at(i);
      tensors.workspace = nullptr;  // an empty series has none, so it would not be compared with it
      device_->cool(tensors);
    }
    for (std::uint64_t i = 0; i < request.count && answer.error.empty(); ++i) {
      const tactus_call& call = call_at(i);
      if (entry_ != nullptr) take(device_->run(*entry_, call), answer);
    }
    return answer;
  }

  /// Moves of tensors on a GPU.
  WorkerAnswer move(const WorkerRequest& request) {
    WorkerAnswer answer;
    if (!stage_) {
      answer.error = "no room";
      return answer;
    }
    switch (request.kind) {
      case WorkerRequest::kPut: take(stage_->put(request.offset, request.bytes), answer); break;
      case WorkerRequest::kSpread: take(stage_->spread_guards(), answer); break;
      case WorkerRequest::kKeep: take(stage_->keep_decoy(), answer); break;
      default: take(stage_->get(request.address, request.offset, request.bytes), answer); break;
    }
    return answer;
  }

  WorkerAnswer floors(const WorkerRequest& request) {
    WorkerAnswer answer;
    const ClockFloor floor = device_->launch_floor();
    answer.launch_floor_ns = floor.ns;
    answer.clock_noise_ns = floor.noise_ns;
    answer.tail_floor_ns = floor.tail_ns;
    answer.touch_floor_ns = device_->touch_floor_ns().value_or(0);
    if (request.copied_bytes > 0) {
      answer.copy_ns = device_->copy_ns(request.copied_bytes).value_or(0);
    }
    if (stage_) answer.device_free_bytes = device_->free_bytes();
    return answer;
  }

 private:
  static bool refuse(WorkerAnswer& answer, std::string why) {
    answer.error = std::move(why);
    return false;
  }

  bool open_device(WorkerAnswer& answer) {
    if (device_) return true;
    if (task_.candidate.device == TACTUS_CUDA) {
      Result<std::unique_ptr<TimedDevice>> device = make_cuda_device(task_.candidate.ordinal);
      if (!device) return refuse(answer, device.error().message);
      device_ = std::move(*device);
    } else {
      device_ = make_cpu_device(task_.threads);
    }
    return true;
  }

  std::string missing_operator() const {
    const bool cuda = task_.candidate.device == TACTUS_CUDA;
    const std::string& name = task_.problem->operator_name;
    if (library_ && library_->find(name, cuda ? TACTUS_CPU : TACTUS_CUDA) != nullptr) {
      return fmt::format("{} has {} for --device {} only", task_.candidate.name, name,
                         cuda ? "cpu" : "cuda");
    }
    return fmt::format("{} has no {}", task_.candidate.name, name);
  }

  std::byte* share(std::size_t bytes, WorkerAnswer& answer) {
    const SharedBlock block = device_->allocate_shared(bytes);
    answer.file = block.file;
    if (block.file >= 0) shared_files_.push_back(block.file);
    return block.memory;
  }

  WorkerAnswer gpu_rooms(const WorkerRequest& request) {
    WorkerAnswer answer;
    auto stage = std::make_unique<GpuStage>(*device_, *task_.problem, *task_.layout);
    const std::size_t free_bytes = device_->free_bytes();
    if (!stage->open(request.count)) {
      answer.skipped = true;
      refuse(answer, fmt::format("needs {:.1f} GB, {:.1f} GB are free on {}",
                                 2 * static_cast<double>(task_.layout->bytes) / 1e9,
                                 static_cast<double>(free_bytes) / 1e9, device_->name()));
      return answer;
    }
    stage_ = std::move(stage);
    answer.rooms = stage_->rooms();
    answer.staging = stage_->staging();
    return answer;
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
    give_workspace();
    const std::vector<std::byte> guard(kGuardBytes, kGuard);
    const Status copied = device_->copy_in(workspace_guard(), guard.data(), guard.size());
    return copied ? true : refuse(answer, copied.error().message);
  }

  void give_workspace() {
    if (!room_call_) return;
    room_call_->call().workspace = workspace_;
    room_call_->call().workspace_bytes = workspace_bytes_;
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

  static bool take(const Status& status, WorkerAnswer& answer) {
    return status ? true : refuse(answer, status.error().message);
  }

  void take(const CallOutcome& outcome, WorkerAnswer& answer) const {
    answer.code = outcome.code;
    answer.error = outcome.error;
    if (outcome.code == TACTUS_UNSUPPORTED && outcome.error.empty()) {
      answer.skipped = true;
      answer.error = "it does not support this shape";
    } else if (outcome.code != 0 && outcome.error.empty() && python_) {
      answer.error = python_->message();
    } else if (outcome.code != 0 && outcome.error.empty()) {
      answer.error = fmt::format("the kernel returned {}", outcome.code);
    }
  }

  static constexpr std::size_t kGuardBytes = 4096;
  static constexpr std::byte kGuard{0xa5};

  const WorkerTask& task_;
  std::unique_ptr<TimedDevice> device_;
  std::unique_ptr<KernelLibrary> library_;
  std::unique_ptr<PythonLibrary> python_;
  const tactus_entry* entry_ = nullptr;
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  std::unique_ptr<BoundCall> room_call_;  ///< moves from room to room
  std::vector<int> shared_files_;         ///< of rooms, until the judge has opened them
  std::unique_ptr<GpuStage> stage_;       ///< on a GPU
};

}  // namespace

void serve_if_worker(int argc, char** argv) {
  const std::optional<Channel> line = worker_channel(argc, argv);
  if (!line) return;
  serve_to_the_end(
      [](const Channel& channel) {
        const std::optional<Frame> frame = channel.receive(-1).frame;
        const std::optional<SentTask> sent = frame ? task_of(*frame) : std::nullopt;
        if (!sent) return;
        const Result<const OperatorDefinition*> definition = find_definition(sent->operator_name);
        if (!definition) return;
        const Result<Problem> problem = make_problem(**definition, sent->shape);
        if (!problem || !channel.send(frame_of(WorkerAnswer{}))) return;
        const TensorLayout layout = layout_of(*problem);
        serve_worker({.definition = *definition,
                      .problem = &*problem,
                      .layout = &layout,
                      .candidate = sent->candidate,
                      .threads = sent->threads},
                     channel);
      },
      *line);
}

void serve_worker(const WorkerTask& task, const Channel& channel) {
  Session session(task);
  WorkerAnswer opening;
  bool open = true;
  while (const std::optional<Frame> frame = channel.receive(-1).frame) {
    const std::optional<WorkerRequest> request = request_of(*frame);
    if (!request) return;
    WorkerAnswer answer = opening;
    if (open) {
      switch (request->kind) {
        case WorkerRequest::kOpen:
          open = session.open(opening);
          answer = opening;
          break;
        case WorkerRequest::kRooms: answer = session.rooms(*request); break;
        case WorkerRequest::kCall:
        case WorkerRequest::kNothing: answer = session.call(*request); break;
        case WorkerRequest::kSeries: answer = session.series(*request); break;
        case WorkerRequest::kHide:
          hide_process();
          answer = {};
          break;
        case WorkerRequest::kFloors: answer = session.floors(*request); break;
        case WorkerRequest::kPut:
        case WorkerRequest::kSpread:
        case WorkerRequest::kKeep:
        case WorkerRequest::kGet: answer = session.move(*request); break;
      }
    }
    std::fflush(stdout);  // so that its output is seen even if it crashes in the next call
    if (!channel.send(frame_of(answer))) return;
  }
}

}  // namespace tactus
