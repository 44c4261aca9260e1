#include "record/session/command.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

extern char** environ;

namespace tactus::record {
namespace {

/// The program's environment with some variables changed.
std::vector<std::string> changed_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> all = changes;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('=') + 1);
    bool is_changed = false;
    for (const std::string& change : changes) is_changed = is_changed || change.starts_with(name);
    if (!is_changed) all.push_back(text);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// In the child: everything as it was before Tactus changed it.
[[noreturn]] void become(char** command, char** environment, const sigset_t& blocked, int report) {
  sigprocmask(SIG_SETMASK, &blocked, nullptr);
  std::signal(SIGXFSZ, SIG_DFL);
  environ = environment;
  execvp(command[0], command);
  const int error = errno;
  const ssize_t written = write(report, &error, sizeof error);
  _exit(written == sizeof error ? kNotFound : kCannotRun);
}

}  // namespace

Result<StartedCommand> StartedCommand::start(const std::vector<std::string>& command,
                                             const std::vector<std::string>& environment,
                                             const sigset_t* blocked) {
  std::vector<std::string> words = command;
  std::vector<std::string> variables = changed_environment(environment);
  const std::vector<char*> word_pointers = pointers(words);
  const std::vector<char*> variable_pointers = pointers(variables);
  sigset_t none;
  sigemptyset(&none);
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return broke_error("cannot make a pipe: " + error_text(errno));
  const File from(ends[0]);
  File to(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) return broke_error("cannot start " + command[0] + ": " + error_text(errno));
  if (pid == 0) {
    become(const_cast<char**>(word_pointers.data()), const_cast<char**>(variable_pointers.data()),
           blocked != nullptr ? *blocked : none, to.fd());
  }
  to.close();
  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(from.fd(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof error) {
    waitpid(pid, nullptr, 0);
    return Error{error == ENOENT ? ErrorCode::kInput : ErrorCode::kUsage,
                 "cannot run " + command[0] + ": " + error_text(error)};
  }
  return StartedCommand(pid);
}

std::optional<int> StartedCommand::poll() {
  if (status_) return status_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_) {
    constexpr int kSignalled = 128;
    status_ = WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return status_;
}

void StartedCommand::forward(int signal) const {
  if (!status_) ::kill(pid_, signal);
}

Result<std::string> find_agent_library() {
  namespace fs = std::filesystem;
  constexpr const char* kLibrary = "libtactus-agent.so";
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path();
  for (const fs::path& path : {folder / kLibrary, folder / ".." / "lib" / "tactus" / kLibrary}) {
    const fs::path found = fs::canonical(path, error);
    if (!error) return found.string();
  }
  return broke_error(std::string(kLibrary) + " is neither beside " + program.string() +
                     " nor in ../lib/tactus; install Tactus again");
}

}  // namespace tactus::record
