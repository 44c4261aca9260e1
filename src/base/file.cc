#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tactus {

std::string error_text(int error_number) {
  return std::strerror(error_number);
}

File::~File() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
}

Result<File> File::open_for_reading(const std::string& path) {
  if (path == "-") return File(STDIN_FILENO);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return input_error(path + ": cannot open: " + error_text(errno));
  File file(fd);
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    return input_error(path + ": is a directory, a file was expected");
  }
  return file;
}

Result<std::size_t> File::read(char* into, std::size_t size, const std::string& name) const {
  for (;;) {
    const ssize_t got = ::read(fd_, into, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return input_error(name + ": cannot read: " + error_text(errno));
  }
}

Status File::read_at(std::uint64_t offset, char* into, std::size_t size,
                     const std::string& name) const {
  while (size > 0) {
    const ssize_t got = ::pread(fd_, into, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return input_error(name + ": cannot read: " + error_text(errno));
    if (got == 0) {
      return input_error(name + ": ends before byte " + std::to_string(offset + size));
    }
    into += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return {};
}

Result<std::uint64_t> File::size(const std::string& name) const {
  struct stat status {};
  if (::fstat(fd_, &status) != 0) {
    return input_error(name + ": cannot stat: " + error_text(errno));
  }
  return static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
}

std::string OutputFile::temporary_path(const std::string& path) {
  return path + ".tmp" + std::to_string(::getpid());
}

Result<OutputFile> OutputFile::create(const std::string& path, bool overwrite) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    return usage_error(path + ": is a directory; give the name of a file to write");
  }
  const bool special = exists && !S_ISREG(status.st_mode);  // /dev/stdout, a pipe
  if (exists && !special && !overwrite) {
    return usage_error(path + ": exists already; give --force to overwrite it");
  }
  const std::string target = special ? path : temporary_path(path);
  const int flags = O_WRONLY | O_CLOEXEC | (special ? 0 : O_CREAT | O_TRUNC);
  const int fd = ::open(target.c_str(), flags, 0666);
  if (fd < 0) return usage_error(path + ": cannot write: " + error_text(errno));
  return OutputFile(File(fd), path, special ? std::string() : target);
}

Result<OutputFile> OutputFile::in_place(const std::string& path, bool overwrite) {
  if (overwrite && ::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return usage_error(path + ": cannot replace: " + error_text(errno));
  }
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
  if (fd < 0 && errno == EEXIST) {
    return usage_error(path + ": exists already; give --force to overwrite it");
  }
  if (fd < 0) return usage_error(path + ": cannot write: " + error_text(errno));
  return OutputFile(File(fd), path, std::string());
}

Result<OutputFile> OutputFile::standard_output() {
  const int fd = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return broke_error("standard output: cannot write: " + error_text(errno));
  return OutputFile(File(fd), "standard output", std::string());
}

OutputFile::~OutputFile() {
  if (file_.is_open() && !temporary_.empty()) ::unlink(temporary_.c_str());
}

Status OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file_.fd(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return broke_error(path_ + ": cannot write: " + error_text(errno));
    bytes.remove_prefix(static_cast<std::size_t>(put));
    written_ += static_cast<std::uint64_t>(put);
  }
  return {};
}

Status OutputFile::sync() {
  if (::fdatasync(file_.fd()) != 0 && errno != EINVAL) {  // pipes cannot
    return broke_error(path_ + ": cannot write to disk: " + error_text(errno));
  }
  return {};
}

Status OutputFile::commit() {
  if (!temporary_.empty() && ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return broke_error(path_ + ": cannot rename the finished file: " + error_text(errno));
  }
  temporary_.clear();
  file_ = File();
  return {};
}

}  // namespace tactus
