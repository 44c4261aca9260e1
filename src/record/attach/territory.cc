#include "record/attach/territory.h"

#include <algorithm>
#include <set>

#include "record/attach/module_file.h"

namespace tactus::record {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kMostCode = 64 << 20;

const std::vector<std::string_view> kWanted = {"pthread_create",   "pthread_detach", "pthread_self",
                                               "dlopen",           "dlsym",          "dlerror",
                                               "__errno_location", "malloc"};

bool is_c_library(const Mapping& mapping) {
  const std::string_view name = mapping.file_name();
  return name.starts_with("libc.so.6") || name.starts_with("libc-2.") ||
         name.starts_with("libpthread.so.0") || name.starts_with("libpthread-2.") ||
         name.starts_with("libdl.so.2") || name.starts_with("libdl-2.");
}

bool is_loader(const Mapping& mapping) {
  const std::string_view name = mapping.file_name();
  return name.starts_with("ld-linux") || name.starts_with("ld-2.");
}

std::string program_of(std::int64_t pid) {
  char target[4096];
  const ssize_t length =
      ::readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), target, sizeof target);
  return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : std::string();
}

}  // namespace

Result<Territory> Territory::explore(std::int64_t pid) {
  const std::string who = "process " + std::to_string(pid);
  Territory found(mappings_of(pid));
  if (found.mappings_.empty()) {
    return input_error(who + ": its memory may not be read: it belongs to another user");
  }
  const std::string program = program_of(pid);
  int c_libraries = 0;
  bool has_cuda = false;
  std::set<std::string> seen;
  for (const Mapping& mapping : found.mappings_) {
    if (mapping.is_code && mapping.file_name().starts_with("libc")) {
      c_libraries += is_c_library(mapping) ? 1 : 0;
    }
    has_cuda = has_cuda || mapping.file_name().starts_with("libcuda.so");
    if (mapping.is_code && !mapping.path.empty() && seen.insert(mapping.path).second) {
      found.add_functions(mapping, pid);
    }
  }
  // Such a program can have a second C library, which knows nothing of its threads.
  const std::string root = "/proc/" + std::to_string(pid) + "/root";
  if (c_libraries == 0 || !ModuleFile::open(root + program, {}).names_loader) {
    return input_error(who +
                       " is linked statically, or without the C library of GNU; nothing can be "
                       "loaded into it");
  }
  if (c_libraries > 1) {
    return input_error(who + " has more than one C library; nothing can be loaded into it");
  }
  if (!has_cuda) {
    return input_error(who + " has not loaded the CUDA driver (libcuda.so.1)");
  }
  for (const std::string_view name : kWanted) {
    if (found.function(name) == 0) {
      return input_error(who + ": its C library has no " + std::string(name));
    }
  }
  for (const std::string& path : found.allocators_) {
    if (path == program) {
      return input_error(who +
                         " has a malloc of its own in its program, which cannot be told from "
                         "the rest of it; nothing was loaded into it");
    }
  }
  found.find_signal_return(pid);
  return found;
}

void Territory::add_functions(const Mapping& code, std::int64_t pid) {
  const ModuleFile file =
      ModuleFile::open("/proc/" + std::to_string(pid) + "/root" + code.path, kWanted);
  for (const ModuleFile::Part& part : file.parts) {
    const std::uint64_t first = part.offset / kPageBytes * kPageBytes;
    if (!part.is_code || code.offset < first || code.offset >= part.offset + part.size) continue;
    // The page of the file at `code.offset` lies at `code.begin`.
    const std::uint64_t base = code.begin - code.offset + part.offset - part.address;
    code_ends_[code.path] = base + part.address + part.size;
    const bool is_of_c = is_c_library(code);
    for (const auto& [name, address] : file.functions) {
      if (is_of_c) functions_.emplace(name, base + address);
      if (!is_of_c && !is_loader(code) && name == "malloc") allocators_.push_back(code.path);
    }
    return;
  }
}

void Territory::find_signal_return(std::int64_t pid) {
  constexpr std::string_view kReturn("\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9);
  for (const Mapping& mapping : mappings_) {
    if (!mapping.is_code || !is_c_library(mapping) || mapping.end - mapping.begin > kMostCode) {
      continue;
    }
    std::string code(mapping.end - mapping.begin, '\0');
    if (!read_memory(pid, mapping.begin, code)) continue;
    const std::size_t at = code.find(kReturn);
    if (at != std::string::npos && signal_return_ == 0) signal_return_ = mapping.begin + at;
  }
}

std::uint64_t Territory::function(std::string_view name) const {
  const auto at = functions_.find(name);
  return at == functions_.end() ? 0 : at->second;
}

const Mapping* Territory::at(std::uint64_t address) const {
  const auto next =
      std::upper_bound(mappings_.begin(), mappings_.end(), address,
                       [](std::uint64_t a, const Mapping& mapping) { return a < mapping.begin; });
  if (next == mappings_.begin()) return nullptr;
  const Mapping& mapping = *std::prev(next);
  return mapping.has(address) ? &mapping : nullptr;
}

bool Territory::is_of_c_library(std::uint64_t address) const {
  const Mapping* mapping = at(address);
  if (mapping == nullptr) return false;
  if (is_c_library(*mapping) || is_loader(*mapping)) return true;
  // What a library needs beyond its file lies directly behind it, in memory without a name.
  if (!mapping->path.empty() || mapping == &mappings_.front()) return false;
  const Mapping* before = mapping - 1;
  return before->end == mapping->begin && (is_c_library(*before) || is_loader(*before));
}

bool Territory::is_of_allocator(std::uint64_t address) const {
  const Mapping* mapping = at(address);
  return mapping != nullptr &&
         std::find(allocators_.begin(), allocators_.end(), mapping->path) != allocators_.end();
}

std::optional<std::uint64_t> Territory::find_cave(std::int64_t pid, std::uint64_t bytes) const {
  constexpr std::uint64_t kApart = 64;
  for (const Mapping& mapping : mappings_) {
    const auto end = code_ends_.find(mapping.path);
    if (!mapping.is_code || mapping.is_writable || end == code_ends_.end()) continue;
    // Not the loader, which is in nobody's list of libraries until it is asked for.
    if (is_loader(mapping) || !mapping.has(end->second)) continue;
    const std::uint64_t begin = (end->second + kApart + 63) / 64 * 64;
    if (begin + bytes > mapping.end || mapping.end - begin > kPageBytes) continue;
    std::string content(mapping.end - begin, '\1');
    if (!read_memory(pid, begin, content)) continue;
    if (content.find_first_not_of('\0') == std::string::npos) return begin;
  }
  return std::nullopt;
}

std::uint64_t Territory::find_gap(std::uint64_t bytes) const {
  // Far below the highest mapping that does not grow.
  constexpr std::uint64_t kDistance = 1 << 20;
  for (auto mapping = mappings_.rbegin(); mapping + 1 != mappings_.rend(); ++mapping) {
    const std::uint64_t below = (mapping + 1)->end;
    if (mapping->is_special || mapping->begin - below < bytes + 2 * kDistance) {
      continue;
    }
    return (mapping->begin - kDistance - bytes) / kPageBytes * kPageBytes;
  }
  return 0;
}

}  // namespace tactus::record
