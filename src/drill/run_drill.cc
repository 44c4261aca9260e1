#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <random>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "drill/drill.h"
#include "inject/pace.h"

namespace tactus::drill {
namespace {

/// `tactus inject` as a process of its own. It ends when this process does: its standard input is
/// a pipe that only this process can keep open.
class InjectorProcess {
 public:
  static Result<InjectorProcess> start(std::vector<std::string> words) {
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    int err[2] = {-1, -1};
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0 ||
        ::pipe2(err, O_CLOEXEC) != 0) {
      return broke_error("cannot make a pipe: " + error_text(errno));
    }
    const File their_in(in[0]);
    const File their_out(out[1]);
    const File their_err(err[1]);
    InjectorProcess process;
    process.alive_ = File(in[1]);
    process.out_ = File(out[0]);
    process.err_ = File(err[0]);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    process.pid_ = ::fork();
    if (process.pid_ < 0) return broke_error("cannot start the injector: " + error_text(errno));
    if (process.pid_ == 0) {
      sigset_t none;
      sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(err[1], STDERR_FILENO);
      ::execv("/proc/self/exe", pointers.data());
      ::_exit(127);
    }
    ::fcntl(process.out_.fd(), F_SETFL, O_NONBLOCK);
    ::fcntl(process.err_.fd(), F_SETFL, O_NONBLOCK);
    return process;
  }

  /// True if it has ended.
  bool poll() {
    read_all(out_, output);
    read_all(err_, errors);
    if (code_) return true;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    read_all(out_, output);
    read_all(err_, errors);
    return true;
  }
  void end() {
    if (code_) return;
    ::kill(pid_, SIGTERM);
    alive_.close();
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    code_ = 128 + SIGTERM;
    read_all(out_, output);
  }

  std::string output;
  std::string errors;

 private:
  static void read_all(const File& from, std::string& into) {
    char piece[4096];
    for (ssize_t got = 0; (got = ::read(from.fd(), piece, sizeof piece)) > 0;) {
      into.append(piece, static_cast<std::size_t>(got));
    }
  }

  pid_t pid_ = -1;
  File alive_;
  File out_;
  File err_;
  std::optional<int> code_;
};

std::string without_name(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  constexpr std::string_view kName = "tactus: ";
  return text.starts_with(kName) ? text.substr(kName.size()) : text;
}

/// Goes through warmup, rests and injections while the recording goes on.
class Course {
 public:
  explicit Course(const DrillRequest& request) : request_(request) {
    for (const std::string& scenario : request.scenarios) {
      for (const double intensity : request.intensities) planned_.push_back({scenario, intensity});
    }
    if (request.repeat < 2) return;
    std::vector<Planned> once = std::move(planned_);
    planned_.clear();
    std::mt19937_64 random(request.seed);
    for (std::size_t round = 0; round < request.repeat; ++round) {
      // What the machine does by turns must not fall on the same scenario every time.
      for (std::size_t left = once.size(); left > 1; --left) {
        std::swap(once[left - 1], once[random() % left]);
      }
      planned_.insert(planned_.end(), once.begin(), once.end());
    }
  }

  record::BesideAnswer turn(const record::BesideMoment& moment) {
    record::BesideAnswer answer;
    answer.may_end = go_on(moment);
    for (const Injected& row : std::exchange(rows_, {})) {
      answer.notes.push_back(note_of(row, moment.origin_ns));
    }
    return answer;
  }

  std::size_t planned() const { return planned_.size(); }

 private:
  struct Planned {
    std::string scenario;
    double intensity = 0;
  };

  /// True if the drill is over.
  bool go_on(const record::BesideMoment& moment) {
    if (process_ && (moment.is_over || process_->poll())) {
      if (moment.is_over) process_->end();
      finish(moment);
    }
    if (moment.is_over || process_ || !is_warm(moment)) return false;
    if (inject::monotonic_ns() < next_ns_) return false;
    if (place_ < planned_.size()) {
      begin(moment);
      return false;
    }
    if (request_.stop && moment.pid > 0) ::kill(static_cast<pid_t>(moment.pid), SIGTERM);
    return true;
  }

