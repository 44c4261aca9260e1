#pragma once

#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace tactus {

/// A file that is read in large pieces, for decoders that look at their input and ask for more.
class RawFile {
 public:
  static Result<RawFile> open(const std::string& path);

  /// Bytes that were read and not consumed; empty only at the end of the file.
  Result<std::string_view> available();
  /// At least `size` bytes, unless the file ends first.
  Result<std::string_view> available(std::size_t size);
  void consume(std::size_t size) { at_ += size; }

  /// Reads past the buffer, directly into `into`; use it when available() is not enough.
  Result<std::size_t> read(char* into, std::size_t size);

  /// The file itself, for who reads it otherwise; nothing more can be read here.
  File take_file() { return std::move(file_); }

  const std::string& path() const { return path_; }
  bool is_standard_input() const { return file_.fd() == STDIN_FILENO; }
  std::uint64_t bytes_read() const { return bytes_read_; }
  std::uint64_t size() const { return size_; }

 private:
  Status fill();

  File file_;
  std::string path_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t size_ = 0;  ///< 0 if it is not a regular file
};

}  // namespace tactus
