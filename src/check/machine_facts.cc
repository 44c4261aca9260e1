#include "check/machine_facts.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/candidate/candidate_build.h"
#include "bench/candidate/subprocess.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

constexpr double kPatienceSeconds = 30;

/// The text after `key` in the line that starts with it.
std::optional<std::string> line_after(const std::string& file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  return std::nullopt;
}

/// Without importing torch, which takes seconds.
constexpr const char* kAskForTorch = R"py(
import importlib.util, os, re
spec = importlib.util.find_spec("torch")
if spec and spec.origin:
    text = open(os.path.join(os.path.dirname(spec.origin), "version.py")).read()
    version = re.search(r"__version__.*?= *['\"]([^'\"]+)", text)
    cuda = re.search(r"^cuda.*?= *['\"]([^'\"]+)", text, re.M)
    print("torch", version.group(1) if version else "?", cuda.group(1) if cuda else "none")
)py";

void read_python(MachineFacts& facts) {
  facts.python.path = program_path("python3");
  if (facts.python.path.empty()) return;
  const Result<ProgramOutput> output =
      run_program({facts.python.path, "-c", kAskForTorch}, kPatienceSeconds);
  if (!output || output->exit_code != 0) return;
  std::istringstream words(output->text);
  std::string word;
  std::string version;
  std::string cuda;
  if (!(words >> word >> version >> cuda) || word != "torch") return;
  facts.torch = version + (cuda == "none" ? ", for the CPU" : ", CUDA " + cuda);
}

void read_temporary(const MachineRoots& roots, MachineFacts& facts) {
  std::error_code error;
  facts.temporary =
      roots.temporary.empty() ? fs::temp_directory_path(error).string() : roots.temporary;
  struct statvfs space {};
  if (statvfs(facts.temporary.c_str(), &space) != 0) return;
  facts.temporary_writable = access(facts.temporary.c_str(), W_OK | X_OK) == 0;
  facts.temporary_no_exec = (space.f_flag & ST_NOEXEC) != 0;
  facts.temporary_free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
}

/// 0, or why the kernel refuses.
int outcome(long descriptor) {
  if (descriptor < 0) return errno;
  close(static_cast<int>(descriptor));
  return 0;
}

/// Files say what is allowed; a sandbox may still deny it, so it is tried.
void try_kernel(RecordingFacts& facts) {
  perf_event_attr event{};
  event.type = PERF_TYPE_SOFTWARE;
  event.size = sizeof event;
  event.config = PERF_COUNT_SW_CPU_CLOCK;
  event.disabled = 1;
  facts.perf_error = outcome(syscall(SYS_perf_event_open, &event, -1, 0, -1, 0));
  bpf_attr map{};
  map.map_type = BPF_MAP_TYPE_ARRAY;
  map.key_size = 4;
  map.value_size = 4;
  map.max_entries = 1;
  facts.bpf_error = outcome(syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map));
}

}  // namespace

RecordingFacts read_recording(const MachineRoots& roots) {
  RecordingFacts facts;
  int paranoid = 0;
  if (std::ifstream(roots.proc + "/sys/kernel/perf_event_paranoid") >> paranoid) {
    facts.perf_paranoid = paranoid;
  }
  if (const auto mask = line_after(roots.proc + "/self/status", "CapEff:")) {
    facts.capabilities = std::strtoull(mask->c_str(), nullptr, 16);
  }
  std::error_code error;
  facts.btf = fs::exists(roots.sys + "/kernel/btf/vmlinux", error);
  if (const auto value =
          line_after(roots.proc + "/driver/nvidia/params", "RmProfilingAdminOnly:")) {
    facts.counters_for_admins_only = std::atoi(value->c_str()) != 0;
  }
  if (const auto value = line_after(roots.proc + "/self/limits", "Max locked memory")) {
    std::istringstream words(*value);
    std::string soft;
    words >> soft;
    if (soft != "unlimited") facts.locked_bytes = std::strtoull(soft.c_str(), nullptr, 10);
  }
  if (roots.proc == MachineRoots{}.proc) try_kernel(facts);
  return facts;
}

MachineFacts read_machine(const MachineRoots& roots) {
  MachineFacts facts;
  facts.driver = read_driver();
  const std::string control = roots.dev + "/nvidiactl";
  facts.device_files = access(control.c_str(), F_OK) == 0;
  facts.device_files_denied = facts.device_files && access(control.c_str(), R_OK | W_OK) != 0;
  facts.compilers = read_compilers(roots, /*try_nvcc=*/true);
  facts.recording = read_recording(roots);
  facts.cuda_library = cuda_library_path();
  read_python(facts);
  read_temporary(roots, facts);
  return facts;
}

}  // namespace tactus
