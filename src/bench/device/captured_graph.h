#pragma once

#include <string>

#include "bench/device/cuda_driver.h"

namespace tactus {

/// Looks at a captured graph: one kernel of ours, then the event `begin`, then the work, then the
/// event `end`. Says what is wrong: work that is not between the events, that waits for something
/// outside the graph, or that the GPU does not do. Empty if all is well.
std::string fault_of_graph(const CudaDriver& driver, CudaDriver::Handle graph,
                           CudaDriver::Handle begin, CudaDriver::Handle end);

}  // namespace tactus
