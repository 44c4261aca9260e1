#include "sources/kineto/event_reader.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "sources/kineto/json_scan.h"
#include "sources/kineto/window_reader.h"

namespace tactus::kineto {
namespace {

/// The largest event (or single value of the document itself).
constexpr std::size_t kLargestItem = 32 << 20;

constexpr std::size_t kReadAhead = 2;  // windows

/// A window in work: read, then scanned, then handed on in the order of the text.
struct Job {
  Window window;
  Place assumed;  ///< the place that the scan started from
  EventBatch batch;
  ScanResult result;
  bool scanned = false;
  std::uint64_t disk_bytes = 0;  ///< read from disk when the window was read
};

class EventReader {
 public:
  EventReader(InputBytes& bytes, const ReadOptions& options,
              const std::function<void(EventBatch&)>& take, Progress& progress)
      : bytes_(bytes),
        windows_(bytes, options.window_bytes),
        take_(take),
        progress_(progress),
        threads_(std::max(options.threads, 1U)),
        most_jobs_(threads_ + 1 + kReadAhead) {}

  Result<ReadOutcome> run() {
    {
      std::vector<std::jthread> pool;
      const StopAtEnd stop{*this};
      for (unsigned t = 1; t < threads_; ++t) pool.emplace_back([this] { work(); });
      work();
    }
    if (!error_) return error_.error();
    if (outcome_.stopped.empty()) finish();
    return outcome_;
  }

 private:
  /// Wakes the other threads when this one leaves, also if it ran out of memory.
  struct StopAtEnd {
    EventReader& reader;

    ~StopAtEnd() {
      const std::lock_guard lock(reader.mutex_);
      reader.stop_ = true;
      reader.changed_.notify_all();
    }
  };

  /// Every thread does the next possible task until nothing is left. Reading (one thread at a time)
  /// stays a little ahead, so scanning never waits for it.
  void work() {
    EventScanner scanner;
    std::unique_lock lock(mutex_);
    for (;;) {
      const bool can_read = !reading_ && !ended_ && jobs_.size() < most_jobs_;
      if (!handing_on_ && !jobs_.empty() && jobs_.front()->scanned) {
        hand_on(lock);
      } else if (stop_ || (ended_ && jobs_.empty())) {
        return;
        // NOLINTNEXTLINE(bugprone-branch-clone): reading comes before scanning here, after it below
      } else if (can_read && waiting_.size() < kReadAhead) {
        read(lock);
      } else if (!waiting_.empty()) {
        scan(lock, scanner);
      } else if (can_read) {
        read(lock);
      } else {
        changed_.wait(lock);
      }
    }
  }

  void read(std::unique_lock<std::mutex>& lock) {
    reading_ = true;
    std::unique_ptr<Job> job = spare_job();
    lock.unlock();
    const Status status = windows_.next(job->window);
    const bool first = job->window.offset() == 0;
    if (first) in_object_ = starts_with_brace(job->window);
    job->disk_bytes = bytes_.disk_bytes();
    job->assumed = first ? Place{} : Place{.kind = Place::kEvents, .in_object = in_object_};
    lock.lock();
    reading_ = false;
    if (!status) {
      error_ = status.error();
      stop_ = true;
    } else if (job->window.text().empty()) {
      ended_ = true;
    } else {
      waiting_.push_back(job.get());
      jobs_.push_back(std::move(job));
    }
    changed_.notify_all();
  }

  void scan(std::unique_lock<std::mutex>& lock, EventScanner& scanner) {
    Job* job = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    job->result = scanner.scan(job->window.text(), job->assumed, job->batch);
    lock.lock();
    job->scanned = true;
    changed_.notify_all();
  }

  static bool starts_with_brace(const Window& window) {
    const std::string_view text = window.text();
    const std::size_t at = text.find_first_of("{[");
    return at == std::string_view::npos || text[at] == '{';
  }

  std::unique_ptr<Job> spare_job() {
    if (spare_.empty()) return std::make_unique<Job>();
    std::unique_ptr<Job> job = std::move(spare_.back());
    spare_.pop_back();
    job->scanned = false;
    return job;
  }

