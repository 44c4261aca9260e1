#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace tactus {

/// An open file descriptor that closes itself.
class File {
 public:
  File() = default;
  explicit File(int fd) : fd_(fd) {}
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File();

  static Result<File> open_for_reading(const std::string& path);

  /// Reads at most `size` bytes at the current position; 0 at the end. `name` is for the message.
  Result<std::size_t> read(char* into, std::size_t size, const std::string& name) const;
  /// Reads exactly `size` bytes at `offset`; fewer is an error.
  Status read_at(std::uint64_t offset, char* into, std::size_t size, const std::string& name) const;
  Result<std::uint64_t> size(const std::string& name) const;

  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Writes a file so that readers see nothing, the old file or the whole new one: bytes go to
/// `temporary_path(path)`, which `commit` renames. Devices and pipes are written directly.
class OutputFile {
 public:
  /// Fails with a usage error if `path` exists and `overwrite` is false.
  static Result<OutputFile> create(const std::string& path, bool overwrite);
  /// A file that grows under its own name, for a recorder. Fails if `path` exists, unless
  /// `overwrite` allows to start it anew.
  static Result<OutputFile> in_place(const std::string& path, bool overwrite);
  /// What is written to it goes to standard output; `commit` has nothing to rename.
  static Result<OutputFile> standard_output();
  static std::string temporary_path(const std::string& path);

  OutputFile(OutputFile&&) = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Status write(std::string_view bytes);
  /// Returns when everything written is on disk.
  Status sync();
  Status commit();
  std::uint64_t written() const { return written_; }

 private:
  OutputFile(File file, std::string path, std::string temporary)
      : file_(std::move(file)), path_(std::move(path)), temporary_(std::move(temporary)) {}

  File file_;
  std::string path_;
  std::string temporary_;  ///< empty when writing straight to a device or pipe
  std::uint64_t written_ = 0;
};

/// "No such file or directory" and similar texts, for messages.
std::string error_text(int error_number);

}  // namespace tactus