  static std::int64_t in_ns(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

  /// Loading a model takes as long as it takes: the warmup begins with the first launch.
  bool is_warm(const record::BesideMoment& moment) {
    if (has_launched_) return true;
    if (moment.has_launched) {
      next_ns_ = inject::monotonic_ns() + in_ns(request_.warmup + request_.rest);
    } else if (request_.tell && !has_told_) {
      request_.tell("waiting for the first launch");
    }
    has_told_ = true;
    has_launched_ = moment.has_launched;
    return has_launched_;
  }

  void begin(const record::BesideMoment& moment) {
    const Planned& now = planned_[place_];
    std::vector<std::string> words = {"tactus",
                                      "inject",
                                      now.scenario,
                                      "--seconds",
                                      fmt::format("{:g}", request_.seconds),
                                      "--intensity",
                                      fmt::format("{:g}", now.intensity),
                                      "--shape",
                                      std::string(inject::shape_name(request_.shape)),
                                      "--json",
                                      "--quiet",
                                      "--until-eof"};
    if (now.scenario == "stall") {
      words.insert(words.end(), {"--pid", std::to_string(moment.pid)});
    }
    words.insert(words.end(), request_.inject_options.begin(), request_.inject_options.end());
    if (request_.tell) {
      request_.tell(fmt::format("injecting {} at {:g} for {:g} s ({} of {})", now.scenario,
                                now.intensity, request_.seconds, place_ + 1, planned_.size()));
    }
    Result<InjectorProcess> started = InjectorProcess::start(std::move(words));
    if (started) {
      process_ = std::move(*started);
      return;
    }
    add_refused(started.error().message, moment);
  }

  /// Of what is injected now.
  Injected row() const {
    Injected row;
    row.scenario = planned_[place_].scenario;
    row.intensity = planned_[place_].intensity;
    row.shape = inject::shape_name(request_.shape);
    row.rest_s = request_.rest;
    return row;
  }

  void add_refused(const std::string& why, const record::BesideMoment& moment) {
    Injected refused = row();
    refused.refused = why;
    refused.asked_ns = inject::wall_clock_ns() - moment.origin_ns;
    rows_.push_back(std::move(refused));
    if (request_.tell) request_.tell(why);
    ++place_;
    next_ns_ = inject::monotonic_ns();
  }

  /// The recorder finds out by itself what was injected; this is what the table needs besides.
  void finish(const record::BesideMoment& moment) {
    const Json said = Json::parse(process_->output);
    const std::string errors = without_name(process_->errors);
    process_.reset();
    const Json* dose = said.is_object() ? said.find("dose") : nullptr;
    if (dose == nullptr || !dose->is_object()) {
      return add_refused(errors.empty() ? "it ended before it began" : errors, moment);
    }
    Injected done = row();
    done.problem = said.text_at("problem");
    done.asked_ns = std::stoll(said.text_at("started_ns")) - moment.origin_ns;
    done.begin_ns = std::stoll(said.text_at("begin_ns")) - moment.origin_ns;
    done.end_ns = std::stoll(said.text_at("end_ns")) - moment.origin_ns;
    done.cores = dose->number_at("cores");
    if (dose->number_at("bytes").value_or(0) > 0) done.bytes_per_s = dose->number_at("bytes_per_s");
    rows_.push_back(std::move(done));
    ++place_;
    next_ns_ = inject::monotonic_ns() + in_ns(request_.rest);
  }

  const DrillRequest& request_;
  std::vector<Planned> planned_;
  std::vector<Injected> rows_;  ///< that are not in the recording yet
  std::size_t place_ = 0;
  bool has_launched_ = false;
  bool has_told_ = false;
  std::int64_t next_ns_ = 0;
  std::optional<InjectorProcess> process_;
};

}  // namespace

Result<DrillOutcome> run_drill(const DrillRequest& request) {
  Course course(request);
  record::RecordRequest recording;
  recording.output = request.folder + "/drill.tact";
  recording.overwrite = request.overwrite;
  recording.command = request.command;
  recording.tell = request.tell;
  recording.wishes.stacks = request.stacks;
  recording.beside = [&](const record::BesideMoment& moment) { return course.turn(moment); };
  Result<record::RecordAccount> account = record::record(recording);
  if (!account) return account.error();
  return DrillOutcome{.account = std::move(*account), .planned = course.planned()};
}

}  // namespace tactus::drill
