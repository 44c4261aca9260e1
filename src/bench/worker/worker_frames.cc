#include <cstring>
#include <type_traits>

#include "bench/worker/worker.h"

namespace tactus {
namespace {

/// Writes values one after another, and reads them in the same order.
class Writer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(&value, sizeof value);
  }
  void put(const void* from, std::size_t bytes) {
    const auto* data = static_cast<const std::byte*>(from);
    frame_.insert(frame_.end(), data, data + bytes);
  }
  void put_text(const std::string& text) {
    put(std::uint64_t{text.size()});
    put(text.data(), text.size());
  }
  template <class T>
  void put_all(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(std::uint64_t{values.size()});
    put(values.data(), values.size() * sizeof(T));
  }
  Frame take() { return std::move(frame_); }

 private:
  Frame frame_;
};

class Reader {
 public:
  explicit Reader(const Frame& frame) : frame_(frame) {}

  template <class T>
  void get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    get(&value, sizeof value);
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
  /// The number of following items of that size.
  std::size_t count(std::size_t size) {
    std::uint64_t count = 0;
    get(count);
    if (count > (frame_.size() - at_) / size) broken_ = true;
    return broken_ ? 0 : count;
  }
  void get_text(std::string& text) {
    text.resize(count(1));
    get(text.data(), text.size());
  }
  template <class T>
  void get_all(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    values.resize(count(sizeof(T)));
    get(values.data(), values.size() * sizeof(T));
  }
  bool done() const { return !broken_ && at_ == frame_.size(); }

 private:
  const Frame& frame_;
  std::size_t at_ = 0;
  bool broken_ = false;
};

}  // namespace

Frame frame_of(const WorkerRequest& request) {
  Writer writer;
  writer.put(request.kind);
  writer.put(request.count);
  writer.put(request.bytes);
  writer.put(request.address);
  writer.put(request.offset);
  writer.put(request.key);
  writer.put(request.hold);
  writer.put(request.copied_bytes);
  return writer.take();
}

std::optional<WorkerRequest> request_of(const Frame& frame) {
  WorkerRequest request;
  Reader reader(frame);
  reader.get(request.kind);
  reader.get(request.count);
  reader.get(request.bytes);
  reader.get(request.address);
  reader.get(request.offset);
  reader.get(request.key);
  reader.get(request.hold);
  reader.get(request.copied_bytes);
  if (!reader.done()) return std::nullopt;
  return request;
}

Frame frame_of(const SentTask& task) {
  Writer writer;
  writer.put_text(task.operator_name);
  writer.put(task.shape.dtype);
  writer.put(std::uint64_t{task.shape.values.size()});
  for (const auto& [name, value] : task.shape.values) {
    writer.put_text(name);
    writer.put(value);
  }
  writer.put_all(task.shape.sequences);
  writer.put(task.candidate.kind);
  writer.put_text(task.candidate.name);
  writer.put_text(task.candidate.path);
  writer.put(task.candidate.device);
  writer.put(task.candidate.ordinal);
  writer.put(task.threads);
  return writer.take();
}

std::optional<SentTask> task_of(const Frame& frame) {
  SentTask task;
  Reader reader(frame);
  reader.get_text(task.operator_name);
  reader.get(task.shape.dtype);
  task.shape.values.resize(reader.count(2 * sizeof(std::uint64_t)));
  for (auto& [name, value] : task.shape.values) {
    reader.get_text(name);
    reader.get(value);
  }
  reader.get_all(task.shape.sequences);
  reader.get(task.candidate.kind);
  reader.get_text(task.candidate.name);
  reader.get_text(task.candidate.path);
  reader.get(task.candidate.device);
  reader.get(task.candidate.ordinal);
  reader.get(task.threads);
  if (!reader.done()) return std::nullopt;
  return task;
}

Frame frame_of(const WorkerAnswer& answer) {
  Writer writer;
  writer.put(answer.skipped);
  writer.put(answer.wrong);
  writer.put(answer.code);
  writer.put_text(answer.error);
  writer.put(answer.launch_floor_ns);
  writer.put(answer.clock_noise_ns);
  writer.put(answer.tail_floor_ns);
  writer.put(answer.touch_floor_ns);
  writer.put(answer.copy_ns);
  writer.put_all(answer.rooms);
  writer.put(answer.staging);
  writer.put(answer.clocked);
  writer.put(answer.heap_growth);
  writer.put(answer.call_allocations);
  writer.put(answer.call_page_faults);
  writer.put(answer.device_free_bytes);
  writer.put_text(answer.caveat);
  return writer.take();
}

std::optional<WorkerAnswer> answer_of(const Frame& frame) {
  WorkerAnswer answer;
  Reader reader(frame);
  reader.get(answer.skipped);
  reader.get(answer.wrong);
  reader.get(answer.code);
  reader.get_text(answer.error);
  reader.get(answer.launch_floor_ns);
  reader.get(answer.clock_noise_ns);
  reader.get(answer.tail_floor_ns);
  reader.get(answer.touch_floor_ns);
  reader.get(answer.copy_ns);
  reader.get_all(answer.rooms);
  reader.get(answer.staging);
  reader.get(answer.clocked);
  reader.get(answer.heap_growth);
  reader.get(answer.call_allocations);
  reader.get(answer.call_page_faults);
  reader.get(answer.device_free_bytes);
  reader.get_text(answer.caveat);
  if (!reader.done()) return std::nullopt;
  return answer;
}

}  // namespace tactus
