#include "bench/trial/call_series.h"

#include <algorithm>
#include <bit>

#include "bench/rooms/rooms.h"

namespace tactus {
namespace {

constexpr std::uint64_t kMostCalls = 256;
constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;
constexpr double kSeriesNs = 4e6;        // so long that 0.1 ms of noise is 3%
constexpr double kLongCallNs = 1e6;      // of these, single ones show work of a quarter
constexpr std::size_t kEmptySeries = 5;  // of each length

SeriesTimes::Cost median_of(const std::vector<SeriesTimes::Cost>& costs) {
  std::vector<double> first;
  std::vector<double> all;
  for (const SeriesTimes::Cost& cost : costs) {
    first.push_back(cost.first_ns);
    all.push_back(cost.all_ns);
  }
  return {.first_ns = median_interval(first).median, .all_ns = median_interval(all).median};
}

}  // namespace

bool CallSeries::open() {
  if (scene_.on_gpu || scene_.large) return true;
  apart_ = in_whole_pages(scene_.layout.bytes);
  most_ = std::bit_floor(std::min(kMostCalls, kMostBytes / apart_));
  if (most_ < 2) return true;
  rooms_ = calls_.open_rooms({.count = most_, .bytes = apart_});
  if (!rooms_ || !rooms_->bring(blocks_.drawn)) return false;
  for (std::uint64_t count = most_; count >= 2; count /= 2) {
    for (std::size_t i = 0; i < kEmptySeries; ++i) {
      if (!make_empty(count)) return false;
    }
  }
  times_.threads = most_threads(scene_.options());
  return true;
}

/// One more; only the latest count.
bool CallSeries::make_empty(std::uint64_t count) {
  if (!furnish(count, {InputKey{}})) return false;
  const std::optional<SeriesTimes::Cost> taken = cost(count);
  if (!taken) return false;
  std::vector<SeriesTimes::Cost>& empty = empty_[count];
  if (empty.size() >= kEmptySeries) empty.erase(empty.begin());
  empty.push_back(*taken);
  return true;
}

bool CallSeries::furnish(std::uint64_t count, const std::vector<InputKey>& keys) {
  if (!calls_.halt()) return false;
  made_.assign(count, {});
  for (std::uint64_t i = 0; i < count; ++i) {
    MadeCall& made = made_[i];
    made.setting = random_.below(2) == 0 ? CallSetting::kPoisoned : CallSetting::kDecoy;
    const std::int64_t chosen = random_.below(static_cast<std::int64_t>(keys.size()));
    made.place = rooms_->place_in(i, keys[static_cast<std::size_t>(chosen)], random_);
    WorkerRequest unused;
    if (!rooms_->prepare(made.place, {hold_of(made.setting), blocks_.decoy}, unused)) {
      return calls_.lost("the memory of its process cannot be written");
    }
  }
  return true;
}

/// Per call; 0 if the system does not count. Nothing if the series fails.
std::optional<SeriesTimes::Cost> CallSeries::cost(std::uint64_t count) {
  WorkerRequest request;
  request.kind = WorkerRequest::kSeries;
  request.count = count;
  request.address = made_.front().place.address;
  request.bytes = apart_;
  const std::optional<Costs> costs = calls_.ask_and_halt(request);
  if (!costs) return std::nullopt;
  const WorkerProcess::CpuTime cpu = costs->cpu.value_or(WorkerProcess::CpuTime{});
  const double ns_per_call = 1e9 / static_cast<double>(count);
  return SeriesTimes::Cost{.first_ns = cpu.first_thread_s * ns_per_call,
                           .all_ns = cpu.all_s * ns_per_call};
}

bool CallSeries::take(double said_ns, double hidden_ns, const std::vector<InputKey>& keys) {
  if (most_ < 2 || keys.empty() || said_ns > kLongCallNs) return true;
  const double call_ns = std::max(said_ns + hidden_ns, 1.0);
  const auto wanted = static_cast<std::uint64_t>(kSeriesNs / call_ns);
  const std::uint64_t count = std::min(most_, std::bit_ceil(std::max<std::uint64_t>(wanted, 2)));
  const bool is_controlled =
      control_ != nullptr && control_->most_ >= count && control_->make_empty(count);
  if (!rooms_->bring(blocks_.drawn) || !furnish(count, keys)) return false;
  const std::optional<SeriesTimes::Cost> taken = cost(count);
  if (!taken) return false;
  const std::vector<SeriesTimes::Cost>& empty = (is_controlled ? control_ : this)->empty_[count];
  const SeriesTimes::Cost usual = median_of(empty);
  const auto [least, most] = std::minmax_element(
      empty.begin(), empty.end(), [](const auto& a, const auto& b) { return a.all_ns < b.all_ns; });
  // Empty ones beside it are made again for each series. If one of all those was disturbed, that
  // is no room for a kernel that hides work; it says nothing about how far down they go.
  const double noise_ns = (is_controlled ? usual.all_ns : most->all_ns) - least->all_ns;
  times_.series.push_back({.first_ns = taken->first_ns - usual.first_ns,
                           .all_ns = taken->all_ns - usual.all_ns,
                           .noise_ns = noise_ns});
  return judge_all();
}

/// Each only in a few places, but a kernel cannot know where.
bool CallSeries::judge_all() {
  for (const MadeCall& made : made_) {
    if (!rooms_->collect(made.place.address, blocks_.latest)) {
      return calls_.lost("the memory of its process cannot be read");
    }
    if (!judge_.is_right({.made = made,
                          .after = blocks_.latest,
                          .work = scene_.options().check_work * kShareOfAudit /
                                  static_cast<double>(made_.size()),
                          .when = ", in a call inside a series"})) {
      return false;
    }
  }
  return true;
}

}  // namespace tactus
