#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "sources/bytes/input_bytes.h"
#include "sources/kineto/event_scanner.h"

namespace tactus::kineto {

struct ReadOptions {
  unsigned threads = 1;
  std::size_t window_bytes = 256 << 10;
};

/// How the reading of a text ended.
struct ReadOutcome {
  std::uint64_t text_bytes = 0;  ///< read, after decompression
  std::string stopped;           ///< why it stopped before the end; empty if it did not
  bool found_document = false;
  bool found_events = false;
  bool document_closed = false;  ///< it stopped behind a whole document
};

/// Reads all events of a text, in windows. Each thread in turn reads a window and scans it;
/// batches are handed to `take` one at a time and in the order of the text. The batches come out
/// the same for every number of threads and size of windows.
Result<ReadOutcome> read_events(InputBytes& bytes, const ReadOptions& options,
                                const std::function<void(EventBatch&)>& take, Progress& progress);

}  // namespace tactus::kineto
