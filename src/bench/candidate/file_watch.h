#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace tactus {

/// Notices that a source file, or a header in its folder, has other contents. Folders are watched,
/// not the file: editors often write a new file and rename it.
class FileWatch {
 public:
  /// From now on.
  static Result<FileWatch> start(const std::string& path);
  FileWatch(FileWatch&& other) noexcept;
  FileWatch& operator=(FileWatch&&) = delete;
  ~FileWatch();

  /// To wait on: it can be read if something happened in the folder.
  int descriptor() const { return descriptor_; }

  /// Takes what has happened, and waits until nothing more does for a moment: an editor saves in
  /// several steps. True if the contents differ from those at the last change, and the file exists.
  Result<bool> take_change();

 private:
  FileWatch(std::string path, int descriptor);

  bool take_events() const;  ///< false if the folder is gone
  std::uint64_t contents() const;

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t last_ = 0;  ///< hash of the contents
};

}  // namespace tactus
