#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "run/run.h"

namespace tactus {

/// Derives hosts and devices from what the sources say, and sets all fields that are marked as
/// derived. Call it again when facts were added.
///
///   * Sources and processes of one host name are on one host. Sources without a name share one
///     host, unless two of them use a device of the same index: then each has its own.
///   * A uuid identifies a device. Without one, a device is its host, its index and the rank that
///     uses it: ranks of one job never share a device, but containers count theirs from 0.
///   * Counters belong to the host of the source that they were recorded beside, or else to the
///     only host.
void resolve_identity(Run& run);

/// "GPU 0", "gpu0", "cuda:0", "CAT_XPU_0" and "0" are device 0; "Host", "CPU 3" and "eth0" none.
std::optional<std::int64_t> device_index_in(std::string_view place);

/// "GPU 3"; if indices occur twice, "GPU 0 of rank 3" or "GPU 0 of host-b".
std::string device_label(const Run& run, DeviceId device);
/// "Host", or its name if the run has several hosts.
std::string host_label(const Run& run, HostId host);

/// The number of a track's device that people type and read; nothing for host threads.
std::optional<std::int64_t> device_number(const Run& run, const Track& track);

}  // namespace tactus
