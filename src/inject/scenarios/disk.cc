#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "base/file.h"
#include "inject/scenario.h"

namespace tactus::inject {
namespace {

constexpr std::uint64_t kWrite = 1 << 20;
constexpr std::uint64_t kRead = 4096;
constexpr std::uint64_t kMostFile = 1ULL << 30;
constexpr double kFullRate = 256e6;  // [bytes/s]
constexpr std::uint64_t kWritesPerSync = 8;

std::string folder_of(const InjectRequest& request) {
  if (!request.folder.empty()) return request.folder;
  const char* set = std::getenv("TMPDIR");
  return set != nullptr && *set != '\0' ? set : "/tmp";
}

/// A file without a name: it is gone when the process is, however that ends.
File open_nameless(const std::string& folder, bool direct) {
  const int flags = O_RDWR | O_CLOEXEC | (direct ? O_DIRECT : 0);
  File file(::open(folder.c_str(), flags | O_TMPFILE, 0600));
  if (file.is_open() || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
  std::string name = folder + "/tactus-inject-XXXXXX";
  File named(::mkostemp(name.data(), O_CLOEXEC | (direct ? O_DIRECT : 0)));
  if (named.is_open()) ::unlink(name.c_str());
  return named;
}

}  // namespace

Status plan_disk(const Machine&, Plan& plan) {
  const std::string folder = folder_of(plan.request);
  struct statfs system {};
  if (::statfs(folder.c_str(), &system) != 0) {
    return input_error(fmt::format("{}: {}", folder, error_text(errno)));
  }
  if (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC) {
    return input_error(folder + ": is in memory, not on a disk; give --dir");
  }
  const auto block = static_cast<std::uint64_t>(system.f_bsize);
  const std::uint64_t free = system.f_bavail * block;
  const std::uint64_t total = system.f_blocks * block;
  if (free < 2 * kMostFile || free < total / 10) {
    return input_error(fmt::format("{}: only {} MiB are free", folder, free >> 20));
  }
  plan.request.folder = folder;
  plan.file_bytes = kMostFile;
  plan.bytes_per_s = plan.request.max_rate.value_or(kFullRate);
  plan.text =
      fmt::format("writes {:.0f} MB/s and fsyncs, in a nameless file of at most {} MiB in {}",
                  plan.bytes_per_s * plan.request.intensity / 1e6, kMostFile >> 20, folder);
  return {};
}

void run_disk(const Plan& plan, const Pace& pace, Dose& dose) {
  File file = open_nameless(plan.request.folder, true);
  if (!file.is_open()) file = open_nameless(plan.request.folder, false);
  if (!file.is_open()) return dose.say(plan.request.folder + ": " + error_text(errno));
  void* memory = nullptr;
  if (::posix_memalign(&memory, kRead, kWrite) != 0) return dose.say("no memory");
  const std::unique_ptr<void, decltype(&std::free)> buffer(memory, &std::free);
  std::fill_n(static_cast<char*>(memory), kWrite, 'x');
  RateLimit limit(pace, plan.bytes_per_s);
  limit.wait_after(0);
  const std::uint64_t places = plan.file_bytes / kWrite;
  for (std::uint64_t turn = 0; !pace.is_over(); ++turn) {
    const auto at = static_cast<off_t>(turn % places * kWrite);
    if (::pwrite(file.fd(), memory, kWrite, at) != static_cast<ssize_t>(kWrite)) {
      return dose.say("ended early: writing failed: " + error_text(errno));
    }
    if (turn % kWritesPerSync == 0 && ::fdatasync(file.fd()) != 0) {
      return dose.say("ended early: fsync failed: " + error_text(errno));
    }
    const std::uint64_t written = std::min(turn + 1, places);
    const auto from = static_cast<off_t>(turn * 2654435761U % (written * kWrite / kRead) * kRead);
    if (::pread(file.fd(), memory, kRead, from) < 0) {
      return dose.say("ended early: reading failed: " + error_text(errno));
    }
    dose.bytes.fetch_add(kWrite, std::memory_order_relaxed);
    dose.operations.fetch_add(1, std::memory_order_relaxed);
    limit.wait_after(kWrite);
  }
}

}  // namespace tactus::inject
