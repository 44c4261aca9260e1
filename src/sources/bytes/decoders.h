#pragma once

#include <memory>

#include "sources/bytes/input_bytes.h"
#include "sources/bytes/raw_file.h"

namespace tactus {

/// gzip through ISA-L: several members in a row are one text.
std::unique_ptr<InputBytes> gzip_bytes(RawFile file);

/// zstd: several frames in a row are one text; skippable ones hold none of it.
std::unique_ptr<InputBytes> zstd_bytes(RawFile file);

/// UTF-16 with a byte order mark, as PowerShell redirects into files: the text becomes UTF-8, and
/// the mark one of UTF-8.
std::unique_ptr<InputBytes> utf16_bytes(RawFile file, bool high_byte_first);

}  // namespace tactus
