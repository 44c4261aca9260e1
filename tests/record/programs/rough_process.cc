// What a process does to itself: limits, identities, descriptors, libraries, other programs.
//   rough_process MODE [PATH]
// Prints what it did, so that a test can see that recording changes nothing.
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "record/programs/cuda.h"

namespace {

cuda::Driver driver;
cuda::Handle kernel, stream;
const char* program = "";
const char* path = "";

void begin() {
  driver = cuda::load(cuda::Lookup::kProcAddress);
  cuda::use_device(driver, 0);
  CU(driver.cuStreamCreate(&stream, 1));
  kernel = cuda::kernel(driver, "sleep_us_0_empty");
}

void launch_some(int count) {
  for (int i = 0; i < count; ++i) CU(cuda::launch(driver, kernel, stream));
  CU(driver.cuStreamSynchronize(stream));
  std::printf("launched %d\n", count);
}

void wait_and_tell(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/// Which numbers the next files get.
void print_descriptors() {
  int files[4];
  for (int& file : files) file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  std::printf("descriptors %d %d %d %d\n", files[0], files[1], files[2], files[3]);
  for (const int file : files) close(file);
}

void run_close_range() {
  begin();
  launch_some(5);
  print_descriptors();
  syscall(SYS_close_range, 3u, ~0u, 0u);
  launch_some(50);
  print_descriptors();
  syscall(SYS_close_range, 3u, ~0u, 0u);
  const pid_t child = fork();
  if (child == 0) {
    print_descriptors();
    std::fflush(stdout);
    _exit(4);
  }
  wait_and_tell(child);
}

/// Puts files of its own where others had theirs, and finds them unharmed.
void run_reuse_descriptors() {
  begin();
  launch_some(5);
  std::vector<int> files;
  for (int fd = 3; fd < 200; ++fd) close(fd);
  for (int fd = 3; fd < 200; ++fd) {
    char name[32];
    std::snprintf(name, sizeof name, "file %d", fd);
    const int made = memfd_create(name, 0);
    if (write(made, name, std::strlen(name)) < 0) cuda::fail("write", errno);
    files.push_back(made);
  }
  launch_some(500);
  const pid_t child = fork();
  if (child == 0) {
    launch_some(0);
    for (const int fd : files) {
      if (fcntl(fd, F_GETFD) < 0) _exit(1);
    }
    std::fflush(stdout);
    _exit(4);
  }
  wait_and_tell(child);
  for (const int fd : files) {
    char text[32] = {};
    if (pread(fd, text, sizeof text - 1, 0) < 5) cuda::fail("pread", fd);
    if (std::string(text) != "file " + std::to_string(fd)) cuda::fail(text, fd);
  }
}

void run_few_descriptors() {
  const rlimit few{.rlim_cur = 4, .rlim_max = 4};
  begin();
  setrlimit(RLIMIT_NOFILE, &few);
  launch_some(100);
  print_descriptors();
}

void run_no_descriptors() {
  begin();
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_NOFILE, &none);
  launch_some(100);
}

/// Pages that the process has now, and no more.
void run_no_memory() {
  begin();
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlimit now{.rlim_cur = pages * 4096 + (1 << 20), .rlim_max = RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &now);
  launch_some(1000);
}

void run_no_threads() {
  begin();
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_NPROC, &none);
  if (setgroups(0, nullptr) != 0 || setresgid(65534, 65534, 65534) != 0 ||
      setresuid(65534, 65534, 65534) != 0) {
    std::puts("not root");
  }
  launch_some(100);
}

void run_other_user() {
  if (setgroups(0, nullptr) != 0 || setresgid(65534, 65534, 65534) != 0 ||
      setresuid(65534, 65534, 65534) != 0) {
    std::puts("not root");
  }
  begin();
  launch_some(100);
  std::printf("core dumps %d\n", prctl(PR_GET_DUMPABLE));
}

void run_chroot() {
  begin();
  if (chroot(path) != 0 || chdir("/") != 0) std::puts("no chroot");
  launch_some(100);
}

void run_clear_environment() {
  clearenv();
  begin();
  launch_some(100);
  setenv("LD_PRELOAD", "/no/such/library.so", 1);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/echo", "echo", "from echo", static_cast<char*>(nullptr));
    _exit(1);
  }
  wait_and_tell(child);
}

void run_vfork() {
  begin();
  launch_some(10);
  std::fflush(stdout);
  for (int i = 0; i < 10; ++i) {
    const pid_t child = vfork();
    if (child == 0) {
      execl("/bin/true", "true", static_cast<char*>(nullptr));
      _exit(1);
    }
    wait_and_tell(child);
  }
  launch_some(10);
}

/// Becomes another program, which has no CUDA, with a thread that launches.
void run_exec_other() {
  begin();
  std::thread([] {
    cuda::use_device(driver, 0);
    cuda::Handle own = nullptr;
    CU(driver.cuStreamCreate(&own, 1));
    while (true) (void)cuda::launch(driver, kernel, own);
  }).detach();
  launch_some(100);
  std::fflush(stdout);
  execl("/bin/sh", "sh", "-c", "echo from sh; exit 6", static_cast<char*>(nullptr));
}

/// Starts itself again without an environment.
void run_exec_bare() {
  begin();
  launch_some(10);
  std::fflush(stdout);
  std::string library_path = "LD_LIBRARY_PATH=";
  if (const char* set = std::getenv("LD_LIBRARY_PATH")) library_path += set;
  char* const words[] = {const_cast<char*>(program), const_cast<char*>("vfork"), nullptr};
  char* const environment[] = {library_path.data(), nullptr};
  execve("/proc/self/exe", words, environment);
}

