#include "bench/worker/child_setup.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus {
namespace {

void close_descriptors_but(int kept) {
  const auto line = static_cast<unsigned>(kept);
  if (line > 3) syscall(SYS_close_range, 3U, line - 1, 0U);
  syscall(SYS_close_range, line + 1, ~0U, 0U);
}

/// Nothing that it starts gets more rights than it has; and of a superuser's it has none, so it
/// cannot look into other processes.
void give_up_rights() {
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // its parent may look into it
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  syscall(SYS_capset, &header, none);
}

}  // namespace

void clean_environment() {
  constexpr std::array kKept = {"PATH",     "LD_LIBRARY_PATH", "LANG",      "LC_ALL",
                                "TZ",       "TMPDIR",          "CUDA_HOME", "CUDA_VISIBLE_DEVICES",
                                "CUDA_PATH"};
  std::vector<std::pair<std::string, std::string>> kept;
  for (const char* name : kKept) {
    if (const char* value = std::getenv(name)) kept.emplace_back(name, value);
  }
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    for (const std::string_view prefix : {"ASAN_", "TSAN_", "UBSAN_", "LSAN_", "TACTUS_FAKE_"}) {
      if (!text.starts_with(prefix)) continue;
      const std::size_t equals = text.find('=');
      if (equals == std::string_view::npos) continue;
      kept.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  clearenv();
  for (const auto& [name, value] : kept) setenv(name.c_str(), value.c_str(), 1);
  setenv("OMP_WAIT_POLICY", "passive", 1);
  setenv("GOMP_SPINCOUNT", "0", 1);
  setenv("KMP_BLOCKTIME", "0", 1);
}

void settle_worker(pid_t parent, int output, int socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  setpgid(0, 0);
  const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  // Output that the parent has buffered must not be written by the worker.
  __fpurge(stdout);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  close_descriptors_but(socket);
  give_up_rights();
}

}  // namespace tactus
