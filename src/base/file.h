#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/temporary_path.h"

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
  /// Closes it before its time: 0, or the error number of bytes that could not be written.
  int close();

  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Writes a file so that readers see nothing, the old file or the whole new one, also after a power
/// cut: bytes go to a temporary file beside it, which `commit` puts on disk and renames. A file
/// that is replaced keeps its permissions; a symbolic link stays, and the file it names is
/// replaced. Devices and pipes are written directly.
class OutputFile {
 public:
  /// Fails with a usage error if `path` exists and `overwrite` is false.
  static Result<OutputFile> create(const std::string& path, bool overwrite);
  /// A file that grows under its own name, for a recorder. Fails if `path` exists, unless
  /// `overwrite` allows to start it anew.
  static Result<OutputFile> in_place(const std::string& path, bool overwrite);
  /// What is written to it goes to standard output; `commit` has nothing to rename.
  static Result<OutputFile> standard_output();

  Status write(std::string_view bytes);
  /// Returns when everything written is on disk.
  Status sync();
  /// Gives the file its name. Without `overwrite`, a file that appeared there since is a usage
  /// error: of two processes that write the same file, one wins.
  Status commit();
  std::uint64_t written() const { return written_; }
  /// Where the bytes are until `commit`; empty if they go to their place directly.
  const std::string& temporary_path() const { return temporary_.path(); }

 private:
  OutputFile(File file, std::string name, std::string path, TemporaryPath temporary, bool overwrite)
      : file_(std::move(file)),
        name_(std::move(name)),
        path_(std::move(path)),
        temporary_(std::move(temporary)),
        overwrite_(overwrite) {}

  Status failed(std::string_view what, int error_number) const;
  Status sync_folder() const;

  File file_;
  std::string name_;  ///< as it was given, for messages
  std::string path_;  ///< the file itself, where `name_` is a symbolic link
  TemporaryPath temporary_;
  bool overwrite_;
  std::uint64_t written_ = 0;
};

/// "No such file or directory" and similar texts, for messages.
std::string error_text(int error_number);

}  // namespace tactus
