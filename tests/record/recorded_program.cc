#include "record/recorded_program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "support/paths.h"

namespace tactus::testing {
namespace {

int code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string as_json(std::string text) {  // "1,2,3" to "[1,2,3]"
  return "[" + text + "]";
}

}  // namespace

Ended run_command(const std::string& command) {
  Ended ended;
  const std::string line = "export LD_LIBRARY_PATH=" TACTUS_STANDIN "; " + command + " 2>/dev/null";
  FILE* output = popen(line.c_str(), "r");
  if (output == nullptr) return {.code = -1, .out = "popen failed"};
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) {
    ended.out += static_cast<char>(c);
  }
  ended.code = code_of(pclose(output));
  return ended;
}

int start_command(const std::vector<std::string>& words,
                  const std::vector<std::string>& environment) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  setenv("LD_LIBRARY_PATH", TACTUS_STANDIN, 1);
  for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDERR_FILENO);
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  _exit(127);
}

int wait_for(int pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return -1;
  return code_of(status);
}

bool wait_until(const std::function<bool()>& is_so) {
  for (int i = 0; i < 2000; ++i) {
    if (is_so()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::string record_to(const std::string& file, const std::string& options) {
  return TACTUS_TOOL " record -q --force -o " + file + " " + options + " -- ";
}

std::string program(const std::string& name) {
  return TACTUS_TEST_PROGRAMS "/" + name;
}

Log read_log(const std::string& path) {
  Log log;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::int64_t pid = 0;
    std::int64_t tid = 0;
    std::int64_t stream = 0;
    LoggedWork work;
    std::string shared;
    words >> pid >> tid >> stream >> work.what >> work.name >> work.grid >> work.block >> shared >>
        work.hash;
    work.grid = as_json(work.grid);
    work.block = as_json(work.block);
    log[{pid, stream}].push_back(work);
  }
  return log;
}

std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::string>> recorded_launches(
    const Run& run) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::string>> launches;
  const auto text = [&](std::size_t row, std::string_view key) {
    const std::optional<Value> value = run.arg(run.slices, row, key);
    return value ? std::string(run.strings[StringId(static_cast<std::uint64_t>(value->raw))])
                 : std::string();
  };
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    const std::optional<Value> stream = run.arg(run.slices, row, "stream");
    if (!run.arg(run.slices, row, "kernel") || !stream) continue;
    const auto track = static_cast<std::size_t>(run.slices.track()[row]);
    const Thread& thread = run.threads[run.tracks[track].thread.value];
    const std::int64_t pid = run.processes[thread.process.value].pid.value;
    launches[{pid, stream->raw}].push_back(text(row, "kernel") + " " + text(row, "grid") + " " +
                                           text(row, "block"));
  }
  return launches;
}

std::size_t count_of(const Run& run, std::string_view name) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < run.slices.size(); ++row) {
    const auto id = static_cast<std::uint64_t>(run.slices.name()[row]);
    count += run.strings[StringId(id)] == name ? 1 : 0;
  }
  return count;
}

}  // namespace tactus::testing
