#include "bench/candidate/file_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/hash.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

constexpr int kQuietMs = 80;         // nothing more happens for so long: the editor is done
constexpr int kMostQuietWaits = 25;  // a file that is written all the time is read anyway
constexpr std::uintmax_t kLargest = 16 << 20;  // bytes of a file whose contents are looked at

fs::path folder_of(const fs::path& path) {
  const fs::path parent = path.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

bool is_header(const fs::path& path) {
  constexpr std::array<std::string_view, 5> kEndings = {".h", ".hpp", ".hh", ".cuh", ".inc"};
  return std::find(kEndings.begin(), kEndings.end(), path.extension().string()) != kEndings.end();
}

std::string bytes_of_file(const fs::path& path) {
  std::error_code error;
  if (fs::file_size(path, error) > kLargest || error) return {};
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

FileWatch::FileWatch(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor), last_(contents()) {}

FileWatch::FileWatch(FileWatch&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      last_(other.last_) {}

FileWatch::~FileWatch() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<FileWatch> FileWatch::start(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return usage_error(path + ": there is no such file");
  const int descriptor = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0) {
    return broke_error(fmt::format("{} cannot be watched: {}", path, std::strerror(errno)));
  }
  FileWatch watch(path, descriptor);
  // The target of a link is watched as well: it may be edited in its own place.
  for (const fs::path& folder : {folder_of(path), folder_of(fs::canonical(path, error))}) {
    constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE |
                                      IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF;
    if (::inotify_add_watch(descriptor, folder.c_str(), kEvents) >= 0) continue;
    return broke_error(
        fmt::format("the folder {} cannot be watched: {}", folder.string(), std::strerror(errno)));
  }
  return watch;
}

bool FileWatch::take_events() const {
  alignas(inotify_event) std::array<char, 16384> buffer;
  bool there = true;
  ssize_t size = 0;
  while ((size = ::read(descriptor_, buffer.data(), buffer.size())) > 0) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) != 0) there = false;
      at += sizeof event + event.len;
    }
  }
  return there;
}

std::uint64_t FileWatch::contents() const {
  std::vector<fs::path> files = {path_};
  std::error_code error;
  fs::directory_iterator entries(folder_of(path_), error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    if (is_header(entries->path())) files.push_back(entries->path());
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) {
    const std::string bytes = bytes_of_file(file);
    all += fmt::format("{} {}\n", file.string(), bytes.size());
    all += bytes;
  }
  return hash_bytes(all);
}

Result<bool> FileWatch::take_change() {
  bool there = take_events();
  for (int waits = 0; there && waits < kMostQuietWaits; ++waits) {
    struct pollfd events {
      .fd = descriptor_, .events = POLLIN, .revents = 0
    };
    if (::poll(&events, 1, kQuietMs) <= 0) break;
    there = take_events();
  }
  if (!there) return input_error(fmt::format("the folder of {} is gone", path_));
  std::error_code error;
  if (!fs::is_regular_file(path_, error)) return false;
  const std::uint64_t now = contents();
  return std::exchange(last_, now) != now;
}

}  // namespace tactus
