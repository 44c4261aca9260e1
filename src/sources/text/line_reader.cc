#include "sources/text/line_reader.h"

#include <algorithm>
#include <cstring>

namespace tactus {
namespace {

constexpr std::size_t kFirstBuffer = 64 << 10;

}  // namespace

Result<bool> LineReader::next() {
  for (;;) {
    const void* found = std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_);
    if (found != nullptr) {
      const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      const bool carriage_return = at > begin_ && buffer_[at - 1] == '\r';
      return give_out(at - begin_, carriage_return ? "\r\n" : "\n");
    }
    scanned_ = end_;
    if (at_end_) {
      if (begin_ == end_ || bytes_->cut_short()) return false;
      return give_out(end_ - begin_, buffer_[end_ - 1] == '\r' ? "\r" : "");
    }
    if (end_ - begin_ > kLongestLine) return give_out(end_ - begin_, "");
    if (Status filled = fill(); !filled) return filled.error();
  }
}

/// `length` counts up to the LF or the end of the input.
Result<bool> LineReader::give_out(std::size_t length, std::string_view ending) {
  current_ = {begin_, line_number_, bytes_consumed_};
  ++line_number_;
  if (length > kLongestLine) {
    return input_error(bytes_->path() + ": line " + std::to_string(line_number_) +
                       " is longer than " + std::to_string(kLongestLine >> 20) +
                       " MiB; is this a text file?");
  }
  line_ = std::string_view(buffer_).substr(begin_, length);
  if (ending.starts_with('\r')) line_.remove_suffix(1);
  if (line_number_ == 1) line_ = without_byte_order_mark(line_);
  ending_ = ending;
  const std::size_t taken = length + (ending.ends_with('\n') ? 1 : 0);
  bytes_consumed_ += taken;
  begin_ += taken;
  scanned_ = begin_;
  return true;
}

void LineReader::hold() {
  held_ = current_;
}

void LineReader::go_back() {
  begin_ = held_->begin;
  scanned_ = begin_;
  line_number_ = held_->lines_before;
  bytes_consumed_ = held_->bytes_before;
  held_.reset();
}

Status LineReader::fill() {
  const std::size_t needed = held_ ? held_->begin : begin_;
  std::memmove(buffer_.data(), buffer_.data() + needed, end_ - needed);
  end_ -= needed;
  scanned_ -= needed;
  begin_ -= needed;
  if (held_) held_->begin = 0;
  if (end_ * 2 >= buffer_.size()) buffer_.resize(std::max(kFirstBuffer, buffer_.size() * 2));
  const Result<std::size_t> got = bytes_->read(buffer_.data() + end_, buffer_.size() - end_);
  if (!got) return got.error();
  end_ += *got;
  at_end_ = *got == 0;
  return {};
}

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

}  // namespace tactus
