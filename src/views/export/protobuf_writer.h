#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/file.h"

namespace tactus {

/// Writes messages in the wire format of protocol buffers. A message inside another starts with its
/// length, which is known at its end: one byte is kept free for it, and longer messages are moved.
class ProtobufWriter {
 public:
  explicit ProtobufWriter(OutputFile& file) : file_(file) { buffer_.resize(2 * kFull); }

  void number(std::uint32_t field, std::uint64_t value) {
    make_room(kMostNumber);
    put_varint(field << 3);
    put_varint(value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    make_room(kMostNumber);
    put_varint(field << 3 | 1);
    std::memcpy(buffer_.data() + size_, &value, sizeof value);
    size_ += sizeof value;
  }
  void real(std::uint32_t field, double value) {
    fixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  void text(std::uint32_t field, std::string_view bytes) {
    make_room(kMostNumber + bytes.size());
    put_varint(field << 3 | 2);
    put_varint(bytes.size());
    if (!bytes.empty()) std::memcpy(buffer_.data() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }

  /// Where a message starts; `end` needs it.
  [[nodiscard]] std::size_t begin(std::uint32_t field) {
    make_room(kMostNumber);
    put_varint(field << 3 | 2);
    return ++size_;
  }
  void end(std::size_t start) {
    const std::size_t length = size_ - start;
    if (length >= 0x80) {
      const std::size_t more = static_cast<std::size_t>(std::bit_width(length) - 1) / 7;
      make_room(more);
      std::memmove(buffer_.data() + start + more, buffer_.data() + start, length);
    }
    size_ = start - 1;
    put_varint(length);
    size_ += length;
  }

  /// Call it between messages only.
  void flush_if_full() {
    if (size_ >= kFull) flush();
  }
  Status finish() {
    flush();
    return status_;
  }
  const Status& status() const { return status_; }

 private:
  static constexpr std::size_t kFull = 1 << 20;       // [bytes]
  static constexpr std::size_t kMostNumber = 2 * 10;  // a tag and a value

  void make_room(std::size_t bytes) {
    if (buffer_.size() - size_ < bytes) buffer_.resize(2 * buffer_.size() + bytes);
  }
  void put_varint(std::uint64_t value) {
    char* at = buffer_.data() + size_;
    while (value >= 0x80) {
      *at++ = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    *at++ = static_cast<char>(value);
    size_ = static_cast<std::size_t>(at - buffer_.data());
  }
  void flush() {
    if (status_) status_ = file_.write(std::string_view(buffer_.data(), size_));
    size_ = 0;
  }

  OutputFile& file_;
  std::string buffer_;
  std::size_t size_ = 0;
  Status status_;
};

}  // namespace tactus
