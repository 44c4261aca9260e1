#include "record/ring/backlog.h"

namespace tactus::record {

std::size_t Batch::bytes() const {
  std::size_t sum =
      host.events.capacity() * sizeof(HostEvent) + samples.capacity() * sizeof(meters::MeterSample);
  for (const Harvest::Part& part : harvest.parts) {
    sum += sizeof part + part.records.capacity() * sizeof(ThreadRecord);
  }
  return sum;
}

Backlog::Backlog(double seconds, std::size_t most_bytes)
    : span_ns_(static_cast<std::int64_t>(seconds * 1e9)), most_bytes_(most_bytes) {}

void Backlog::push(Batch batch, const std::function<void(Batch&)>& leave) {
  bytes_ += batch.bytes();
  const std::int64_t oldest_ns = batch.time_ns - span_ns_;
  batches_.push_back(std::move(batch));
  // A batch has what happened before its time, so the next one must be old enough.
  while (batches_.size() > 1) {
    const bool is_old = batches_.front().time_ns < oldest_ns;
    if (!is_old && bytes_ <= most_bytes_) break;
    was_full_ = was_full_ || !is_old;
    bytes_ -= batches_.front().bytes();
    leave(batches_.front());
    batches_.pop_front();
  }
}

std::deque<Batch> Backlog::take() {
  bytes_ = 0;
  return std::exchange(batches_, {});
}

}  // namespace tactus::record
