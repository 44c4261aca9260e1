#include "watch/sinks/bounded_worker.h"

namespace tactus::watch {

BoundedWorker::BoundedWorker(std::string name, std::size_t limit, Deliver deliver)
    : name_(std::move(name)), limit_(limit), deliver_(std::move(deliver)) {
  thread_ = std::thread([this] { run(); });
}

BoundedWorker::~BoundedWorker() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    dropped_ += queue_.size();
    queue_.clear();
  }
  wakes_.notify_all();
  thread_.join();
}

void BoundedWorker::offer(std::string message) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= limit_) {
      queue_.pop_front();
      ++dropped_;
    }
    queue_.push_back(std::move(message));
  }
  wakes_.notify_one();
}

void BoundedWorker::finish(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  if (idle_.wait_for(lock, limit, [this] { return queue_.empty() && !is_busy_; })) return;
  // What waits, and what a server that hangs was just sent: nobody will know whether it came.
  dropped_ += queue_.size() + (is_busy_ ? 1 : 0);
  queue_.clear();
  is_ending_ = true;
}

void BoundedWorker::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wakes_.wait(lock, [this] { return is_ending_ || !queue_.empty(); });
    if (is_ending_) return;
    const std::string message = std::move(queue_.front());
    queue_.pop_front();
    is_busy_ = true;
    lock.unlock();
    const bool is_delivered = deliver_(message);
    lock.lock();
    is_busy_ = false;
    if (is_ending_) return;
    ++(is_delivered ? delivered_ : failed_);
    if (queue_.empty()) idle_.notify_all();
  }
}

}  // namespace tactus::watch
