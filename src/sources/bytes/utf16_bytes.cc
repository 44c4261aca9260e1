#include <algorithm>
#include <cstring>
#include <string>

#include "base/utf8.h"
#include "sources/bytes/decoders.h"

namespace tactus {
namespace {

constexpr unsigned kFirstHigh = 0xD800;  // of the two halves of a character beyond 16 bits
constexpr unsigned kFirstLow = 0xDC00;
constexpr unsigned kAfterLow = 0xE000;

class Utf16Bytes final : public InputBytes {
 public:
  Utf16Bytes(RawFile file, bool high_byte_first)
      : file_(std::move(file)), high_byte_first_(high_byte_first) {}

  std::uint64_t disk_bytes() const override { return file_.bytes_read(); }
  std::uint64_t disk_size() const override { return file_.size(); }

 protected:
  Result<std::size_t> decode(char* into, std::size_t size) override {
    while (text_at_ == text_.size() && !finished_) {
      text_.clear();
      text_at_ = 0;
      const Result<std::string_view> input = file_.available();
      if (!input) return input.error();
      if (input->empty()) {
        finish();
      } else {
        for (const char byte : *input) take(static_cast<unsigned char>(byte));
        file_.consume(input->size());
      }
    }
    const std::size_t count = std::min(size, text_.size() - text_at_);
    std::memcpy(into, text_.data() + text_at_, count);
    text_at_ += count;
    return count;
  }

 private:
  void take(unsigned byte) {
    if (!has_half_) {
      half_ = byte;
      has_half_ = true;
      return;
    }
    has_half_ = false;
    take_unit(high_byte_first_ ? half_ << 8 | byte : byte << 8 | half_);
  }

  void take_unit(unsigned unit) {
    const bool is_low = unit >= kFirstLow && unit < kAfterLow;
    if (high_ != 0) {
      const unsigned high = std::exchange(high_, 0);
      if (is_low) {
        append_utf8(text_, 0x10000 + ((high - kFirstHigh) << 10) + (unit - kFirstLow));
        return;
      }
      append_utf8(text_, kReplacementCharacter);
    }
    if (unit >= kFirstHigh && unit < kFirstLow) {
      high_ = unit;
    } else {
      append_utf8(text_, is_low ? kReplacementCharacter : unit);
    }
  }

  void finish() {
    finished_ = true;
    if (high_ == 0 && !has_half_) return;
    report(path() + ": the text (UTF-16) ends inside a character", true);
  }

  RawFile file_;
  bool high_byte_first_;
  std::string text_;  ///< UTF-8, not yet given out from `text_at_` on
  std::size_t text_at_ = 0;
  unsigned half_ = 0;  ///< the first byte of a unit
  bool has_half_ = false;
  unsigned high_ = 0;  ///< the first half of a character; 0: none
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<InputBytes> utf16_bytes(RawFile file, bool high_byte_first) {
  return std::make_unique<Utf16Bytes>(std::move(file), high_byte_first);
}

}  // namespace tactus
