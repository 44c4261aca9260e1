#include "record/attach/load_agent.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "record/attach/send_thread.h"
#include "record/attach/territory.h"
#include "record/attach/trampoline.h"
#include "record/session/processes.h"

namespace tactus::record {
namespace {

using LoadClock = std::chrono::steady_clock;
constexpr auto kLongestLoad = std::chrono::seconds(10);
constexpr auto kLookAgain = std::chrono::milliseconds(5);

std::string name_of_process(std::int64_t pid) {
  return "process " + std::to_string(pid);
}

/// What can be said without touching it.
Status check_process(std::int64_t pid, const std::string& library) {
  const std::optional<ProcessStatus> status = status_of(pid);
  if (!status) return input_error(name_of_process(pid) + ": there is no such process");
  if (::geteuid() != 0 && status->user != ::geteuid()) {
    return input_error(name_of_process(pid) +
                       " belongs to another user; --inject needs the same user, or root");
  }
  if (status->tracer != 0) {
    return input_error(name_of_process(pid) + " is traced by process " +
                       std::to_string(status->tracer) +
                       " (a debugger or strace); --inject cannot trace it as well");
  }
  if (status->state == 'T' || status->state == 't') {
    return input_error(name_of_process(pid) + " is stopped; continue it first: kill -CONT " +
                       std::to_string(pid));
  }
  if (status->state == 'Z' || status->state == 'X')
    return input_error(name_of_process(pid) + " has ended");
  if (status->seccomp == 1) {
    return input_error(name_of_process(pid) +
                       " may make no calls of the kernel (seccomp); nothing was loaded");
  }
  std::error_code error;
  const std::string seen = "/proc/" + std::to_string(pid) + "/root" + library;
  if (!std::filesystem::exists(seen, error)) {
    return input_error(name_of_process(pid) + " does not see " + library +
                       " (a container?); put the file there under the same path");
  }
  return {};
}

/// The page stays until the agent is loaded, or for good if that failed.
Status why_not_loaded(std::int64_t pid, std::uint64_t scratch) {
  wire::InjectedPage page{};
  if (!read_memory(pid, scratch, std::span(reinterpret_cast<char*>(&page), sizeof page))) return {};
  if (page.state == wire::InjectedState::kNoThread) {
    return input_error(name_of_process(pid) + " could not start a thread for the agent: " +
                       error_text(static_cast<int>(page.result)));
  }
  if (page.state == wire::InjectedState::kNotLoaded) {
    page.text[sizeof page.text - 1] = '\0';
    return input_error(name_of_process(pid) + " could not load the agent: " + page.text);
  }
  return {};
}

Status wait_for_agent(std::int64_t pid, std::uint64_t scratch,
                      const std::function<bool()>& should_stop) {
  const LoadClock::time_point end = LoadClock::now() + kLongestLoad;
  while (LoadClock::now() < end) {
    if (should_stop()) {
      return input_error("interrupted while the agent was being loaded into " +
                         name_of_process(pid) + ", which runs on; it may still start there");
    }
    if (find_agent(pid)) return {};
    if (Status failed = why_not_loaded(pid, scratch); !failed) return failed;
    if (!status_of(pid)) return input_error(name_of_process(pid) + " has ended");
    std::this_thread::sleep_for(kLookAgain);
  }
  return input_error(name_of_process(pid) +
                     ": the agent did not start in time; it may still do so");
}

}  // namespace

bool has_cuda(std::int64_t pid) {
  for (const Mapping& mapping : mappings_of(pid)) {
    if (mapping.file_name().starts_with("libcuda.so")) return true;
  }
  return false;
}

Status load_agent(std::int64_t pid, const std::string& library,
                  const std::function<bool()>& should_stop) {
  if (Status status = check_process(pid, library); !status) return status;
  const Result<Territory> territory = Territory::explore(pid);
  if (!territory) return territory.error();
  const std::uint64_t scratch = territory->find_gap(kScratchBytes);
  const Result<Trampoline> trampoline = Trampoline::make(*territory, library, scratch);
  if (!trampoline) return trampoline.error();
  const std::optional<std::uint64_t> cave = territory->find_cave(pid, trampoline->bytes.size());
  if (!cave || scratch == 0) {
    return input_error(name_of_process(pid) + " has no room for the agent's first steps");
  }
  if (Status sent = send_thread(pid, *territory, *trampoline, *cave, should_stop); !sent) {
    return sent;
  }
  return wait_for_agent(pid, scratch, should_stop);
}

}  // namespace tactus::record
