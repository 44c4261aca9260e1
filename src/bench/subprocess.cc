#include "bench/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostText = std::size_t{64} << 20;
constexpr int kCouldNotStart = 127;

[[noreturn]] void become(const std::vector<std::string>& command, const std::string& folder,
                         int output) {
  setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // a compiler removes its temporary files then
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(kCouldNotStart);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(kCouldNotStart);
}

/// Everything that is written to the pipe until it is closed; false if that takes too long.
bool read_all(int from, double seconds, std::string& into) {
  const Clock::time_point begin = Clock::now();
  char buffer[65536];
  while (true) {
    const double left = seconds - std::chrono::duration<double>(Clock::now() - begin).count();
    if (left <= 0) return false;
    pollfd ready = {.fd = from, .events = POLLIN, .revents = 0};
    const int count = poll(&ready, 1, static_cast<int>(left * 1000) + 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    const ssize_t got = read(from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    if (into.size() < kMostText) into.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

Result<ProgramOutput> run_program(const std::vector<std::string>& command, double seconds,
                                  const std::string& folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return broke_error(fmt::format("cannot run {}: {}", command[0], std::strerror(errno)));
  }
  const pid_t pid = fork();
  if (pid == 0) become(command, folder, ends[1]);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return broke_error(fmt::format("cannot run {}: {}", command[0], std::strerror(errno)));
  }
  ProgramOutput output;
  const bool in_time = read_all(ends[0], seconds, output.text);
  close(ends[0]);
  if (!in_time) kill(-pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, 0);
  if (!in_time) {
    return broke_error(fmt::format("{} did not end within {:.0f} s", command[0], seconds));
  }
  output.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (output.exit_code == kCouldNotStart && output.text.empty()) {
    return input_error(fmt::format("{} cannot be started: is it installed?", command[0]));
  }
  return output;
}

std::string program_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "" : path;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string file = folders.substr(begin, end - begin) + "/" + name;
    if (end > begin && access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return {};
}

}  // namespace tactus
