#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/printable.h"
#include "views/common/numbers.h"

namespace tactus::cli {
namespace {

using Clock = std::chrono::steady_clock;

class ProgressBar final : public Progress {
 public:
  ~ProgressBar() override {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }

  void update(std::string_view what, std::uint64_t done, std::uint64_t total) override {
    const Clock::time_point now = Clock::now();
    if (what != what_) {
      what_ = what;
      shown_ = printable(what);
      begin_ = now;
    }
    // Short work shows no bar; long work updates it ten times per second.
    if (now - begin_ < std::chrono::milliseconds(300) ||
        now - last_ < std::chrono::milliseconds(100)) {
      return;
    }
    last_ = now;
    drawn_ = true;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    std::fputs(line(done, total, seconds).c_str(), stderr);
  }

 private:
  std::string line(std::uint64_t done, std::uint64_t total, double seconds) const {
    const double rate = static_cast<double>(done) / seconds;
    const bool in_bytes = what_ == "reading";
    const auto amount = [&](std::uint64_t n) {
      return in_bytes ? format_bytes(n) : format_count(n);
    };
    if (total == 0) {
      return fmt::format("\r\033[K{} {} ({}/s)", shown_, amount(done),
                         amount(static_cast<std::uint64_t>(rate)));
    }
    constexpr std::size_t kWidth = 30;
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const auto filled = static_cast<std::size_t>(share * kWidth);
    const double left = rate > 0 ? static_cast<double>(total - std::min(done, total)) / rate : 0;
    return fmt::format("\r\033[K{} [{}{}] {:.0f}% of {}, {}/s, {:.0f} s left", shown_,
                       std::string(filled, '='), std::string(kWidth - filled, ' '), share * 100,
                       amount(total), amount(static_cast<std::uint64_t>(rate)), left);
  }

  std::string what_;
  std::string shown_;  ///< the same without control characters
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_;
  bool drawn_ = false;
};

/// As wide as the terminal behind a descriptor, or as COLUMNS says; 0 if nothing says it.
std::size_t columns_of(int descriptor) {
  winsize size{};
  if (::isatty(descriptor) != 0 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 &&
      size.ws_col != 0) {
    return size.ws_col;
  }
  const char* columns = std::getenv("COLUMNS");
  const long wanted = columns == nullptr ? 0 : std::strtol(columns, nullptr, 10);
  return wanted > 0 ? static_cast<std::size_t>(wanted) : 0;
}

}  // namespace

std::unique_ptr<Progress> make_progress(bool quiet) {
  if (quiet || ::isatty(STDERR_FILENO) == 0) return std::make_unique<NoProgress>();
  return std::make_unique<ProgressBar>();
}

bool prints_to_terminal() {
  return ::isatty(STDOUT_FILENO) != 0;
}

std::size_t error_columns() {
  return columns_of(STDERR_FILENO);
}

std::size_t text_columns() {
  const std::size_t columns = columns_of(STDOUT_FILENO);
  return columns != 0 ? columns : 160;
}

}  // namespace tactus::cli
