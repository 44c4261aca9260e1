#include "cli/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string_view>

namespace tactus::cli {
namespace {

constexpr std::string_view kEnter = "\033[?1049h\033[?25l\033[2J";
constexpr std::string_view kLeave = "\033[?25h\033[?1049l";

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::optional<Screen> Screen::open() {
  termios before{};
  if (::isatty(STDOUT_FILENO) == 0 || ::tcgetattr(STDIN_FILENO, &before) != 0) return std::nullopt;
  termios changed = before;
  changed.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  // Ctrl-Z would leave the terminal as it is now.
  changed.c_cc[VSUSP] = _POSIX_VDISABLE;
  changed.c_cc[VMIN] = 0;
  changed.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &changed) != 0) return std::nullopt;
  write_all(kEnter);
  return Screen(before);
}

Screen::Screen(Screen&& other) noexcept : before_(std::exchange(other.before_, std::nullopt)) {}

Screen::~Screen() {
  if (!before_) return;
  write_all(kLeave);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
}

std::pair<std::size_t, std::size_t> Screen::size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {80, 24};
  }
  return {size.ws_col, size.ws_row};
}

void Screen::show(const std::vector<std::string>& lines) {
  std::string text = "\033[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += (i == 0 ? "" : "\r\n") + lines[i] + "\033[K";
  }
  write_all(text + "\033[J");
}

int Screen::key() {
  pollfd ready{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (::poll(&ready, 1, 0) != 1) return 0;
  char typed = 0;
  const ssize_t got = ::read(STDIN_FILENO, &typed, 1);
  if (got == 1) return static_cast<unsigned char>(typed);
  return (ready.revents & (POLLHUP | POLLERR)) != 0 ? -1 : 0;
}

}  // namespace tactus::cli
