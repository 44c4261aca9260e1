#pragma once

#include <string_view>

#include "sources/nsys/database/schema.h"

namespace tactus::nsys {

/// The tables of events that are read.
inline constexpr std::string_view kTablesRead[] = {
    "CUPTI_ACTIVITY_KIND_KERNEL",
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    "CUPTI_ACTIVITY_KIND_MEMSET",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
    "CUPTI_ACTIVITY_KIND_RUNTIME",
    "CUDNN_EVENTS",
    "CUBLAS_EVENTS",
    "OSRT_API",
    "NVTX_EVENTS",
    "PROFILER_OVERHEAD",
    "SCHED_EVENTS",
    "COMPOSITE_EVENTS",
    "CUDA_GPU_MEMORY_USAGE_EVENTS",
    "GPU_METRICS",
};

bool is_read(std::string_view table);
/// True for tables of the stacks that events refer to.
bool holds_call_chains(std::string_view table);
/// True for tables that explain the numbers in other tables.
bool holds_facts(std::string_view table);
bool is_nsys_export(const Schema& schema);

}  // namespace tactus::nsys
