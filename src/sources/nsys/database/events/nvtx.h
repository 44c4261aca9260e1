#pragma once

#include "sources/nsys/database/reading.h"

namespace tactus::nsys {

/// Ranges and marks that the program named.
void read_nvtx(Reading& reading);

}  // namespace tactus::nsys
