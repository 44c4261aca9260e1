// Launches where it is unusual.
//   odd_launches signal | small | unload LIBRARY
#include <pthread.h>
#include <sys/time.h>

#include <csignal>
#include <cstring>

#include "record/programs/cuda.h"

namespace {

cuda::Driver driver;
cuda::Handle context, kernel_of_main, stream_of_main, stream_of_handler;
volatile sig_atomic_t in_handler = 0;

void launch_some(int count) {
  for (int i = 0; i < count; ++i) CU(cuda::launch(driver, kernel_of_main, stream_of_main));
}

void handle(int) {
  in_handler = in_handler + 1;
  // On a stream of its own: that of the program may be locked.
  cuda::launch(driver, kernel_of_main, stream_of_handler);
}

void* in_small_stack(void*) {
  CU(driver.cuCtxSetCurrent(context));
  launch_some(200);
  return nullptr;
}

int run_signal() {
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often{.it_interval = {0, 200}, .it_value = {0, 200}};
  setitimer(ITIMER_REAL, &often, nullptr);
  launch_some(20000);
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  return in_handler > 0 ? 0 : 1;
}

int run_small() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 40 << 10);
  for (int i = 0; i < 10; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, in_small_stack, nullptr) != 0) return 1;
    pthread_join(thread, nullptr);
  }
  return 0;
}

/// Libraries come and go at the same address.
int run_unload(const char* library) {
  for (int i = 0; i < 50; ++i) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return 1;
    launch_some(20);
    dlclose(handle);
    launch_some(20);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  driver = cuda::load(cuda::Lookup::kProcAddress);
  CU(driver.cuInit(0));
  CU(driver.cuDevicePrimaryCtxRetain(&context, 0));
  CU(driver.cuCtxSetCurrent(context));
  CU(driver.cuStreamCreate(&stream_of_main, 1));
  CU(driver.cuStreamCreate(&stream_of_handler, 1));
  kernel_of_main = cuda::kernel(driver, "sleep_us_0_empty");
  const char* what = argc > 1 ? argv[1] : "";
  int result = 2;
  if (std::strcmp(what, "signal") == 0) result = run_signal();
  if (std::strcmp(what, "small") == 0) result = run_small();
  if (std::strcmp(what, "unload") == 0 && argc > 2) result = run_unload(argv[2]);
  CU(driver.cuCtxSynchronize());
  std::puts("done");
  return result;
}
