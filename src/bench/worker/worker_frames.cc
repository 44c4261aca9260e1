#include <cstring>
#include <type_traits>

#include "bench/worker/worker.h"

namespace tactus {
namespace {

/// Writes values one after another.
class Writer {
 public:
  template <class... T>
  void all(const T&... values) {
    (one(values), ...);
  }
  Frame take() { return std::move(frame_); }

 private:
  template <class T>
  void one(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(&value, sizeof value);
  }
  void one(const std::string& text) {
    one(std::uint64_t{text.size()});
    put(text.data(), text.size());
  }
  template <class T>
  void one(const std::vector<T>& values) {
    one(std::uint64_t{values.size()});
    for (const T& value : values) one(value);
  }
  template <class A, class B>
  void one(const std::pair<A, B>& both) {
    all(both.first, both.second);
  }
  void put(const void* from, std::size_t bytes) {
    const auto* data = static_cast<const std::byte*>(from);
    frame_.insert(frame_.end(), data, data + bytes);
  }

  Frame frame_;
};

/// Reads them in the same order.
class Reader {
 public:
  explicit Reader(const Frame& frame) : frame_(frame) {}

  template <class... T>
  void all(T&... values) {
    (one(values), ...);
  }
  bool done() const { return !broken_ && at_ == frame_.size(); }

 private:
  template <class T>
  void one(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    get(&value, sizeof value);
  }
  void one(std::string& text) {
    text.resize(count(1));
    get(text.data(), text.size());
  }
  template <class T>
  void one(std::vector<T>& values) {
    constexpr std::size_t kLeastBytes = std::is_trivially_copyable_v<T> ? sizeof(T) : 8;
    values.resize(count(kLeastBytes));
    for (T& value : values) one(value);
  }
  template <class A, class B>
  void one(std::pair<A, B>& both) {
    all(both.first, both.second);
  }
  void get(void* into, std::size_t bytes) {
    if (bytes > frame_.size() - at_) {
      broken_ = true;
      at_ = frame_.size();
      return;
    }
    if (bytes > 0) std::memcpy(into, frame_.data() + at_, bytes);
    at_ += bytes;
  }
  /// The number of following items, each of so many bytes or more.
  std::size_t count(std::size_t bytes) {
    std::uint64_t count = 0;
    one(count);
    if (count > (frame_.size() - at_) / bytes) broken_ = true;
    return broken_ ? 0 : count;
  }

  const Frame& frame_;
  std::size_t at_ = 0;
  bool broken_ = false;
};

// What is sent of each, in its order; `line` writes or reads.

template <class Line>
void each_field(Line& line, auto& request) requires requires {
  request.hold;
}
{
  line.all(request.kind, request.count, request.bytes, request.address, request.offset, request.key,
           request.hold, request.copied_bytes);
}

template <class Line>
void each_field(Line& line, auto& task) requires requires {
  task.operator_name;
}
{
  line.all(task.operator_name, task.shape.dtype, task.shape.values, task.shape.sequences,
           task.candidate.kind, task.candidate.name, task.candidate.path, task.candidate.device,
           task.candidate.ordinal, task.threads);
}

template <class Line>
void each_field(Line& line, auto& answer) requires requires {
  answer.clocked;
}
{
  line.all(answer.skipped, answer.lacks_operator, answer.wrong, answer.code, answer.error,
           answer.launch_floor_ns, answer.clock_noise_ns, answer.tail_floor_ns,
           answer.touch_floor_ns, answer.copy_ns, answer.rooms, answer.file, answer.staging,
           answer.clocked, answer.heap_growth, answer.call_allocations, answer.call_page_faults,
           answer.device_free_bytes, answer.caveat);
}

template <class Sent>
Frame written(const Sent& sent) {
  Writer writer;
  each_field(writer, sent);
  return writer.take();
}

template <class Sent>
std::optional<Sent> read_back(const Frame& frame) {
  Sent sent;
  Reader reader(frame);
  each_field(reader, sent);
  if (!reader.done()) return std::nullopt;
  return sent;
}

}  // namespace

Frame frame_of(const WorkerRequest& request) {
  return written(request);
}
Frame frame_of(const SentTask& task) {
  return written(task);
}
Frame frame_of(const WorkerAnswer& answer) {
  return written(answer);
}

std::optional<WorkerRequest> request_of(const Frame& frame) {
  return read_back<WorkerRequest>(frame);
}
std::optional<SentTask> task_of(const Frame& frame) {
  return read_back<SentTask>(frame);
}
std::optional<WorkerAnswer> answer_of(const Frame& frame) {
  return read_back<WorkerAnswer>(frame);
}

}  // namespace tactus
