#include "record/meters/host/root_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace tactus::meters {
namespace {

constexpr std::size_t kFirstSize = 16 << 10;
constexpr std::size_t kLargestFile = 8 << 20;  // /proc/cpuinfo and /proc/stat of 1000 cores fit

}  // namespace

bool Root::has(std::string_view absolute) const {
  struct stat found {};
  return ::stat(path(absolute).c_str(), &found) == 0;
}

std::vector<std::string> Root::names_in(std::string_view absolute) const {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder_of(::opendir(path(absolute).c_str()),
                                                      [](DIR* open) { return ::closedir(open); });
  if (!folder_of) return names;
  while (const dirent* const entry = ::readdir(folder_of.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool RootFile::open() {
  if (file_.is_open()) return true;
  // Never a pipe that waits for a writer.
  file_ = File(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  error_ = file_.is_open() ? 0 : errno;
  return file_.is_open();
}

std::optional<std::string_view> RootFile::read(std::string& buffer) {
  if (!open()) return std::nullopt;
  if (buffer.size() < kFirstSize) buffer.resize(kFirstSize);
  std::size_t size = 0;
  while (true) {
    if (size == buffer.size()) {
      if (size >= kLargestFile) {
        error_ = EFBIG;
        break;
      }
      buffer.resize(2 * size);
    }
    const ssize_t got =
        ::pread(file_.fd(), buffer.data() + size, buffer.size() - size, static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      error_ = errno;
      break;
    }
    if (got == 0) {
      if (!keep_open_) file_ = File();
      return std::string_view(buffer).substr(0, size);
    }
    size += static_cast<std::size_t>(got);
  }
  file_ = File();  // it may be another one next time: a core that comes back, a new process
  return std::nullopt;
}

std::string RootFile::reason() const {
  return path_ + ": " + error_text(error_);
}

std::optional<std::string> read_once(const Root& root, std::string_view absolute) {
  std::string buffer;
  RootFile file(root, absolute);
  const std::optional<std::string_view> text = file.read(buffer);
  if (!text) return std::nullopt;
  buffer.resize(text->size());
  return buffer;
}

}  // namespace tactus::meters
