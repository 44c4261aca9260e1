#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tactus::record {

/// One event of the host tracer (bpf/host.h), checked.
struct HostEvent {
  enum class Kind : unsigned char { kOnCore, kOffCore, kBegin, kExec, kExit, kCall };
  /// Why a thread left its core.
  enum class Reason : unsigned char { kReady, kSleeps, kDisk };

  Kind kind = Kind::kOnCore;
  Reason reason = Reason::kReady;  ///< kOffCore
  bool is_open = false;            ///< it had not ended when the tracer did
  std::int64_t pid = 0;
  std::int64_t tid = 0;
  std::int64_t start_ns = 0;  ///< CLOCK_MONOTONIC
  std::int64_t end_ns = 0;
  /// kOffCore: number of the system call; kBegin: tid of the parent; kExit: the code; kCall: which.
  std::int32_t call = 0;
  std::int64_t on_ns = 0;      ///< kOnCore: of that time, on a core
  std::int64_t queued_ns = 0;  ///< of that time, ready to run without a core
  std::uint32_t turns = 0;     ///< kOnCore: how often it came to a core
  std::uint32_t faults = 0;    ///< kOnCore: page faults
  std::uint32_t disk_faults = 0;
  std::array<char, 16> name{};  ///< kBegin, kExec, kExit; ends with a zero

  // kCall
  std::uint64_t function = 0;
  std::uint64_t stream = 0;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t shared_bytes = 0;
};

/// Reads what the kernel sent. Nothing if that makes no sense.
std::optional<HostEvent> read_host_event(std::span<const std::byte> bytes);

/// What a thread waited for, as slices are called: "futex", "read", "fsync", "poll". Reads and
/// writes that do not wait for a disk have another name: "read (pipe or socket)".
std::string_view wait_name(std::int32_t call, HostEvent::Reason reason);

}  // namespace tactus::record
