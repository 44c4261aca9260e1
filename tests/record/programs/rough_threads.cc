// Threads, stacks and signals as programs have them that were not written with a recorder in mind.
//   rough_threads MODE
// Prints what it did, so that a test can see that recording changes nothing.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <csetjmp>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "record/programs/cuda.h"

namespace {

cuda::Driver driver;
cuda::Handle context, kernel, stream, stream_of_handler;
std::atomic<int> launched = 0;

/// A device, a kernel and a stream, without a launch.
void begin() {
  driver = cuda::load(cuda::Lookup::kProcAddress);
  CU(driver.cuInit(0));
  CU(driver.cuDevicePrimaryCtxRetain(&context, 0));
  CU(driver.cuCtxSetCurrent(context));
  CU(driver.cuStreamCreate(&stream, 1));
  CU(driver.cuStreamCreate(&stream_of_handler, 1));
  kernel = cuda::kernel(driver, "sleep_us_0_empty");
}

void launch_some(int count) {
  for (int i = 0; i < count; ++i) {
    CU(cuda::launch(driver, kernel, stream));
    ++launched;
  }
}

void* launch_in_thread(void* count) {
  CU(driver.cuCtxSetCurrent(context));
  launch_some(static_cast<int>(reinterpret_cast<std::intptr_t>(count)));
  return nullptr;
}

pthread_t start_thread(void* (*run)(void*), int count, std::size_t stack_bytes = 0) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack_bytes != 0) pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_t thread{};
  const int result = pthread_create(&thread, &attributes, run,
                                    reinterpret_cast<void*>(static_cast<std::intptr_t>(count)));
  if (result != 0) cuda::fail("pthread_create", result);
  pthread_attr_destroy(&attributes);
  return thread;
}

/// Some launch while others end, by all the ways there are.
void run_ending() {
  struct Tail {
    ~Tail() {
      if (is_armed) launch_some(1);
    }
    bool is_armed = false;
  };
  static thread_local Tail tail;
  for (int wave = 0; wave < 20; ++wave) {
    std::vector<pthread_t> threads;
    for (int i = 0; i < 8; ++i) {
      threads.push_back(start_thread(
          [](void* number) -> void* {
            CU(driver.cuCtxSetCurrent(context));
            tail.is_armed = true;
            launch_some(10);
            if (reinterpret_cast<std::intptr_t>(number) % 2 == 0) pthread_exit(nullptr);
            return nullptr;
          },
          i));
    }
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  }
}

/// The first launch of the process is made by a thread that is to be cancelled.
void run_cancelled() {
  pthread_t thread = start_thread(
      [](void*) -> void* {
        int before = 0;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
        CU(driver.cuCtxSetCurrent(context));
        pthread_cancel(pthread_self());
        pthread_setcancelstate(before, nullptr);
        launch_some(3);
        pthread_testcancel();
        std::puts("still here");
        return nullptr;
      },
      0);
  void* result = nullptr;
  pthread_join(thread, &result);
  std::printf("cancelled %d\n", result == PTHREAD_CANCELED ? 1 : 0);
  launch_some(200);
}

sigjmp_buf way_out;
volatile sig_atomic_t jumps = 0;

/// A handler that leaves whatever was interrupted.
void run_jump() {
  struct sigaction action {};
  action.sa_handler = [](int) {
    jumps = jumps + 1;
    siglongjmp(way_out, 1);
  };
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often{.it_interval = {0, 300}, .it_value = {0, 300}};
  const itimerval never{};
  volatile int turns = 0;
  while (turns < 200) {
    turns = turns + 1;
    if (sigsetjmp(way_out, 1) == 0) {
      setitimer(ITIMER_REAL, &often, nullptr);
      // A call that the driver refuses at once: its locks would stay locked if it were left.
      while (true) (void)cuda::launch(driver, nullptr, stream);
    }
    setitimer(ITIMER_REAL, &never, nullptr);
  }
  launch_some(100);
  std::printf("jumped %d\n", jumps > 0 ? 1 : 0);
}

/// A handler on a stack of its own that launches, also at the very first launch.
void run_alternate() {
  static std::vector<char> room(static_cast<std::size_t>(sysconf(_SC_MINSIGSTKSZ)) + (16 << 10));
  const stack_t alternate{.ss_sp = room.data(), .ss_flags = 0, .ss_size = room.size()};
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = [](int) { (void)cuda::launch(driver, kernel, stream_of_handler); };
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often{.it_interval = {0, 200}, .it_value = {0, 1}};
  setitimer(ITIMER_REAL, &often, nullptr);
  launch_some(5000);
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
}

/// As little stack as the system allows.
void run_tiny() {
  // The stand-in's own needs come on top of the least that there is.
  const auto least = static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN)) + (8 << 10);
  for (int i = 0; i < 20; ++i) pthread_join(start_thread(launch_in_thread, 50, least), nullptr);
}

void run_many() {
  for (int wave = 0; wave < 50; ++wave) {
    std::vector<pthread_t> threads;
    for (int i = 0; i < 200; ++i) threads.push_back(start_thread(launch_in_thread, 2, 64 << 10));
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  }
}

/// Coroutines, each on a piece of memory.
void run_coroutines() {
  static ucontext_t main_context, inner;
  constexpr std::size_t kBytes = 64 << 10;
  for (int i = 0; i < 50; ++i) {
    void* room = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) cuda::fail("mmap", errno);
    getcontext(&inner);
    inner.uc_stack.ss_sp = room;
    inner.uc_stack.ss_size = kBytes;
    inner.uc_link = &main_context;
    makecontext(
        &inner, [] { launch_some(10); }, 0);
    swapcontext(&main_context, &inner);
    munmap(room, kBytes);
  }
}

/// Work that is given to the driver when everything ends.
void run_at_exit() {
  std::atexit([] {
    launch_some(5);
    std::printf("at exit %d\n", launched.load());
  });
  launch_some(5);
}

/// The process ends while threads launch.
void run_exit_beside() {
  for (int i = 0; i < 4; ++i) {
    pthread_detach(start_thread(
        [](void*) -> void* {
          CU(driver.cuCtxSetCurrent(context));
          cuda::Handle own = nullptr;
          CU(driver.cuStreamCreate(&own, 1));
          while (true) (void)cuda::launch(driver, kernel, own);
        },
        0));
  }
  launch_some(2000);
  std::puts("leaving");
  std::fflush(stdout);
  _exit(11);
}

/// The first thread ends before the others.
void run_main_ends() {
  pthread_detach(start_thread(
      [](void*) -> void* {
        CU(driver.cuCtxSetCurrent(context));
        usleep(50'000);
        launch_some(100);
        std::printf("launched %d\n", launched.load());
        std::exit(5);
      },
      0));
  launch_some(10);
  pthread_exit(nullptr);
}

struct Mode {
  std::string_view name;
  void (*run)();
};
constexpr Mode kModes[] = {
    {"ending", run_ending},         {"cancelled", run_cancelled}, {"jump", run_jump},
    {"alternate", run_alternate},   {"tiny", run_tiny},           {"many", run_many},
    {"coroutines", run_coroutines}, {"at_exit", run_at_exit},     {"exit_beside", run_exit_beside},
    {"main_ends", run_main_ends},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Mode& mode : kModes) {
    if (argc < 2 || mode.name != argv[1]) continue;
    begin();
    mode.run();
    CU(driver.cuCtxSynchronize());
    std::printf("launched %d\n", launched.load());
    return 7;
  }
  return 2;
}
