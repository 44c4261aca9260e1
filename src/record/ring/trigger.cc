#include "record/ring/trigger.h"

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "base/file.h"
#include "record/session/processes.h"

namespace tactus::record {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> words_of(std::int64_t pid, const std::string& proc) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text_of(proc + "/" + std::to_string(pid) + "/cmdline")) {
    if (c != '\0') {
      word += c;
      continue;
    }
    words.push_back(std::move(word));
    word.clear();
  }
  return words;
}

/// The value of a line of /proc/PID/status: "PPid:\t123".
std::string status_of(std::int64_t pid, const std::string& key, const std::string& proc) {
  std::ifstream status(proc + "/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(key + ":")) continue;
    const std::size_t value = line.find_first_not_of(" \t", key.size() + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

std::optional<std::int64_t> number_of(const std::string& text, int base = 10) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (read.ec != std::errc{}) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

/// A `tactus record --ring` that reads the signal: for any other program, it could be the end.
bool is_recorder(std::int64_t pid, const std::string& proc) {
  const std::vector<std::string> words = words_of(pid, proc);
  bool records = false;
  bool has_ring = false;
  for (const std::string& word : words) {
    if (word == "--") break;
    records = records || word == "record";
    has_ring = has_ring || word == "--ring" || word.starts_with("--ring=");
  }
  const std::optional<std::int64_t> blocked = number_of(status_of(pid, "SigBlk", proc), 16);
  return records && has_ring && blocked && (*blocked >> (SIGUSR1 - 1) & 1) != 0;
}

bool records_pid(std::int64_t recorder, std::int64_t pid, const std::string& proc) {
  const std::vector<std::string> words = words_of(recorder, proc);
  const std::string number = std::to_string(pid);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--pid=" + number) return true;
    if (words[i] == "--pid" && i + 1 < words.size() && words[i + 1] == number) return true;
  }
  return false;
}

/// The recorder itself, one that started the process, or one that was attached to it or to one of
/// its parents.
std::optional<std::int64_t> find_recorder(std::int64_t pid, const std::string& proc) {
  std::vector<std::int64_t> line;  // the process and its parents
  for (std::int64_t at = pid; at > 1 && line.size() < 100;) {
    if (is_recorder(at, proc)) return at;
    line.push_back(at);
    at = parent_of(at, proc);
  }
  DIR* const folder = ::opendir(proc.c_str());
  if (folder == nullptr) return std::nullopt;
  std::optional<std::int64_t> found;
  while (const dirent* entry = ::readdir(folder)) {
    const std::optional<std::int64_t> candidate = number_of(entry->d_name);
    if (!candidate || found || !is_recorder(*candidate, proc)) continue;
    for (const std::int64_t target : line) {
      if (records_pid(*candidate, target, proc)) found = candidate;
    }
  }
  ::closedir(folder);
  return found;
}

}  // namespace

Result<std::int64_t> trigger(std::int64_t pid, const std::string& proc) {
  const std::optional<std::int64_t> recorder = find_recorder(pid, proc);
  if (!recorder) {
    return input_error("--trigger " + std::to_string(pid) +
                       ": no tactus record --ring has this number or records this process");
  }
  if (::kill(static_cast<pid_t>(*recorder), SIGUSR1) != 0) {
    return input_error("--trigger " + std::to_string(pid) + ": recorder " +
                       std::to_string(*recorder) + ": " + error_text(errno));
  }
  return *recorder;
}

}  // namespace tactus::record
