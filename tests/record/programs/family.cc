// Processes that start others: family fork|exec|storm|late|vfork [PROGRAM]
//   fork    a child that uses CUDA, forked before the parent does; then the parent
//   late    the parent uses CUDA, then forks a child that only prints
//   exec    a child that becomes PROGRAM, then the program itself
//   storm   many children, each with a few launches
//   closed  all descriptors are closed before the first launch
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "record/programs/cuda.h"

namespace {

void work(int launches) {
  const cuda::Driver driver = cuda::load(cuda::Lookup::kProcAddress);
  cuda::use_device(driver, 0);
  cuda::Handle stream = nullptr;
  CU(driver.cuStreamCreate(&stream, 0));
  const cuda::Handle kernel = cuda::kernel(driver, "sleep_us_5_family");
  for (int i = 0; i < launches; ++i) CU(cuda::launch(driver, kernel, stream));
  CU(driver.cuStreamSynchronize(stream));
}

template <class F>
pid_t in_child(F&& f) {
  const pid_t child = fork();
  if (child == 0) {
    f();
    std::fflush(stdout);
    _exit(0);
  }
  return child;
}

void wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) cuda::fail("child", status);
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "fork";
  if (std::strcmp(what, "fork") == 0) {
    const pid_t child = in_child([] { work(30); });
    work(20);
    wait_for(child);
  } else if (std::strcmp(what, "late") == 0) {
    work(20);
    wait_for(in_child([] { std::puts("child"); }));
    work(5);
  } else if (std::strcmp(what, "exec") == 0 && argc > 2) {
    wait_for(in_child([&] {
      execl(argv[2], argv[2], "3", "4", static_cast<char*>(nullptr));
      cuda::fail("exec", 0);
    }));
    work(20);
  } else if (std::strcmp(what, "storm") == 0) {
    const int children = argc > 2 ? std::atoi(argv[2]) : 20;
    for (int i = 0; i < children; ++i) wait_for(in_child([] { work(3); }));
  } else if (std::strcmp(what, "closed") == 0) {
    for (int fd = 3; fd < 1024; ++fd) close(fd);
    work(10);
    for (int fd = 3; fd < 1024; ++fd) close(fd);
    work(10);
  }
  std::puts("done");
}
