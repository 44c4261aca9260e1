#pragma once

#include <string>

namespace tactus {

/// A file or folder that goes away with this object, and also if a signal ends the process.
class TemporaryPath {
 public:
  enum class Kind : unsigned char { kFile, kFolder };

  TemporaryPath() = default;
  /// May be called before the file is made: there is no moment in which a signal leaves it behind.
  TemporaryPath(std::string path, Kind kind);
  TemporaryPath(TemporaryPath&& other) noexcept;
  TemporaryPath& operator=(TemporaryPath&&) = delete;
  ~TemporaryPath();

  /// Empty if there is none.
  const std::string& path() const { return path_; }
  /// It is not temporary any more, or was never made.
  void keep();

 private:
  std::string path_;
  Kind kind_ = Kind::kFile;
  int place_ = -1;  ///< in the list that a signal handler reads; -1: none was free
};

/// Removes all temporary files and folders of this process. For signal handlers.
void remove_temporary_paths();

}  // namespace tactus
