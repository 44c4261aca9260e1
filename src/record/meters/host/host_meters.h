#pragma once

#include <memory>

#include "record/meters/host/own_processes.h"
#include "record/meters/host/root_file.h"
#include "record/meters/reader.h"

namespace tactus::meters {

/// All readers of /proc and /sys. The first of them scans for own processes.
MeterReaders host_readers(const Root& root, const std::shared_ptr<OwnProcesses>& own);

// Its parts.
std::unique_ptr<MeterReader> process_scan(std::shared_ptr<OwnProcesses> own);
/// Use of all cores and of own processes, and what is left of the first for others.
std::unique_ptr<MeterReader> cpu_meter(const Root& root, std::shared_ptr<OwnProcesses> own);
std::unique_ptr<MeterReader> frequency_meter(const Root& root);
std::unique_ptr<MeterReader> pressure_meter(const Root& root);
/// How long main threads of own processes waited for a core.
std::unique_ptr<MeterReader> run_queue_meter(const Root& root, std::shared_ptr<OwnProcesses> own);
/// Whether a recorded process is stopped (SIGSTOP, a debugger), or its container is frozen.
std::unique_ptr<MeterReader> stop_meter(const Root& root, std::shared_ptr<OwnProcesses> own);
/// A quota that stops the first recorded process.
std::unique_ptr<MeterReader> quota_meter(const Root& root, std::shared_ptr<OwnProcesses> own);
std::unique_ptr<MeterReader> memory_meter(const Root& root);
std::unique_ptr<MeterReader> paging_meter(const Root& root);
std::unique_ptr<MeterReader> process_memory_meter(const Root& root,
                                                  std::shared_ptr<OwnProcesses> own);
std::unique_ptr<MeterReader> process_io_meter(const Root& root, std::shared_ptr<OwnProcesses> own);
std::unique_ptr<MeterReader> disk_meter(const Root& root);
std::unique_ptr<MeterReader> network_meter(const Root& root);
std::unique_ptr<MeterReader> infiniband_meter(const Root& root);

}  // namespace tactus::meters
