#include "record/ready/record_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "record/ready/launch_cost.h"
#include "record/session/command.h"

namespace tactus::record {
namespace {

namespace fs = std::filesystem;

CheckItem new_item(std::string name) {
  return {.purpose = CheckPurpose::kRecord, .item = std::move(name)};
}

/// What a command of the shell prints.
std::string output_of(const std::string& command) {
  std::string output;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "no shell";
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  return ::pclose(pipe) == 0 ? output : output + "failed";
}

CheckItem check_agent() {
  CheckItem item = new_item("recording agent");
  const Result<std::string> library = find_agent_library();
  if (!library) {
    item.state = CheckState::kMissing;
    item.found = library.error().message;
    item.fix = "install Tactus again";
    return item;
  }
  item.found = *library;
  if (library->find_first_of(" :'") != std::string::npos) {
    item.state = CheckState::kDenied;
    item.fix = "LD_PRELOAD cannot name a folder with a space or a colon; install Tactus elsewhere";
    return item;
  }
  const std::string complaint = output_of("LD_PRELOAD='" + *library + "' /bin/sh -c : 2>&1");
  if (complaint.empty()) {
    item.found += "; LD_PRELOAD works";
    return item;
  }
  item.state = CheckState::kDenied;
  item.found += "; LD_PRELOAD fails: " + complaint.substr(0, complaint.find('\n'));
  item.fix = "LD_PRELOAD is refused here: a secure mode, or another C library";
  return item;
}

CheckItem check_cost() {
  CheckItem item = new_item("cost of a recorded launch");
  const Result<LaunchCost> cost = measure_launch_cost();
  if (!cost) {
    item.state = CheckState::kMissing;
    item.found = "unknown: " + cost.error().message;
    item.fix = "see recording agent";
    return item;
  }
  item.found = fmt::format(
      "{:.0f} ns; {:.0f} ns with the agent inside and nobody recording (measured now, "
      "with a driver that does nothing)",
      cost->recorded_ns, cost->idle_ns);
  return item;
}

CheckItem check_host() {
  CheckItem item = new_item("host tracing (--host)");
  const Result<double> cost = measure_switch_cost();
  if (!cost) {
    item.state = CheckState::kDenied;
    item.found = cost.error().message;
    const std::size_t advice = item.found.find("; ");
    if (advice != std::string::npos) {
      item.fix = item.found.substr(advice + 2);
      item.found.resize(advice);
    }
    if (item.fix.empty()) item.fix = "see eBPF programs";
    return item;
  }
  item.found = fmt::format(
      "works; adds {:.0f} ns of processor time to a switch of threads (measured now)", *cost);
  return item;
}

}  // namespace

CheckItem check_ptrace(const std::string& root, bool is_administrator) {
  CheckItem item = new_item("attaching to a process (ptrace)");
  int scope = 0;
  if (!(std::ifstream(root + "/proc/sys/kernel/yama/ptrace_scope") >> scope)) {
    item.found = "no limit but the user (no Yama)";
    return item;
  }
  item.found = fmt::format("ptrace_scope is {}", scope);
  constexpr int kNobody = 3;
  if (scope == 0 || (is_administrator && scope < kNobody)) {
    if (scope != 0) item.found += ", and this process is above it";
    return item;
  }
  item.state = CheckState::kDenied;
  item.found += scope == 1 ? ": only children" : ": only administrators, or nobody";
  item.fix = scope < kNobody ? "sudo sysctl kernel.yama.ptrace_scope=0, or run with sudo; "
                               "record -- COMMAND needs none"
                             : "cannot be changed before a restart; record -- COMMAND needs none";
  return item;
}

CheckItem check_cupti(const std::string& root, const std::string& library_path) {
  CheckItem item = new_item("CUPTI");
  std::vector<std::string> folders;
  for (std::size_t at = 0; at < library_path.size();) {
    const std::size_t end = std::min(library_path.find(':', at), library_path.size());
    if (end > at) folders.push_back(library_path.substr(at, end - at));
    at = end + 1;
  }
  for (const char* folder : {"/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64",
                             "/usr/lib/x86_64-linux-gnu", "/usr/lib64"}) {
    folders.push_back(root + folder);
  }
  for (const char* parent : {"/usr/local", "/usr/local/lib", "/usr/lib", "/opt/venv/lib"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root + parent, error)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("cuda-")) folders.push_back(entry.path() / "extras/CUPTI/lib64");
      if (!name.starts_with("python3")) continue;
      for (const char* packages : {"dist-packages", "site-packages"}) {
        folders.push_back(entry.path() / packages / "nvidia/cuda_cupti/lib");
        folders.push_back(entry.path() / packages / "nvidia/cu13/lib");
      }
    }
  }
  for (const std::string& folder : folders) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (!entry.path().filename().string().starts_with("libcupti.so")) continue;
      item.found = entry.path().string();
      return item;
    }
  }
  item.state = CheckState::kMissing;
  item.found = "no libcupti.so in the folders of CUDA toolkits and Python packages";
  item.fix = "comes with the CUDA toolkit, or pip install nvidia-cuda-cupti; light mode needs none";
  return item;
}

void check_ready_to_record(std::vector<CheckItem>& items, const std::string& root) {
  items.push_back(check_agent());
  items.push_back(check_cost());
  items.push_back(check_host());
  items.push_back(check_ptrace(root, ::geteuid() == 0));
  const char* const path = std::getenv("LD_LIBRARY_PATH");
  items.push_back(check_cupti(root, path != nullptr ? path : ""));
}

}  // namespace tactus::record
