#include "record/attach/process_memory.h"

#include <dirent.h>
#include <sys/uio.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace tactus::record {
namespace {

constexpr std::size_t kMostText = 64 << 20;

std::optional<std::string> text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  char part[4096];
  while (text.size() < kMostText && (file.read(part, sizeof part), file.gcount() > 0)) {
    text.append(part, static_cast<std::size_t>(file.gcount()));
  }
  return text;
}

std::string folder_of(std::int64_t pid) {
  return "/proc/" + std::to_string(pid);
}

/// Takes a number from the front of a text, and what ends it.
std::optional<std::uint64_t> take_number(std::string_view& text, int base, char end) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  const auto length = static_cast<std::size_t>(read.ptr - text.data());
  if (read.ec != std::errc() || length >= text.size() || text[length] != end) return std::nullopt;
  text.remove_prefix(length + 1);
  return value;
}

std::optional<Mapping> parse_mapping(std::string_view line) {
  Mapping mapping;
  const auto begin = take_number(line, 16, '-');
  const auto end = take_number(line, 16, ' ');
  if (!begin || !end || *begin >= *end || line.size() < 5) return std::nullopt;
  mapping.begin = *begin;
  mapping.end = *end;
  mapping.is_writable = line[1] == 'w';
  mapping.is_code = line[2] == 'x';
  line.remove_prefix(5);
  const auto offset = take_number(line, 16, ' ');
  if (!offset) return std::nullopt;
  mapping.offset = *offset;
  mapping.is_special = line.find(" [") != std::string_view::npos;
  if (const std::size_t path = line.find('/'); path != std::string_view::npos) {
    // In front of it are device and inode, without a slash.
    mapping.path = line.substr(path);
  }
  return mapping;
}

}  // namespace

std::vector<Mapping> parse_mappings(std::string_view text) {
  std::vector<Mapping> mappings;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (std::optional<Mapping> mapping = parse_mapping(text.substr(0, end))) {
      mappings.push_back(std::move(*mapping));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return mappings;
}

std::vector<Mapping> mappings_of(std::int64_t pid) {
  return parse_mappings(text_of_file(folder_of(pid) + "/maps").value_or(""));
}

ProcessStatus parse_status(std::string_view text) {
  ProcessStatus status;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "State:") words >> status.state;
    if (key == "TracerPid:") words >> status.tracer;
    if (key == "Seccomp:") words >> status.seccomp;
    if (std::int64_t real = 0; key == "Uid:") words >> real >> status.user;
  }
  return status;
}

std::optional<ProcessStatus> status_of(std::int64_t pid) {
  const std::optional<std::string> text = text_of_file(folder_of(pid) + "/status");
  return text ? std::optional(parse_status(*text)) : std::nullopt;
}

std::optional<KernelCall> parse_call(std::string_view text) {
  // "7 0x7ffc.. 0x1 0xffffffff 0x0 0x0 0x0 STACK PLACE", "-1 STACK PLACE" or "running"
  KernelCall call;
  if (text.starts_with("-1 ")) return call;
  const auto number = take_number(text, 10, ' ');
  const auto first = take_number(text, 16, ' ');
  const auto second = take_number(text, 16, ' ');
  if (!number || !first || !second) return std::nullopt;
  call.number = static_cast<std::int64_t>(*number);
  call.first = *first;
  call.second = *second;
  return call;
}

std::optional<KernelCall> call_of(std::int64_t pid, std::int64_t tid) {
  const auto text = text_of_file(folder_of(pid) + "/task/" + std::to_string(tid) + "/syscall");
  return text ? parse_call(*text) : std::nullopt;
}

std::vector<std::int64_t> threads_of(std::int64_t pid) {
  std::vector<std::int64_t> threads;
  DIR* open = ::opendir((folder_of(pid) + "/task").c_str());
  if (open == nullptr) return threads;
  while (const dirent* entry = ::readdir(open)) {
    if (entry->d_name[0] != '.') threads.push_back(std::strtoll(entry->d_name, nullptr, 10));
  }
  ::closedir(open);
  return threads;
}

bool read_memory(std::int64_t pid, std::uint64_t address, std::span<char> into) {
  const iovec here{.iov_base = into.data(), .iov_len = into.size()};
  const iovec there{.iov_base = reinterpret_cast<void*>(address), .iov_len = into.size()};
  return ::process_vm_readv(static_cast<pid_t>(pid), &here, 1, &there, 1, 0) ==
         static_cast<ssize_t>(into.size());
}

}  // namespace tactus::record
