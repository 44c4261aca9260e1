#include "bench/candidate/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace tactus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostText = std::size_t{64} << 20;
constexpr int kCouldNotStart = 127;

struct Ends {
  int input;
  int output;
  int errors;
};

[[noreturn]] void become(const std::vector<std::string>& command, const std::string& folder,
                         const Ends& ends) {
  setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // a compiler then removes its temporary files
  dup2(ends.output, STDOUT_FILENO);
  dup2(ends.errors, STDERR_FILENO);
  if (ends.input >= 0) dup2(ends.input, STDIN_FILENO);
  if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(kCouldNotStart);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(kCouldNotStart);
}

/// Reads everything from the pipe until it is closed; false if that takes too long.
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

/// Makes lines from pieces of text.
class LineCutter {
 public:
  /// False if a line is longer than any answer.
  bool add(std::string_view piece, const std::function<void(std::string_view)>& line) {
    rest_.append(piece);
    std::size_t begin = 0;
    for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      if (end > begin) line(std::string_view(rest_).substr(begin, end - begin));
    }
    rest_.erase(0, begin);
    return rest_.size() < kMostText;
  }

 private:
  std::string rest_;
};

/// Why it was not read to the end; empty if it was.
std::string read_lines(int from, double patience_s,
                       const std::function<void(std::string_view)>& line) {
  LineCutter lines;
  char buffer[65536];
  while (true) {
    pollfd ready = {.fd = from, .events = POLLIN, .revents = 0};
    const int count = poll(&ready, 1, static_cast<int>(patience_s * 1000) + 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return fmt::format("was silent for {:.0f} s", patience_s);
    const ssize_t got = read(from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    if (!lines.add({buffer, static_cast<std::size_t>(got)}, line)) return "writes without end";
  }
}

/// Waits for a process that has closed its output; kills it if it continues for seconds.
int end_of(pid_t pid) {
  constexpr int kTries = 500;
  int status = 0;
  for (int i = 0; i < kTries; ++i) {
    if (waitpid(pid, &status, WNOHANG) != 0) return status;
    usleep(10000);
  }
  kill(-pid, SIGKILL);
  waitpid(pid, &status, 0);
  return status;
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Result<ProgramOutput> run_program(const std::vector<std::string>& command, double seconds,
                                  const std::string& folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return broke_error(fmt::format("cannot run {}: {}", command[0], std::strerror(errno)));
  }
  const pid_t pid = fork();
  if (pid == 0) {
    become(command, folder,
           {.input = open("/dev/null", O_RDONLY), .output = ends[1], .errors = ends[1]});
  }
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
  output.exit_code = exit_code_of(status);
  if (output.exit_code == kCouldNotStart && output.text.empty()) {
    return input_error(fmt::format("{} cannot be started: is it installed?", command[0]));
  }
  return output;
}

Result<int> run_line_program(const LineProgram& program,
                             const std::function<void(std::string_view)>& line) {
  const std::string& name = program.command[0];
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return broke_error(fmt::format("cannot run {}: {}", name, std::strerror(errno)));
  }
  const int input = open(program.input.c_str(), O_RDONLY | O_CLOEXEC);
  const int errors = open(program.errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const pid_t pid = input < 0 || errors < 0 ? -1 : fork();
  if (pid == 0) become(program.command, {}, {.input = input, .output = ends[1], .errors = errors});
  const int why = errno;
  close(ends[1]);
  if (input >= 0) close(input);
  if (errors >= 0) close(errors);
  if (pid < 0) {
    close(ends[0]);
    return broke_error(fmt::format("cannot run {}: {}", name, std::strerror(why)));
  }
  const std::string broken_off = read_lines(ends[0], program.patience_s, line);
  close(ends[0]);
  if (!broken_off.empty()) kill(-pid, SIGKILL);
  const int status = end_of(pid);
  kill(-pid, SIGKILL);  // processes that it may have left in its group
  if (!broken_off.empty()) {
    return broke_error(fmt::format("{} {} and was ended", name, broken_off));
  }
  const int code = exit_code_of(status);
  if (code == kCouldNotStart) return input_error(fmt::format("{} cannot be started", name));
  return code;
}

std::string program_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "" : path;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    std::string file = folders.substr(begin, end - begin) + "/" + name;
    if (end > begin && access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return {};
}

}  // namespace tactus
