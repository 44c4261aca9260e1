#pragma once

#include <string>

#include "base/file.h"

namespace tactus {

/// Buffered text for a file. The first error is kept, and nothing is written after it.
class BufferedOutput {
 public:
  explicit BufferedOutput(OutputFile& file) : file_(file) {}

  /// To append to; call `flush_if_full` between items.
  std::string& text() { return text_; }

  void flush_if_full() {
    if (text_.size() >= kFull) flush();
  }
  Status finish() {
    flush();
    return status_;
  }

 private:
  static constexpr std::size_t kFull = 1 << 20;  // [bytes]

  void flush() {
    if (status_) status_ = file_.write(text_);
    text_.clear();
  }

  OutputFile& file_;
  std::string text_;
  Status status_;
};

}  // namespace tactus
