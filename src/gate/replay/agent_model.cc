#include "gate/replay/agent_model.h"

#include <algorithm>

#include "wire/gate.h"

namespace tactus::gate {

void LearnedCost::learn_kernels(std::int64_t took_ns) {
  if (took_ns > 0) ns_ = wire::mean_cost(ns_, static_cast<std::uint64_t>(took_ns));
}

void LearnedCost::learn_graph(std::int64_t took_ns) {
  if (took_ns > 0) ns_ = wire::shortest_cost(ns_, static_cast<std::uint64_t>(took_ns));
}

void QueueModel::collect(LearnedCost& cost) {
  while (!marks_.empty() && marks_.front().launches <= done_) {
    Mark mark = marks_.front();
    marks_.pop_front();
    mark.at_ns = std::max(mark.at_ns, done_ns_);
    if (mark.is_behind && last_ && mark.launches > last_->launches) {
      const auto launches = static_cast<std::int64_t>(mark.launches - last_->launches);
      cost.learn_kernels((mark.at_ns - last_->at_ns) / launches);
    }
    finished_ = mark.launches;
    last_ = mark;
  }
}

void QueueModel::begin_launch(std::int64_t now_ns, std::uint32_t depth, LearnedCost& cost) {
  collect(cost);
  if (submitted_ - marked_ < wire::launches_per_mark(depth)) return;
  if (marks_.size() == wire::kQueueMarks) return;
  marks_.push_back({submitted_, now_ns, !marks_.empty()});
  marked_ = submitted_;
  collect(cost);
}

bool QueueModel::is_full(std::uint32_t depth, std::int64_t now_ns) const {
  // Without a mark there is nothing to wait for.
  return submitted_ - finished_ >= depth && !marks_.empty() && now_ns >= rests_until_ns_;
}

void QueueModel::finish(std::uint64_t number, std::int64_t now_ns, LearnedCost& cost) {
  done_ = number;
  done_ns_ = now_ns;
  collect(cost);
}

bool GraphClockModel::begin(const LearnedCost& cost) {
  const bool is_due = ++launches_ % wire::kGraphsPerTiming == 0 || cost.ns() == 0;
  if (!is_due || is_running_) return false;
  is_running_ = true;
  return true;
}

void GraphClockModel::collect(LearnedCost& cost) {
  if (!took_ns_) return;
  cost.learn_graph(*took_ns_);
  took_ns_.reset();
  is_running_ = false;
}

}  // namespace tactus::gate