/// A thread forks while others launch; the children launch nothing.
void run_fork_beside() {
  begin();
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([] {
      cuda::use_device(driver, 0);
      cuda::Handle own = nullptr;
      CU(driver.cuStreamCreate(&own, 1));
      for (int i = 0; i < 3000; ++i) CU(cuda::launch(driver, kernel, own));
      CU(driver.cuStreamSynchronize(own));
    });
  }
  for (int i = 0; i < 30; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(i);
    wait_and_tell(child);
  }
  for (std::thread& thread : threads) thread.join();
}

/// A daemon: whoever started it ends first.
void run_daemon() {
  std::fflush(stdout);
  if (fork() != 0) _exit(3);
  setsid();
  begin();
  usleep(100'000);
  launch_some(100);
}

/// Opens the driver at PATH and closes it, again and again; each time it is somewhere else.
void run_reopen() {
  for (std::uintptr_t i = 1; i <= 5; ++i) {
    void* library = dlopen(path, RTLD_NOW);
    if (library == nullptr) cuda::fail(dlerror(), -1);
    const auto launch =
        reinterpret_cast<decltype(driver.cuLaunchKernel)>(dlsym(library, "cuLaunchKernel"));
    CU(launch(reinterpret_cast<void*>(i << 12), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    Dl_info place{};
    dladdr(dlsym(library, "cuFuncGetName"), &place);
    dlclose(library);
    (void)mmap(place.dli_fbase, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
               -1, 0);
  }
}

int count_launches(void* library) {
  const auto find = reinterpret_cast<int (*)(const char*, void**, int, std::uint64_t, int*)>(
      dlsym(library, "cuGetProcAddress_v2"));
  if (find == nullptr) cuda::fail("cuGetProcAddress_v2", -1);
  int status = 0;
#define ROUGH_LOAD(name, ...)                                     \
  {                                                               \
    void* found = nullptr;                                        \
    CU(find(#name, &found, 13000, 1, &status));                   \
    driver.name = reinterpret_cast<decltype(driver.name)>(found); \
  }
  TEST_CUDA_CALLS(ROUGH_LOAD)
#undef ROUGH_LOAD
  cuda::use_device(driver, 0);
  CU(driver.cuStreamCreate(&stream, 1));
  kernel = cuda::kernel(driver, "sleep_us_0_empty");
  launch_some(20);
  return 0;
}

void run_local() {
  count_launches(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL));
}

void run_deep() {
  count_launches(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND));
}

/// A second copy of the driver and of the C library.
void run_namespace() {
  void* library = dlmopen(LM_ID_NEWLM, "libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    std::puts("no second namespace");
    return;
  }
  count_launches(library);
  begin();
  launch_some(10);
}

/// From here on, all that a program does not need that launches and prints is refused.
void run_filtered() {
  constexpr int kAllowed[] = {SYS_write, SYS_futex,  SYS_exit_group, SYS_clock_gettime,
                              SYS_exit,  SYS_munmap, SYS_mmap,       SYS_rt_sigreturn,
                              SYS_brk,   SYS_fstat,  SYS_newfstatat, SYS_clock_nanosleep};
  begin();
  std::vector<sock_filter> code = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const int call : kAllowed) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  const sock_fprog filter{.len = static_cast<unsigned short>(code.size()), .filter = code.data()};
  if (path[0] == 'a') launch_some(10);  // "after the first launch"
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) std::puts("no filter");
  launch_some(3000);
}

void run_locked_memory() {
  const rlimit little{.rlim_cur = 8 << 20, .rlim_max = 8 << 20};
  begin();
  setrlimit(RLIMIT_MEMLOCK, &little);
  if (setresuid(65534, 65534, 65534) != 0) std::puts("not root");
  std::printf("locked %d\n", mlockall(MCL_FUTURE));
  launch_some(100);
}

void run_stopped() {
  begin();
  launch_some(10);
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 5; ++i) {
      kill(self, SIGSTOP);
      usleep(20'000);
      kill(self, SIGCONT);
      usleep(5'000);
    }
    _exit(0);
  }
  for (int i = 0; i < 20; ++i) {
    launch_some(100);
    usleep(5'000);
  }
  wait_and_tell(child);
}

void run_crash() {
  begin();
  launch_some(10);
  std::fflush(stdout);
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);
  raise(SIGSEGV);
}

struct Mode {
  std::string_view name;
  void (*run)();
};
constexpr Mode kModes[] = {
    {"close_range", run_close_range},
    {"reuse_descriptors", run_reuse_descriptors},
    {"few_descriptors", run_few_descriptors},
    {"no_descriptors", run_no_descriptors},
    {"no_memory", run_no_memory},
    {"no_threads", run_no_threads},
    {"other_user", run_other_user},
    {"chroot", run_chroot},
    {"clear_environment", run_clear_environment},
    {"vfork", run_vfork},
    {"exec_other", run_exec_other},
    {"exec_bare", run_exec_bare},
    {"fork_beside", run_fork_beside},
    {"daemon", run_daemon},
    {"reopen", run_reopen},
    {"local", run_local},
    {"deep", run_deep},
    {"namespace", run_namespace},
    {"filtered", run_filtered},
    {"locked_memory", run_locked_memory},
    {"stopped", run_stopped},
    {"crash", run_crash},
};

}  // namespace

int main(int argc, char** argv) {
  program = argv[0];
  path = argc > 2 ? argv[2] : "/";
  for (const Mode& mode : kModes) {
    if (argc < 2 || mode.name != argv[1]) continue;
    mode.run();
    std::puts("done");
    std::fflush(stdout);
    return 7;
  }
  return 2;
}
