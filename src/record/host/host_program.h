#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace tactus::record {

/// The programs of bpf/ in the kernel. The only user of libbpf.
class HostProgram {
 public:
  struct Options {
    std::int64_t shortest_break_ns = 100'000;      ///< shorter ones are counted, not sent
    std::int64_t longest_stretch_ns = 10'000'000;  ///< a stretch on a core is sent after this
  };
  using Receive = std::function<void(std::span<const std::byte>)>;

  /// Loads and attaches them; nothing is traced yet. The error says why that is not allowed, and
  /// how to allow it.
  static Result<HostProgram> load(const Options& options);
  HostProgram(HostProgram&&) noexcept;
  HostProgram& operator=(HostProgram&&) noexcept;
  ~HostProgram();

  /// The processes that this one starts are traced from their first moment on.
  void watch_own_children(bool is_on);
  /// Traces all threads of a process that runs, and what it starts from here on.
  Status add_process(std::int64_t pid);
  /// Calls of a function in a library that a process has loaded. `what` is one of host_cuda_call;
  /// `number` comes back as HostEvent::call. `with_end`: sends the call when it returns.
  Status watch_call(std::int64_t pid, const std::string& library, const std::string& function,
                    std::uint32_t what, std::uint32_t number, bool with_end);

  /// Hands over what was sent since the last call.
  void receive(const Receive& receive);
  /// No more events but for what is open: that is sent now.
  void stop();
  /// Events that found no room.
  std::uint64_t lost() const;
  /// Threads that are not traced: there were too many.
  std::uint64_t threads_lost() const;

 private:
  struct Parts;
  explicit HostProgram(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace tactus::record
