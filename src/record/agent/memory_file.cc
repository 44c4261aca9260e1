#include "record/agent/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

namespace tactus::agent {

int to_high_descriptor(int fd) {
  // Below 64: a higher one makes the kernel enlarge the table of a process with threads, and wait
  // for all cores to have seen it. On a busy machine, that took the first launch up to 400 ms.
  constexpr int kHighDescriptor = 40;
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, kHighDescriptor);
  if (high < 0) return fd;
  close(fd);
  return high;
}

int make_memory_file(const char* name, std::size_t bytes) {
  // A limit for files holds for these, too, and to pass it is a deadly signal.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < bytes) return -1;
  int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  fd = to_high_descriptor(fd);
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0 ||
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

std::int32_t number_in(const char* variable, std::int32_t otherwise) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text < '0' || *text > '9') return otherwise;
  return static_cast<std::int32_t>(std::strtol(text, nullptr, 10));
}

}  // namespace tactus::agent
