#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "gate/policy.h"
#include "wire/gate.h"

namespace tactus::gate {

/// A memory file of a fixed size, mapped here.
template <class T>
class SharedFile {
 public:
  SharedFile() = default;
  SharedFile(File file, T* memory) : file_(std::move(file)), memory_(memory) {}
  SharedFile(SharedFile&& other) noexcept
      : file_(std::move(other.file_)), memory_(std::exchange(other.memory_, nullptr)) {}
  SharedFile& operator=(SharedFile&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~SharedFile();

  T* operator->() const { return memory_; }
  T& operator*() const { return *memory_; }
  explicit operator bool() const { return memory_ != nullptr; }
  int fd() const { return file_.fd(); }

 private:
  File file_;
  T* memory_ = nullptr;
};

/// What the agents read; they cannot map it for writing.
Result<SharedFile<wire::GateControl>> make_control(const Policy& policy);
Result<SharedFile<wire::GateBell>> make_bell();
/// What an agent handed over; empty if it is not what it should be.
SharedFile<const wire::GateClient> open_client(File file);

/// Counts of a class, as far as they make sense: an agent may have written anything.
struct ClientCounts {
  std::uint64_t submitted = 0;
  std::uint64_t done = 0;
  std::uint64_t held = 0;
  std::uint64_t held_ns = 0;
  std::uint64_t expired = 0;
  std::uint64_t rested = 0;
  std::uint64_t longest_ns = 0;
  std::uint64_t latest_ns = 0;
  std::uint64_t queued = 0;
  std::uint64_t queued_ns = 0;
  std::uint64_t cost_ns = 0;
  std::uint32_t waiting = 0;

  void add(const ClientCounts& other);
};
ClientCounts read_counts(const wire::GateCounts& counts);

/// A message of an agent or of a command, checked; nothing if it is neither.
struct GateMessage {
  wire::GateRequest what;
  std::int32_t rank = -1;
  std::int32_t world_size = -1;
  std::uint64_t job = 0;
  std::int64_t pid = 0;
  std::string tag;
};
std::optional<GateMessage> read_message(std::string_view bytes);

}  // namespace tactus::gate
