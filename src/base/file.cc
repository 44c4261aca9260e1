#include "base/file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "base/new_name.h"

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

int File::close() {
  const int fd = std::exchange(fd_, -1);
  if (fd <= STDERR_FILENO) return 0;
  // After EINTR the descriptor is closed all the same.
  return ::close(fd) == 0 || errno == EINTR ? 0 : errno;
}

namespace {

/// What a write to a path would change.
struct Destination {
  std::string path;                        ///< the file itself, where the name is a symbolic link
  std::optional<struct stat> status = {};  ///< nothing if there is no such file
};

Result<Destination> find_destination(const std::string& name) {
  struct stat status {};
  if (::lstat(name.c_str(), &status) != 0) {
    if (errno == ENOENT) return Destination{name};
    return usage_error(name + ": cannot write: " + error_text(errno));
  }
  if (!S_ISLNK(status.st_mode)) return Destination{name, status};
  // Links in folders such as /tmp that somebody else planted: the system does not follow them.
  if (::stat(name.c_str(), &status) != 0) {
    return usage_error(name + (errno == ENOENT ? ": is a symbolic link to a file that is not there"
                                               : ": cannot write: " + error_text(errno)));
  }
  if (!S_ISREG(status.st_mode)) return Destination{name, status};
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(name.c_str(), nullptr),
                                                         &std::free);
  if (!real) return usage_error(name + ": cannot write: " + error_text(errno));
  return Destination{real.get(), status};
}

/// Beside the file, because only there a rename works; unique, so that nobody can guess it and a
/// file that a dead process left is not in the way.
std::string new_temporary_path(const std::string& path) {
  constexpr std::size_t kLongestName = 200;      // [bytes] of 255; the rest is for the ending
  const std::size_t name = path.rfind('/') + 1;  // npos + 1 is 0
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) {
    random =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  return path.substr(0, name) + path.substr(name, kLongestName) + ".tmp" + std::to_string(random);
}

/// Opens a new file for writing; an open file descriptor, or -1 and errno.
int open_new(const std::string& path, mode_t mode) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

/// Gives the file the permissions, and where that is possible the owner, of the one it replaces.
/// File systems without them are fine, too.
void take_over(int fd, const struct stat& old) {
  constexpr auto kAsItIs = static_cast<uid_t>(-1);
  struct stat own {};
  if (::fstat(fd, &own) != 0) return;
  if (own.st_uid != old.st_uid) static_cast<void>(::fchown(fd, old.st_uid, kAsItIs) == 0);
  const bool same_group = own.st_gid == old.st_gid || ::fchown(fd, kAsItIs, old.st_gid) == 0;
  // The rights of the old group are not for another one.
  static_cast<void>(::fchmod(fd, old.st_mode & (same_group ? 0777U : 0707U)) == 0);
}

/// Pipes, and some file systems, have nothing to put on disk.
bool cannot_sync(int error) {
  return error == EINVAL || error == EROFS || error == ENOTSUP;
}

Error exists_already(const std::string& name) {
  return usage_error(name + ": exists already; give --force to overwrite it");
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path, bool overwrite) {
  if (path.empty()) return usage_error("the name of the output file is empty");
  Result<Destination> found = find_destination(path);
  if (!found) return found.error();
  const std::optional<struct stat>& old = found->status;
  if (old && S_ISDIR(old->st_mode)) {
    return usage_error(path + ": is a directory; give the name of a file to write");
  }
  if (old && !S_ISREG(old->st_mode)) {  // /dev/stdout, a pipe
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return usage_error(path + ": cannot write: " + error_text(errno));
    return OutputFile(File(fd), path, path, TemporaryPath(), true);
  }
  if (old && !overwrite) return exists_already(path);
  TemporaryPath temporary(new_temporary_path(found->path), TemporaryPath::Kind::kFile);
  const int fd = open_new(temporary.path(), old ? 0600 : 0666);
  if (fd < 0) {
    const int error = errno;
    temporary.keep();
    return usage_error(path + ": cannot write: " + error_text(error));
  }
  if (old) take_over(fd, *old);
  return OutputFile(File(fd), path, std::move(found->path), std::move(temporary), overwrite);
}

Result<OutputFile> OutputFile::in_place(const std::string& path, bool overwrite) {
  struct stat old {};
  const bool exists = ::lstat(path.c_str(), &old) == 0;
  // Removing a device or a folder is never what was meant.
  if (exists && !S_ISREG(old.st_mode) && !S_ISLNK(old.st_mode)) {
    return usage_error(path + ": is not a file; a recording needs one");
  }
  if (exists && overwrite && ::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return usage_error(path + ": cannot replace: " + error_text(errno));
  }
  // A recording shows the command lines of programs: it is for its owner.
  const int fd = open_new(path, 0600);
  if (fd < 0 && errno == EEXIST) return exists_already(path);
  if (fd < 0) return usage_error(path + ": cannot write: " + error_text(errno));
  return OutputFile(File(fd), path, path, TemporaryPath(), overwrite);
}

Result<OutputFile> OutputFile::standard_output() {
  const int fd = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (fd < 0) return broke_error("standard output: cannot write: " + error_text(errno));
  return OutputFile(File(fd), "standard output", {}, TemporaryPath(), true);
}

Status OutputFile::failed(std::string_view what, int error_number) const {
  return broke_error(name_ + ": " + std::string(what) + ": " + error_text(error_number));
}

Status OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file_.fd(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed("cannot write", errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
    written_ += static_cast<std::uint64_t>(put);
  }
  return {};
}

Status OutputFile::sync() {
  if (::fdatasync(file_.fd()) == 0 || cannot_sync(errno)) return {};
  return failed("cannot write to disk", errno);
}

/// The new name is on disk only when its folder is.
Status OutputFile::sync_folder() const {
  const std::size_t slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  const File opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open()) return {};  // a folder that may be written but not read
  if (::fsync(opened.fd()) == 0 || cannot_sync(errno)) return {};
  return failed("cannot write its folder to disk", errno);
}

Status OutputFile::commit() {
  if (temporary_.path().empty()) {
    const int error = file_.close();
    return error == 0 ? Status() : failed("cannot write", error);
  }
  if (::fsync(file_.fd()) != 0 && !cannot_sync(errno)) return failed("cannot write to disk", errno);
  if (const int error = file_.close(); error != 0) return failed("cannot write", error);
  int error = 0;
  if (!overwrite_) {
    error = move_to_new_name(temporary_.path(), path_);
  } else if (::rename(temporary_.path().c_str(), path_.c_str()) != 0) {
    error = errno;
  }
  if (error == EEXIST && !overwrite_) return exists_already(name_);
  if (error != 0) return failed("cannot rename the finished file", error);
  temporary_.keep();
  return sync_folder();
}

}  // namespace tactus
