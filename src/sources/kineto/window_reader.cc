#include "sources/kineto/window_reader.h"

#include <algorithm>
#include <cstring>

#include "sources/kineto/json_scan.h"

namespace tactus::kineto {
namespace {

/// Text without any event is passed on in pieces of this size.
constexpr std::size_t kLargestWindow = 16 << 20;

/// The beginning of the last event of the text, if another one seems to end before it; else 0.
std::size_t last_event(std::string_view text) {
  const auto before = [&](std::size_t at) {
    while (at > 0 && is_space(text[at - 1])) --at;
    return at;  // text[at - 1] is not a space, or at is 0
  };
  std::size_t from = text.size();
  while (from > 0) {
    const std::size_t brace = text.rfind('{', from - 1);
    if (brace == std::string_view::npos) return 0;
    const std::size_t comma = before(brace);
    if (comma > 0 && text[comma - 1] == ',') {
      const std::size_t close = before(comma - 1);
      if (close > 0 && text[close - 1] == '}') return brace;
    }
    from = brace;
  }
  return 0;
}

}  // namespace

char* Window::room(std::size_t size) {
  const std::size_t needed = size_ + size + kPadding;
  if (needed > capacity_) {
    auto larger = std::make_unique_for_overwrite<char[]>(needed);
    if (size_ != 0) std::memcpy(larger.get(), storage_.get(), size_);
    storage_ = std::move(larger);
    capacity_ = needed;
  }
  return storage_.get() + size_;
}

void Window::grow(std::size_t size) {
  size_ += size;
  std::memset(storage_.get() + size_, 0, kPadding);
}

void Window::cut(std::size_t size) {
  size_ = size;
  std::memset(storage_.get() + size_, 0, kPadding);
}

Status WindowReader::next(Window& window) {
  window.begin(offset_);
  std::copy(carry_.begin(), carry_.end(), window.room(carry_.size()));
  window.grow(carry_.size());
  carry_.clear();

  std::size_t wanted = window_bytes_;
  for (;;) {
    while (!ended_ && window.text().size() < wanted) {
      const std::size_t missing = wanted - window.text().size();
      const Result<std::size_t> got = bytes_.read(window.room(missing), missing);
      if (!got) return got.error();
      window.grow(*got);
      ended_ = *got == 0;
    }
    if (ended_) break;
    const std::size_t cut = last_event(window.text());
    if (cut != 0) {
      carry_.assign(window.text().begin() + static_cast<std::ptrdiff_t>(cut), window.text().end());
      window.cut(cut);
      break;
    }
    if (wanted >= kLargestWindow) break;
    wanted = std::min(wanted * 2, kLargestWindow);
  }
  offset_ += window.text().size();
  return {};
}

}  // namespace tactus::kineto
