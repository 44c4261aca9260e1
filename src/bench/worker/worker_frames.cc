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
  writer.put(request.stop);
  writer.put(request.secret);
  writer.put(request.copied_bytes);
  return writer.take();
}

std::optional<WorkerRequest> request_of(const Frame& frame) {
  WorkerRequest request;
  Reader reader(frame);
  reader.get(request.kind);
  reader.get(request.stop);
  reader.get(request.secret);
  reader.get(request.copied_bytes);
  if (!reader.done()) return std::nullopt;
  return request;
}

Frame frame_of(const WorkerAnswer& answer) {
  Writer writer;
  writer.put(answer.skipped);
  writer.put(answer.wrong);
  writer.put(answer.code);
  writer.put_text(answer.error);
  writer.put_all(answer.sampled.samples_ns);
  writer.put_all(answer.sampled.rounds);
  writer.put(answer.launch_floor_ns);
  writer.put(answer.clock_noise_ns);
  writer.put(answer.touch_floor_ns);
  writer.put(answer.copy_ns);
  writer.put(answer.sm_clock_mhz);
  writer.put(answer.throttled);
  writer.put(answer.throttled_kept);
  writer.put(answer.lowered);
  writer.put(answer.leaked_bytes);
  writer.put(answer.allocations);
  writer.put(answer.page_faults);
  writer.put(answer.device_bytes);
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
  reader.get_all(answer.sampled.samples_ns);
  reader.get_all(answer.sampled.rounds);
  reader.get(answer.launch_floor_ns);
  reader.get(answer.clock_noise_ns);
  reader.get(answer.touch_floor_ns);
  reader.get(answer.copy_ns);
  reader.get(answer.sm_clock_mhz);
  reader.get(answer.throttled);
  reader.get(answer.throttled_kept);
  reader.get(answer.lowered);
  reader.get(answer.leaked_bytes);
  reader.get(answer.allocations);
  reader.get(answer.page_faults);
  reader.get(answer.device_bytes);
  reader.get_text(answer.caveat);
  if (!reader.done()) return std::nullopt;
  return answer;
}

}  // namespace tactus
