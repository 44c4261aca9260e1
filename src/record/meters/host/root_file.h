#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace tactus::meters {

/// Where /proc and /sys are; tests have their own folder.
struct Root {
  std::string folder;  ///< empty: the machine itself

  bool is_machine() const { return folder.empty(); }
  std::string path(std::string_view absolute) const { return folder + std::string(absolute); }
  bool has(std::string_view absolute) const;
  /// The names in a folder, sorted; empty if it cannot be read.
  std::vector<std::string> names_in(std::string_view absolute) const;
};

/// A file of /proc or /sys that is read again and again.
class RootFile {
 public:
  RootFile(const Root& root, std::string_view absolute)
      : path_(root.path(absolute)), keep_open_(root.is_machine()) {}

  /// All of it, valid as long as `buffer`; nothing if it cannot be read, which `reason` explains.
  std::optional<std::string_view> read(std::string& buffer);

  /// "/proc/pressure/cpu: No such file or directory"
  std::string reason() const;
  int error() const { return error_; }
  const std::string& path() const { return path_; }

 private:
  bool open();

  std::string path_;
  bool keep_open_;  ///< a file of a test may be replaced by another of that name
  File file_;
  int error_ = 0;
};

/// Reads a file that is not needed again.
std::optional<std::string> read_once(const Root& root, std::string_view absolute);

}  // namespace tactus::meters
