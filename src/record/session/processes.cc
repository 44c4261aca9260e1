#include "record/session/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>

#include "wire/segment.h"

namespace tactus::record {
namespace {

constexpr std::size_t kMostProcesses = 10'000;

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(4096, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  DIR* open = ::opendir(folder.c_str());
  if (open == nullptr) return names;
  while (const dirent* entry = ::readdir(open)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  ::closedir(open);
  return names;
}

}  // namespace

std::string thread_name(std::int64_t pid, std::uint32_t tid, const std::string& proc) {
  std::string text =
      read_text(proc + "/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/comm");
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string process_command(std::int64_t pid, const std::string& proc) {
  const std::string folder = proc + "/" + std::to_string(pid);
  std::string text = read_text(folder + "/cmdline");
  while (!text.empty() && text.back() == '\0') text.pop_back();
  if (text.empty()) text = read_text(folder + "/comm");
  if (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

std::int64_t parent_of(std::int64_t pid, const std::string& proc) {
  std::istringstream status(read_text(proc + "/" + std::to_string(pid) + "/status"));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("PPid:")) return std::strtoll(line.c_str() + 5, nullptr, 10);
  }
  return 0;
}

std::vector<std::int64_t> with_descendants(std::int64_t pid, const std::string& proc) {
  std::vector<std::int64_t> found = {pid};
  for (std::size_t i = 0; i < found.size() && found.size() < kMostProcesses; ++i) {
    const std::string tasks = proc + "/" + std::to_string(found[i]) + "/task";
    for (const std::string& task : names_in(tasks)) {
      std::istringstream children(read_text(tasks + "/" + task + "/children"));
      for (std::int64_t child = 0; children >> child;) found.push_back(child);
    }
  }
  return found;
}

bool may_look_into(std::int64_t pid, const std::string& proc) {
  DIR* open = ::opendir((proc + "/" + std::to_string(pid) + "/fd").c_str());
  if (open == nullptr) return errno != EACCES && errno != EPERM;
  ::closedir(open);
  return true;
}

std::optional<Arrival> find_agent(std::int64_t pid, const std::string& proc) {
  const std::string folder = proc + "/" + std::to_string(pid) + "/fd";
  const std::string data_name = std::string("/memfd:") + wire::kDataName + " (deleted)";
  const std::string control_name = std::string("/memfd:") + wire::kControlName + " (deleted)";
  Arrival arrival;
  arrival.pid = pid;
  for (const std::string& name : names_in(folder)) {
    const std::string path = folder + "/" + name;
    char target[256];
    const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
    if (length <= 0) continue;
    const std::string_view text(target, static_cast<std::size_t>(length));
    if (text == data_name) {
      arrival.data = File(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    } else if (text == control_name) {
      arrival.control = File(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    }
  }
  if (!arrival.data.is_open() || !arrival.control.is_open()) return std::nullopt;
  wire::Header header;
  constexpr std::size_t kStart = offsetof(wire::Header, has_no_hooks);
  if (::pread(arrival.data.fd(), static_cast<void*>(&header), kStart, 0) !=
          static_cast<ssize_t>(kStart) ||
      header.magic != wire::kMagic) {
    return std::nullopt;
  }
  return arrival;
}

}  // namespace tactus::record
