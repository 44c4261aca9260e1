#include "bench/trial/call_maker.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <utility>

#include "bench/rooms/host_rooms.h"
#include "bench/timing/ticks.h"
#include "bench/timing/timed_calls.h"
#include "bench/trial/row_notes.h"

namespace tactus {

unsigned most_threads(const MeasureOptions& options) {
  return std::max(options.threads, std::thread::hardware_concurrency());
}

std::optional<WorkerAnswer> CallMaker::ask(const WorkerRequest& request) {
  return ask_worker(scene_.row, worker_, request, scene_.options().patience_s);
}

bool CallMaker::lost(std::string_view why) {
  if (ask({})) scene_.broke(std::string(why));
  return false;
}

bool CallMaker::open_rooms() {
  // A missing operator is detected before any input is drawn.
  if (scene_.on_gpu && !load()) return false;
  rooms_ = open_rooms(plan_rooms(scene_.layout, scene_.candidate.device));
  return rooms_ != nullptr;
}

std::unique_ptr<Rooms> CallMaker::open_rooms(const RoomPlan& plan) {
  WorkerRequest request;
  request.kind = WorkerRequest::kRooms;
  request.count = plan.count;
  request.bytes = in_whole_pages(plan.bytes);
  std::optional<WorkerAnswer> answer = ask(request);
  if (!answer) return nullptr;
  if (answer->rooms.empty()) {
    scene_.broke("it has no memory for the tensors");
    return nullptr;
  }
  const MeasureOptions& options = scene_.options();
  if (scene_.on_gpu) {
    return make_gpu_rooms(scene_.problem(), scene_.layout, worker_, answer->rooms, answer->staging,
                          options.patience_s, options.threads);
  }
  std::unique_ptr<SharedMemory> shared;
  if (answer->file >= 0) {
    shared = SharedMemory::of(worker_.pid(), answer->file, answer->rooms.front(),
                              request.count * request.bytes);
    if (!shared) {
      lost("the memory of its process cannot be opened");
      return nullptr;
    }
  }
  return std::make_unique<HostRooms>(scene_.problem(), scene_.layout, worker_.memory(),
                                     std::move(answer->rooms), options.threads, std::move(shared));
}

bool CallMaker::bring_drawn() {
  return rooms_->bring(blocks_.drawn) || lost("the memory of its process cannot be written");
}

/// The inputs do not matter.
bool CallMaker::make_empty_requests() {
  constexpr int kRequests = 20;
  constexpr int kLargeRequests = 5;
  if (!bring_drawn()) return false;
  MadeCall made;
  for (int i = 0; i < (scene_.large ? kLargeRequests : kRequests); ++i) {
    if (!make(CallSetting::kPoisoned, made, WorkerRequest::kNothing)) return false;
    empty_ns_.push_back(made.outside_ns);
    const double touching_ns = said_help_ns(made.answer.clocked);
    empty_others_ns_.push_back(std::max(made.others_ns - touching_ns, 0.0));
  }
  return true;
}

bool CallMaker::halt() {
  return scene_.on_gpu || worker_.stop() || lost("its process cannot be stopped");
}

bool CallMaker::make(CallSetting setting, MadeCall& made, WorkerRequest::Kind kind) {
  made = {.place = {},
          .setting = setting,
          .answer = {},
          .request_ns = 0,
          .outside_ns = 0,
          .others_ns = 0};
  std::optional<Rooms::Place> used;
  if (stays(setting)) used = rooms_->used_place(random_, setting == CallSetting::kTwisted);
  if (stays(setting) && !used) made.setting = CallSetting::kPoisoned;
  made.place = used ? *used : rooms_->new_place(random_);
  WorkerRequest request;
  request.kind = kind;
  if (!halt()) return false;
  if (!rooms_->prepare(made.place, {hold_of(made.setting), blocks_.decoy}, request)) {
    return lost("the memory of its process cannot be written");
  }
  std::optional<Costs> costs = ask_and_halt(request);
  if (!costs) return false;
  made.answer = std::move(costs->answer);
  made.request_ns = static_cast<double>(costs->received_ticks - costs->sent_ticks) / ticks_per_ns();
  if (!believable(made, *costs)) return false;
  if (costs->cpu) {
    const ClockedCall& clocked = made.answer.clocked;
    made.others_ns = (costs->cpu->all_s - costs->cpu->first_thread_s) * 1e9;
    const auto ticks = static_cast<double>(clocked.end_ticks - clocked.begin_ticks);
    made.outside_ns = outside_the_call_ns(clocked, costs->cpu->first_thread_s, costs->cpu->all_s,
                                          ticks / ticks_per_ns(), most_threads(scene_.options()));
  }
  return true;
}

/// The worker's word counts only for what the judge cannot know, and within what it knows.
bool CallMaker::believable(MadeCall& made, const Costs& costs) const {
  ClockedCall& clocked = made.answer.clocked;
  for (const double said : {clocked.device_ns, clocked.tail_ns, clocked.others_before_s,
                            clocked.others_after_s, clocked.caller_cpu_s, clocked.all_cpu_s}) {
    if (!std::isfinite(said)) {
      return scene_.broke("its process sent something that is not an answer");
    }
  }
  if (!scene_.on_gpu) {  // nothing else has a clock here
    clocked.device_ns = 0;
    clocked.tail_ns = 0;
    clocked.sm_mhz = 0;
    clocked.reasons = 0;
  }
  const bool by_ticks = !scene_.on_gpu || clocked.begin_ticks != 0;
  const bool outside = clocked.begin_ticks < costs.sent_ticks ||
                       clocked.end_ticks > costs.received_ticks ||
                       clocked.begin_ticks > clocked.end_ticks;
  if ((by_ticks && outside) || clocked.device_ns > made.request_ns) {
    return scene_.broke("its clock does not agree with ours");
  }
  return true;
}

std::optional<Costs> CallMaker::ask_and_halt(const WorkerRequest& request) {
  const auto cpu_time = [this] { return scene_.on_gpu ? std::nullopt : worker_.cpu_time(); };
  Costs costs;
  const auto before = cpu_time();
  costs.sent_ticks = read_ticks();
  std::optional<WorkerAnswer> answer = ask(request);
  costs.received_ticks = read_ticks();
  if (!answer || !halt()) return std::nullopt;
  costs.answer = std::move(*answer);
  const auto after = cpu_time();
  if (before && after) {
    costs.cpu = {.first_thread_s = after->first_thread_s - before->first_thread_s,
                 .all_s = after->all_s - before->all_s};
  }
  return costs;
}

bool CallMaker::collect(const MadeCall& made, std::byte* into) {
  return rooms_->collect(made.place.address, into) ||
         lost("the memory of its process cannot be read");
}

}  // namespace tactus
