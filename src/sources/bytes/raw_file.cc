#include "sources/bytes/raw_file.h"

#include <algorithm>
#include <cstring>

namespace tactus {
namespace {

/// Small enough that the allocator reuses the memory instead of asking the system for every file.
constexpr std::size_t kBufferBytes = 64 << 10;

}  // namespace

Result<RawFile> RawFile::open(const std::string& path) {
  Result<File> file = File::open_for_reading(path);
  if (!file) return file.error();
  RawFile raw;
  raw.path_ = path == "-" ? "standard input" : path;
  const Result<std::uint64_t> size = file->size(raw.path_);
  if (!size) return size.error();
  raw.size_ = *size;
  raw.file_ = std::move(*file);
  return raw;
}

Status RawFile::fill() {
  if (buffer_.empty()) buffer_.resize(kBufferBytes);
  std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
  filled_ -= at_;
  at_ = 0;
  const Result<std::size_t> got =
      file_.read(buffer_.data() + filled_, buffer_.size() - filled_, path_);
  if (!got) return got.error();
  filled_ += *got;
  bytes_read_ += *got;
  return {};
}

Result<std::string_view> RawFile::available(std::size_t size) {
  size = std::min(size, kBufferBytes);
  while (filled_ - at_ < size) {
    const std::size_t before = filled_ - at_;
    if (const Status filled = fill(); !filled) return filled.error();
    if (filled_ - at_ == before) break;
  }
  return std::string_view(buffer_.data() + at_, filled_ - at_);
}

Result<std::string_view> RawFile::available() {
  return available(1);
}

Result<std::size_t> RawFile::read(char* into, std::size_t size) {
  if (filled_ > at_) {
    const std::size_t count = std::min(size, filled_ - at_);
    std::memcpy(into, buffer_.data() + at_, count);
    at_ += count;
    return count;
  }
  Result<std::size_t> got = file_.read(into, size, path_);
  if (got) bytes_read_ += *got;
  return got;
}

}  // namespace tactus
