#include "sources/bytes/input_bytes.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "sources/bytes/decoders.h"

namespace tactus {
namespace {

constexpr std::size_t kPeekBytes = 64 << 10;

/// A frame of zstd: compressed data, or one to skip (its first byte is 50 to 5F), as some tools
/// write in front.
bool is_zstd(std::string_view head) {
  if (head.starts_with("\x28\xB5\x2F\xFD")) return true;
  return head.size() >= 4 && (head[0] & 0xF0) == 0x50 && head.substr(1, 3) == "\x2A\x4D\x18";
}

class PlainBytes final : public InputBytes {
 public:
  explicit PlainBytes(RawFile file) : file_(std::move(file)) {}

  std::uint64_t disk_bytes() const override { return file_.bytes_read(); }
  std::uint64_t disk_size() const override { return file_.size(); }
  bool is_plain_file() const override { return file_.size() != 0 && !file_.is_standard_input(); }
  std::optional<File> take_file() override {
    if (file_.size() == 0) return std::nullopt;
    return file_.take_file();
  }

 protected:
  Result<std::size_t> decode(char* into, std::size_t size) override {
    return file_.read(into, size);
  }

 private:
  RawFile file_;
};

}  // namespace

Result<std::unique_ptr<InputBytes>> InputBytes::open(const std::string& path) {
  Result<RawFile> file = RawFile::open(path);
  if (!file) return file.error();
  const Result<std::string_view> head = file->available(4);
  if (!head) return head.error();
  std::unique_ptr<InputBytes> bytes;
  if (head->starts_with("\x1F\x8B")) {
    bytes = gzip_bytes(std::move(*file));
  } else if (is_zstd(*head)) {
    bytes = zstd_bytes(std::move(*file));
  } else if (head->starts_with("\xFF\xFE") || head->starts_with("\xFE\xFF")) {
    const bool high_byte_first = head->front() == '\xFE';
    bytes = utf16_bytes(std::move(*file), high_byte_first);
  } else {
    bytes = std::make_unique<PlainBytes>(std::move(*file));
  }
  bytes->path_ = path == "-" ? "standard input" : path;
  return bytes;
}

Result<std::string_view> InputBytes::peek() {
  if (!peeked_) {
    peeked_ = true;
    head_.resize(kPeekBytes);
    std::size_t filled = 0;
    while (filled < head_.size()) {
      const Result<std::size_t> got = decode(head_.data() + filled, head_.size() - filled);
      if (!got) return got.error();
      if (*got == 0) break;
      filled += *got;
    }
    head_.resize(filled);
  }
  return std::string_view(head_).substr(head_at_);
}

Result<std::size_t> InputBytes::read(char* into, std::size_t size) {
  if (head_at_ < head_.size()) {
    const std::size_t count = std::min(size, head_.size() - head_at_);
    std::memcpy(into, head_.data() + head_at_, count);
    head_at_ += count;
    return count;
  }
  return decode(into, size);
}

Result<std::string> read_all(InputBytes& bytes, std::size_t limit) {
  std::string text;
  for (;;) {
    const std::size_t filled = text.size();
    if (filled > limit) {
      return input_error(bytes.path() + ": is larger than " + std::to_string(limit >> 20) +
                         " MiB, the limit for such a file");
    }
    text.resize(filled + (1 << 20));
    const Result<std::size_t> got = bytes.read(text.data() + filled, text.size() - filled);
    if (!got) return got.error();
    text.resize(filled + *got);
    if (*got == 0) return text;
  }
}

std::optional<std::string> small_text(const std::string& path, std::size_t limit) {
  std::error_code error;
  if (path != "-" && !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const Result<std::unique_ptr<InputBytes>> bytes = InputBytes::open(path);
  if (!bytes) return std::nullopt;
  Result<std::string> text = read_all(**bytes, limit);
  if (!text) return std::nullopt;
  return std::move(*text);
}

}  // namespace tactus
