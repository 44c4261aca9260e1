#include "inject/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace tactus::inject {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The number behind a word: "MemAvailable:   21142 kB".
std::optional<double> number_behind(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word);
  if (at == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(at + word.size()));
  double number = 0;
  if (!(rest >> number)) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> whole_number(const std::string& path) {
  const std::string text = text_of(path);
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || text.empty()) return std::nullopt;  // "max" is no limit
  return number;
}

struct Limit {
  std::uint64_t most = UINT64_MAX;
  std::uint64_t used = 0;
};

/// Of the container, by cgroup v2 or v1.
std::optional<Limit> container_limit(const std::string& root) {
  const std::string folder = root + "/sys/fs/cgroup/";
  for (const auto& [most, used] :
       {std::pair{"memory.max", "memory.current"},
        std::pair{"memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"}}) {
    const auto limit = whole_number(folder + most);
    const auto now = whole_number(folder + used);
    if (limit && now) return Limit{*limit, *now};
  }
  return std::nullopt;
}

/// The process and those that started it.
std::vector<std::int64_t> own_line(const std::string& root) {
  std::vector<std::int64_t> line = {::getpid()};
  while (line.back() > 1 && line.size() < 64) {
    const auto parent =
        number_behind(text_of(fmt::format("{}/proc/{}/status", root, line.back())), "PPid:");
    if (!parent) break;
    line.push_back(static_cast<std::int64_t>(*parent));
  }
  return line;
}

}  // namespace

std::optional<std::uint64_t> memory_free_now(const std::string& root) {
  const auto kib = number_behind(text_of(root + "/proc/meminfo"), "MemAvailable:");
  if (!kib) return std::nullopt;
  auto free = static_cast<std::uint64_t>(*kib * 1024);
  if (const auto limit = container_limit(root)) {
    free = std::min(free, limit->most > limit->used ? limit->most - limit->used : 0);
  }
  return free;
}

std::optional<double> memory_stalls(const std::string& root) {
  return number_behind(text_of(root + "/proc/pressure/memory"), "full avg10=");
}

Result<Machine> look_at_machine(const std::string& root) {
  Machine machine;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    return broke_error("cannot read which cores may be used");
  }
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed)) machine.cores.push_back(core);
  }
  const auto total = number_behind(text_of(root + "/proc/meminfo"), "MemTotal:");
  const auto free = memory_free_now(root);
  if (!total || !free) return broke_error(root + "/proc/meminfo: does not say what is free");
  machine.memory_total = static_cast<std::uint64_t>(*total * 1024);
  if (const auto limit = container_limit(root)) {
    machine.memory_total = std::min(machine.memory_total, limit->most);
  }
  machine.memory_free = *free;
  return machine;
}

std::string why_not_stop(std::int64_t pid, const std::string& root) {
  const std::string folder = fmt::format("{}/proc/{}", root, pid);
  struct stat owner {};
  if (::stat(folder.c_str(), &owner) != 0) return "there is no such process";
  if (pid == 1) return "it is the first process";
  if (owner.st_uid != ::geteuid()) return "it belongs to another user";
  if (text_of(folder + "/cmdline").empty()) return "it is not a program";
  const std::vector<std::int64_t> line = own_line(root);
  if (std::find(line.begin(), line.end(), pid) != line.end()) {
    return "it started this command, and would stop it, too";
  }
  const std::string status = text_of(folder + "/status");
  const std::size_t state = status.find("State:\t");
  if (state != std::string::npos && status.compare(state + 7, 1, "T") == 0) {
    return "it is stopped already";
  }
  return "";
}

}  // namespace tactus::inject