  void hand_on(std::unique_lock<std::mutex>& lock) {
    handing_on_ = true;
    std::unique_ptr<Job> job = std::move(jobs_.front());
    jobs_.pop_front();
    const bool wanted = !stop_;
    lock.unlock();
    if (wanted) accept(*job);
    progress_.update("reading", job->disk_bytes, bytes_.disk_size());
    lock.lock();
    handing_on_ = false;
    stop_ |= !outcome_.stopped.empty();
    spare_.push_back(std::move(job));
    changed_.notify_all();
  }

  /// Takes the next window in order. If the window before did not end at the end of an event, this
  /// one was scanned from a wrong place and is scanned again from the right one.
  void accept(Job& job) {
    const std::string_view text = job.window.text();
    outcome_.text_bytes = job.window.offset() + text.size();
    if (leftover_.empty() && job.assumed == place_) {
      leftover_.assign(text.substr(job.result.consumed));
      accept(job.result, job.batch);
      return;
    }
    job.batch.clear_events();
    take_(job.batch);  // what was learned is still valid
    leftover_.append(text);
    if (leftover_.size() >= rescan_at_) rescan();
  }

  void rescan() {
    const std::size_t size = leftover_.size();
    leftover_.append(kPadding, '\0');
    if (!rescanner_) rescanner_ = std::make_unique<EventScanner>();
    const ScanResult result = rescanner_->scan({leftover_.data(), size}, place_, rescanned_);
    leftover_.resize(size);
    leftover_.erase(0, result.consumed);
    // A large event that is still not finished is read again when twice as much of it is there.
    rescan_at_ = result.consumed != 0 ? 0 : std::min(2 * leftover_.size(), kLargestItem + 1);
    accept(result, rescanned_);
  }

  void accept(const ScanResult& result, EventBatch& batch) {
    place_ = result.place;
    outcome_.found_document |= !batch.documents.empty();
    outcome_.found_events |= result.found_events;
    take_(batch);
    if (!result.problem.empty()) {
      outcome_.stopped = result.problem + at_byte();
      outcome_.document_closed = outcome_.found_document && place_.kind == Place::kStart;
    } else if (leftover_.size() > kLargestItem) {
      outcome_.stopped = "an event is larger than 32 MiB" + at_byte();
    }
  }

  std::string at_byte() const {
    return " at byte " + std::to_string(outcome_.text_bytes - leftover_.size());
  }

  /// The end of the text: is everything in it complete?
  void finish() {
    if (rescan_at_ != 0) rescan();
    if (!outcome_.stopped.empty()) return;
    const bool cut = leftover_.find_first_not_of(" \t\r\n") != std::string::npos;
    if (cut) {
      outcome_.stopped = "the text ends inside a value that starts" + at_byte();
    } else if (place_.kind == Place::kMembers ||
               (place_.kind == Place::kEvents && place_.in_object)) {
      outcome_.stopped = "the text ends early" + at_byte();
    }
  }

  InputBytes& bytes_;
  WindowReader windows_;  ///< used by the one thread that is reading
  const std::function<void(EventBatch&)>& take_;
  Progress& progress_;
  const unsigned threads_;
  const std::size_t most_jobs_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Job>> jobs_;  ///< in the order of the text
  std::deque<Job*> waiting_;               ///< those that no thread scans yet
  std::vector<std::unique_ptr<Job>> spare_;
  bool reading_ = false;     ///< some thread is reading a window
  bool handing_on_ = false;  ///< some thread is handing on a batch
  bool ended_ = false;       ///< the last window has been read
  bool stop_ = false;
  Status error_;
  bool in_object_ = true;

  // Used by the one thread that is handing on.
  Place place_;
  std::string leftover_;                     ///< the unfinished end of the window before
  std::size_t rescan_at_ = 0;                ///< when it has this size
  std::unique_ptr<EventScanner> rescanner_;  ///< made when needed
  EventBatch rescanned_;
  ReadOutcome outcome_;
};

}  // namespace

Result<ReadOutcome> read_events(InputBytes& bytes, const ReadOptions& options,
                                const std::function<void(EventBatch&)>& take, Progress& progress) {
  return EventReader(bytes, options, take, progress).run();
}

}  // namespace tactus::kineto
