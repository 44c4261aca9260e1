#pragma once

#include <termios.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tactus::cli {

/// A terminal that shows one picture at a time and gives keys as they are typed. The terminal is as
/// before when this ends.
class Screen {
 public:
  /// Nothing if standard input and output are not both a terminal.
  static std::optional<Screen> open();
  Screen(Screen&& other) noexcept;
  Screen& operator=(Screen&&) = delete;
  ~Screen();

  /// Columns and rows, as they are now.
  static std::pair<std::size_t, std::size_t> size();
  static void show(const std::vector<std::string>& lines);
  /// A key that was typed, 0 if none was, -1 if the terminal is gone.
  static int key();

 private:
  explicit Screen(const termios& before) : before_(before) {}

  std::optional<termios> before_;
};

}  // namespace tactus::cli
