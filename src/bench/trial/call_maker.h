#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/rooms/rooms.h"
#include "bench/trial/trial_scene.h"
#include "bench/worker/worker.h"
#include "bench/worker/worker_process.h"
#include "operators/random.h"

namespace tactus {

/// One call: what its inputs and outputs were made of, and what came of it.
struct MadeCall {
  Rooms::Place place;
  CallSetting setting = CallSetting::kPoisoned;
  WorkerAnswer answer;
  double request_ns = 0;  ///< by our clock
  double outside_ns = 0;  ///< processor time of the request that is not of the call
  double others_ns = 0;   ///< processor time of the request in threads that do not make the call
};

/// A request, and what it cost.
struct Costs {
  WorkerAnswer answer;
  std::uint64_t sent_ticks = 0;
  std::uint64_t received_ticks = 0;
  /// Processor time of the worker, as the system counts it; nothing on a GPU.
  std::optional<WorkerProcess::CpuTime> cpu;
};

/// A candidate may have threads of its own.
unsigned most_threads(const MeasureOptions& options);

/// Makes calls in the worker, each on inputs that no call has seen. Functions return false if that
/// is not possible; the row then says why.
class CallMaker {
 public:
  /// `random` decides everything that the candidate must not know.
  CallMaker(const TrialScene& scene, const TrialBlocks& blocks, WorkerProcess& worker,
            Random& random)
      : scene_(scene), blocks_(blocks), worker_(worker), random_(random) {}

  /// Gets memory for the calls; on a GPU the candidate is loaded before that.
  bool open_rooms();
  /// More memory for calls, also before that; null if there is none. The rooms follow each other.
  std::unique_ptr<Rooms> open_rooms(const RoomPlan& plan);
  /// What a request costs while no code of the candidate is there; see work_outside().
  bool make_empty_requests();
  bool load() { return ask({}).has_value(); }

  bool make(CallSetting setting, MadeCall& made, WorkerRequest::Kind kind = WorkerRequest::kCall);
  /// The outputs of the call that was made last.
  bool collect(const MadeCall& made, std::byte* into);
  std::optional<WorkerAnswer> ask(const WorkerRequest& request);
  /// Asks a worker that is stopped, and stops it again.
  std::optional<Costs> ask_and_halt(const WorkerRequest& request);
  /// Nothing of the worker goes on until the next request. Results on a GPU are kept where no code
  /// of the host reaches them.
  bool halt();
  /// If the worker cannot be reached, asking it shows how it ended.
  bool lost(std::string_view why);
  /// Inputs are made of the drawn block from now on.
  bool bring_drawn();

  Rooms& rooms() { return *rooms_; }
  const WorkerProcess& worker() const { return worker_; }
  const std::vector<double>& empty_ns() const { return empty_ns_; }
  /// .. of which so much in other threads, besides what they did for the timed part.
  const std::vector<double>& empty_others_ns() const { return empty_others_ns_; }

 private:
  bool believable(MadeCall& made, const Costs& costs) const;

  const TrialScene& scene_;
  const TrialBlocks& blocks_;
  WorkerProcess& worker_;
  Random& random_;
  std::unique_ptr<Rooms> rooms_;
  std::vector<double> empty_ns_;
  std::vector<double> empty_others_ns_;
};

}  // namespace tactus
