#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/bytes/input_bytes.h"

namespace tactus::kineto {

/// A piece of a document's text, followed by kPadding zero bytes.
class Window {
 public:
  std::string_view text() const { return {storage_.get(), size_}; }
  std::uint64_t offset() const { return offset_; }  ///< of its first byte in the whole text

  void begin(std::uint64_t offset) {
    offset_ = offset;
    size_ = 0;
  }
  /// Room for `size` more bytes behind the text, to be claimed with `grow`.
  char* room(std::size_t size);
  void grow(std::size_t size);
  void cut(std::size_t size);

 private:
  std::unique_ptr<char[]> storage_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::uint64_t offset_ = 0;
};

/// Cuts a text into windows where an event seems to begin:
///
///   ... "args": {"device": 0}}, | {"ph": "X", ...
///
/// A cut inside a string or a nested object is possible; the scan of the windows in order notices
/// it, because the window then ends inside an event.
class WindowReader {
 public:
  WindowReader(InputBytes& bytes, std::size_t window_bytes)
      : bytes_(bytes), window_bytes_(window_bytes) {}

  /// The next window; an empty one at the end.
  Status next(Window& window);

 private:
  InputBytes& bytes_;
  std::size_t window_bytes_;
  std::vector<char> carry_;  ///< text read after the last cut
  std::uint64_t offset_ = 0;
  bool ended_ = false;
};

}  // namespace tactus::kineto
