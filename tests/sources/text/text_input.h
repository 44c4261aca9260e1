#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sources/bytes/input_bytes.h"
#include "support/files.h"

namespace tactus::testing {

/// A text as an input of its own.
class TextInput {
 public:
  explicit TextInput(std::string_view text) : opened_(InputBytes::open(folder_.write("in", text))) {
    CHECK(static_cast<bool>(opened_));
  }

  InputBytes& bytes() { return **opened_; }

 private:
  TemporaryFolder folder_;
  Result<std::unique_ptr<InputBytes>> opened_;
};

/// A gzip file that breaks off after this text (of less than 64 KiB): one stored block that
/// promises ten bytes more.
inline std::string gzip_breaking_off_after(std::string_view text) {
  std::string gzip("\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01", 11);
  const std::size_t promised = text.size() + 10;
  for (const std::size_t number : {promised, ~promised}) {
    gzip.push_back(static_cast<char>(number & 0xFF));
    gzip.push_back(static_cast<char>(number >> 8 & 0xFF));
  }
  return gzip.append(text);
}

/// Bytes of every value, line ends and quotes among them.
inline std::string binary_bytes(std::size_t count) {
  std::string bytes;
  std::uint32_t state = 1;
  while (bytes.size() < count) {
    state = state * 1664525 + 1013904223;
    bytes.push_back(static_cast<char>(state >> 24));
  }
  return bytes;
}

}  // namespace tactus::testing
