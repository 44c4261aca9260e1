#include "standin/stream.h"

#include <pthread.h>
#include <sys/prctl.h>

#include <algorithm>
#include <thread>

#include "standin/device.h"

namespace standin {
namespace {

struct AllStreams {
  std::mutex lock;
  std::vector<Stream*> streams;
};

AllStreams& all_streams() {
  static AllStreams* const all = new AllStreams;
  return *all;
}

Work wait_for(std::shared_ptr<Marker> marker) {
  Work work;
  work.kind = Work::kWait;
  work.marker = std::move(marker);
  return work;
}

}  // namespace

int Stream::submit(Work work) {
  log_work(work, number, is_capturing);
  if (is_capturing) return capture_work(*this, std::move(work));
  work.submitted_ns = now_ns();
  work.stream = number;
  work.correlation = number_of_call();
  const auto wait_for_stream = [&](Stream& other) {
    if (&other == this || other.device != device || other.is_idle()) return;
    auto marker = std::make_shared<Marker>();
    Work record;
    record.kind = Work::kRecord;
    record.marker = marker;
    other.push(std::move(record));
    push(wait_for(std::move(marker)));
  };
  if (is_legacy) {
    AllStreams& all = all_streams();
    const std::lock_guard lock(all.lock);
    for (Stream* other : all.streams) {
      if (other->waits_for_legacy) wait_for_stream(*other);
    }
  } else if (waits_for_legacy) {
    wait_for_stream(*device->legacy_stream);
  }
  push(std::move(work));
  return kSuccess;
}

void Stream::push(Work work) {
  const std::lock_guard lock(mutex_);
  const bool takes_no_time = work.kind == Work::kKernel && work.function->code == nullptr &&
                             work.function->duration_ns == 0 && !work.function->has_cost;
  if (pending_.load(std::memory_order_relaxed) == 0 &&
      (takes_no_time || work.kind == Work::kRecord)) {
    clock_ns_ = run_work(work, clock_ns_);
    return;
  }
  queue_.push_back(std::move(work));
  pending_.fetch_add(1, std::memory_order_release);
  if (!has_thread_) {
    has_thread_ = true;
    std::thread([this] { run(); }).detach();
  }
  has_work_.notify_one();
}

void Stream::run() {
  prctl(PR_SET_NAME, "standin-stream");
  prctl(PR_SET_TIMERSLACK, 1ul);
  std::unique_lock lock(mutex_);
  while (true) {
    has_work_.wait(lock, [&] { return !queue_.empty(); });
    const Work work = std::move(queue_.front());
    queue_.pop_front();
    const std::int64_t clock_ns = clock_ns_;
    lock.unlock();
    const std::int64_t end_ns = run_work(work, clock_ns);
    lock.lock();
    clock_ns_ = end_ns;
    pending_.fetch_sub(1, std::memory_order_release);
  }
}

void Stream::wait_until_done() {
  if (is_idle()) return;
  auto marker = std::make_shared<Marker>();
  Work record;
  record.kind = Work::kRecord;
  record.marker = marker;
  push(std::move(record));
  marker->wait();
  // The marker is reached a moment before the stream counts it as done.
  while (!is_idle() && pending_.load(std::memory_order_acquire) == 1) std::this_thread::yield();
}

Stream* make_stream(unsigned flags) {
  Device* device = current_device();
  if (device == nullptr) return nullptr;
  AllStreams& all = all_streams();
  const std::lock_guard lock(all.lock);
  auto* stream = new Stream;
  stream->device = device;
  stream->number = static_cast<unsigned>(all.streams.size()) + 1;
  stream->waits_for_legacy = (flags & kNonBlocking) == 0;
  all.streams.push_back(stream);
  return stream;
}

Stream* find_stream(void* handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number == kPerThreadStream) return find_stream_per_thread(nullptr);
  if (number > kPerThreadStream) {
    auto* stream = static_cast<Stream*>(handle);
    return stream->is_destroyed || is_forked_child() ? nullptr : stream;
  }
  Device* device = current_device();
  return device == nullptr ? nullptr : device->legacy_stream;
}

Stream* find_stream_per_thread(void* handle) {
  if (handle != nullptr && handle != reinterpret_cast<void*>(kPerThreadStream)) {
    return find_stream(handle);
  }
  static thread_local std::vector<Stream*> streams;
  Device* device = current_device();
  if (device == nullptr) return nullptr;
  for (Stream* stream : streams) {
    if (stream->device == device) return stream;
  }
  streams.push_back(make_stream(0));
  return streams.back();
}

void wait_for_all_streams(const Device& device) {
  AllStreams& all = all_streams();
  std::vector<Stream*> streams;
  {
    const std::lock_guard lock(all.lock);
    streams = all.streams;
  }
  for (Stream* stream : streams) {
    if (stream->device == &device) stream->wait_until_done();
  }
  device.legacy_stream->wait_until_done();
}

}  // namespace standin
