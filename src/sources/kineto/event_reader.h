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

/// The result of reading a text.
struct ReadOutcome {
  std::uint64_t text_bytes = 0;  ///< read, after decompression
  std::string stopped;           ///< why reading stopped before the end; empty if it did not
  bool found_document = false;
  bool found_events = false;
  bool document_closed = false;  ///< it stopped after a whole document
};

/// Reads all events of a text, in windows. The threads take turns to read a window; each scans its
/// own. `take` gets the batches one at a time, in the order of the text. The batches are the same
/// for every number of threads and size of windows.
Result<ReadOutcome> read_events(InputBytes& bytes, const ReadOptions& options,
                                const std::function<void(EventBatch&)>& take, Progress& progress);

}  // namespace tactus::kineto
