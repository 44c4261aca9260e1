// Does one thing on one thread until a file is there, and notices whatever disturbs it.
//   steady WHAT STOP_FILE
// Prints "ok" and ends with 7, or says what went wrong and ends with 1.
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

const char* stop_file = "";

bool is_over() {
  return access(stop_file, F_OK) == 0;
}

[[noreturn]] void fail(const char* what) {
  std::printf("%s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

/// Many values that live in registers, of all kinds.
__attribute__((noinline)) double compute() {
  std::uint64_t a = 1, b = 2, c = 3, d = 5, e = 7, f = 11;
  double x = 1, y = 2, z = 3;
  for (int i = 0; i < 200'000; ++i) {
    a = a * 6364136223846793005u + b;
    b ^= a >> 17;
    c += b * 31;
    d = (d << 7 | d >> 57) + c;
    e -= d ^ a;
    f = f * 3 + (e > c ? b : d);
    x = x * 0.9999 + static_cast<double>(a >> 40);
    y = y * 0.5 + x;
    z += y > x ? 1.25 : 0.75;
  }
  return x + y + z + static_cast<double>((a ^ b ^ c ^ d ^ e ^ f) & 0xffffff);
}

void be_busy() {
  const double expected = compute();
  if (compute() != expected) fail("damaged");
}

void use_memory() {
  static unsigned seed = 1;
  static char* blocks[256] = {};
  for (int i = 0; i < 20'000; ++i) {
    seed = seed * 1103515245u + 12345u;
    char*& block = blocks[seed >> 8 & 255];
    if (block != nullptr && block[0] != block[15]) fail("damaged block");
    std::free(block);
    block = static_cast<char*>(std::malloc(16 + (seed >> 16) % 4000));
    block[0] = block[15] = static_cast<char>(seed);
  }
}

void poll_nothing() {
  if (poll(nullptr, 0, 20) != 0) fail("poll");
}

void sleep_a_little() {
  const timespec time{.tv_sec = 0, .tv_nsec = 20'000'000};
  if (nanosleep(&time, nullptr) != 0) fail("nanosleep");
}

void wait_for_events() {
  static const int fd = epoll_create1(0);
  epoll_event event{};
  if (epoll_wait(fd, &event, 1, 20) != 0) fail("epoll_wait");
}

void wait_for_condition() {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 20'000'000;
  until.tv_sec += until.tv_nsec / 1'000'000'000;
  until.tv_nsec %= 1'000'000'000;
  pthread_mutex_lock(&mutex);
  errno = pthread_cond_timedwait(&condition, &mutex, &until);
  if (errno != ETIMEDOUT) fail("condition");
  pthread_mutex_unlock(&mutex);
}

void read_slowly() {
  const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec time{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = 20'000'000}};
  timerfd_settime(fd, 0, &time, nullptr);
  std::uint64_t count = 0;
  if (read(fd, &count, sizeof count) != sizeof count) fail("read");
  close(fd);
}

/// As somebody might do who does not know better.
void handle(int) {
  while (!is_over()) poll_nothing();
}
void be_in_a_handler() {
  signal(SIGALRM, handle);
  raise(SIGALRM);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string what = argv[1];
  stop_file = argv[2];
  void (*run)() = what == "busy"        ? be_busy
                  : what == "malloc"    ? use_memory
                  : what == "poll"      ? poll_nothing
                  : what == "sleep"     ? sleep_a_little
                  : what == "epoll"     ? wait_for_events
                  : what == "condition" ? wait_for_condition
                  : what == "read"      ? read_slowly
                  : what == "handler"   ? be_in_a_handler
                                        : nullptr;
  if (run == nullptr) return 2;
  // A program that is linked statically cannot, and needs not.
  dlopen("libcuda.so.1", RTLD_NOW);
  while (!is_over()) run();
  std::puts("ok");
  return 7;
}
