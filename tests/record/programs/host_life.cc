// What the host tracer should see: host_life lock|disk|faults|storm [FILE]
//   lock    a thread waits 20 ms for another, 5 times
//   disk    writes a file and puts it on disk, 5 times
//   faults  touches 2000 new pages
//   storm   200 children, each with a thread
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using std::chrono::milliseconds;

void wait_for_each_other() {
  for (int i = 0; i < 5; ++i) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::thread other([&] { const std::lock_guard waits(mutex); });
    std::this_thread::sleep_for(milliseconds(20));
    lock.unlock();
    other.join();
  }
}

int write_to_disk(const char* path) {
  const int file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  if (file < 0) return 1;
  const std::vector<char> bytes(1 << 20, 'x');
  for (int i = 0; i < 5; ++i) {
    if (write(file, bytes.data(), bytes.size()) < 0 || fsync(file) != 0) return 1;
  }
  return close(file);
}

int touch_pages() {
  constexpr std::size_t kPages = 2000;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory =
      mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  madvise(memory, kPages * page, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  return 0;
}

int start_many() {
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      std::thread([] { std::this_thread::sleep_for(milliseconds(1)); }).join();
      _exit(0);
    }
    int status = 0;
    if (i % 10 == 9) {
      while (waitpid(-1, &status, WNOHANG) > 0) {
      }
    }
  }
  while (wait(nullptr) > 0) {
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "lock") == 0) wait_for_each_other();
  if (std::strcmp(what, "disk") == 0) return write_to_disk(argv[2]);
  if (std::strcmp(what, "faults") == 0) return touch_pages();
  if (std::strcmp(what, "storm") == 0) return start_many();
  return 0;
}
