#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "standin/work.h"

namespace standin {
namespace {

int log_file() {
  static const int file = [] {
    const char* path = std::getenv("STANDIN_LOG");
    return path == nullptr || *path == '\0'
               ? -1
               : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }();
  return file;
}

std::uint64_t hash_of(const std::vector<unsigned char>& bytes) {
  std::uint64_t hash = 1469598103934665603u;  // FNV-1a
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
  return hash;
}

const char* what_of(const Work& work, bool captured) {
  switch (work.kind) {
    case Work::kKernel: return captured ? "capture" : "launch";
    case Work::kGraph: return "graph";
    case Work::kCopy: return "copy";
    case Work::kFill: return "fill";
    default: return nullptr;
  }
}

}  // namespace

void log_work(const Work& work, unsigned stream, bool captured) {
  const int file = log_file();
  const char* what = file < 0 ? nullptr : what_of(work, captured);
  if (what == nullptr) return;
  char line[1024];
  const bool is_kernel = work.kind == Work::kKernel;
  const int length = std::snprintf(
      line, sizeof line, "%d %ld %u %s %.600s %u,%u,%u %u,%u,%u %zu %016llx\n", getpid(),
      syscall(SYS_gettid), stream, what, is_kernel ? work.function->name.c_str() : "-",
      work.grid[0], work.grid[1], work.grid[2], work.block[0], work.block[1], work.block[2],
      is_kernel ? work.shared_bytes : work.bytes,
      static_cast<unsigned long long>(is_kernel ? hash_of(work.arguments) : 0));
  // One write per line: several processes may share the file.
  if (length > 0 && write(file, line, static_cast<std::size_t>(length)) < 0) return;
}

}  // namespace standin
