#pragma once

#include "sources/nsys/database/reading.h"

namespace tactus::nsys {

void read_kernels(Reading& reading);
void read_memcpys(Reading& reading);
void read_memsets(Reading& reading);
void read_synchronizations(Reading& reading);
/// Launches of whole CUDA graphs, recorded instead of the kernels in them.
void read_graph_launches(Reading& reading);

}  // namespace tactus::nsys
