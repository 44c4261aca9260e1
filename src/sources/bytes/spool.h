#pragma once

#include "base/file.h"
#include "sources/bytes/input_bytes.h"

namespace tactus {

/// A copy of everything that an input holds, decompressed, for formats that are not read from front
/// to back. It has no name, so nothing is left of it, however the process ends.
Result<File> spool(InputBytes& bytes);

}  // namespace tactus
