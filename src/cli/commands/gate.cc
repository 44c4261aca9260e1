#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "cli/command.h"
#include "cli/inputs/open_run.h"
#include "cli/report_files.h"
#include "cli/terminal.h"
#include "gate/groups.h"
#include "gate/serve.h"
#include "views/gate/gate_view.h"
#include "views/gate/groups_view.h"
#include "views/gate/replay_view.h"

namespace tactus::cli {
namespace {

class GateCommand final : public Command {
 public:
  std::string name() const override { return "gate"; }
  std::string description() const override {
    return "Hold launches of one class of work for a moment, so that another is not late";
  }
  std::string details() const override {
    return "Starts COMMAND with a small library inside, through which every launch goes. A policy "
           "says which class of launches waits: decode before prefill, a share per class, a "
           "target for the time between tokens. A launch is never dropped, changed or reordered; "
           "it waits for max_hold (20 ms) at most, and a class for half of any second at most. "
           "If the gate dies or hangs, everything is open. Without COMMAND, `serve` is the gate "
           "for programs that are started with LD_PRELOAD=$(tactus record --print-agent) and "
           "TACTUS_GATE=1, or by tactus gate --tag TAG -- COMMAND. Ends with the exit code of "
           "COMMAND, or with 125 if the gate failed.";
  }
  std::string examples() const override {
    return "  tactus gate serve --policy priority                # in one terminal\n"
           "  tactus gate --tag prefill -- python prefill.py     # in two others\n"
           "  tactus gate --tag decode -- python decode.py\n"
           "  tactus gate status                                 # what was held; top: every "
           "second\n"
           "  tactus gate --policy slo.toml -- vllm serve MODEL  # one server, both phases\n"
           "  # this process is not held any more; attach: it is again\n"
           "  tactus gate detach 4711\n"
           "  tactus gate stop                                   # all is open again; programs run "
           "on\n"
           "  tactus gate check --policy slo.toml                # is the file fine? names the "
           "line if not\n"
           "  tactus gate groups RUN -o groups.txt               # which kernels follow others\n"
           "  tactus gate --policy slo --groups groups.txt -- python serve.py\n"
           "  tactus gate explain RUN --policy slo               # what would be held, and the "
           "bound\n"
           "  tactus gate simulate RUN --policy slo              # what it would have made of "
           "RUN\n";
  }

  void add_options(Options& options) override {
    options
        .add(
            "WHAT", what_,
            "without COMMAND: be the gate, show what it does, let a process go or take it back, "
            "end it, check a policy file, write the launch groups of a recording for --groups, say "
            "what a policy would do with a recording, or simulate it:")
        .choices({"serve", "status", "top", "attach", "detach", "stop", "check", "groups",
                  "explain", "simulate"});
    options.add(
        "WHICH", which_,
        "the process to attach or detach, or the recording of groups, explain and simulate");
    options.add("COMMAND", request_.command, "the program to start").rest();
    options
        .add("--policy", policy_,
             "a policy: open, priority, share, slo, window, or a file (default: open)")
        .type_name("FILE|NAME")
        .suggestions(gate::policy_names())
        .not_empty();
    options.add("--tag", request_.tag, "the tag of the processes of COMMAND, for classes")
        .type_name("TAG");
    options
        .add("--groups", groups_,
             "kernels that are never held because they follow the head of their launch group")
        .file();
    options
        .add("--changes", changes_,
             "write when the classes were opened and closed into this file, at the end")
        .file();
    options
        .add("--tags", tags_,
             "explain, simulate: the tags that processes of the recording would have had")
        .type_name("PID=TAG");
    options
        .add("--sharing", sharing_,
             "simulate: kernels one after the other as they are ready, processes by turns, or "
             "kernels of several processes at the same time (default: as the recording shows it):")
        .choices({"kernels", "slices", "side-by-side"});
    options.add("-o,--output", output_, "the file that groups writes (default: standard output)")
        .file();
    options.add("--force", force_, "overwrite the output file");
    options.add("--json", json_, "print as JSON");
  }

  Result<int> run(const CommonOptions& common) override {
    if (Status status = check_arguments(); !status) return status.error();
    if (what_ == "status" || what_ == "top") return show();
    if (what_ == "attach") return tell(wire::kGateAttach);
    if (what_ == "detach") return tell(wire::kGateDetach);
    if (what_ == "stop") return tell(wire::kGateStop);
    if (what_ == "groups") return write_groups(common);
    if (!policy_.empty()) {
      Result<gate::Policy> policy = gate::find_policy(policy_);
      if (!policy) return policy.error();
      if (what_ == "check") {
        if (Status status = print(policy_ + ": this policy is fine\n"); !status) {
          return status.error();
        }
        return kDone;
      }
      request_.policy = std::move(*policy);
    }
    if (Status status = add_groups(); !status) return status.error();
    if (what_ == "explain" || what_ == "simulate") return replay(common);
    return serve(common);
  }

 private:
  Status check_arguments() const {
    const bool has_command = !request_.command.empty();
    if (has_command && !what_.empty())
      return usage_error("give " + what_ + " or a program, not both");
    if (!has_command && what_.empty()) {
      return usage_error(
          "give a program behind --, or what to do: tactus gate serve --policy priority");
    }
    if ((what_ == "attach" || what_ == "detach") && !pid()) {
      return usage_error("give the number of a process: tactus gate " + what_ + " 4711");
    }
    if (what_ == "groups" && which_.empty()) {
      return usage_error("give a recording: tactus gate groups RUN -o groups.txt");
    }
    if (json_ && output_ == kStandardOutput) {
      return usage_error("-o -: --json prints its document there; give a file, or leave one out");
    }
    if ((what_ == "explain" || what_ == "simulate") && (which_.empty() || policy_.empty())) {
      return usage_error("give a recording and a policy: tactus gate " + what_ +
                         " RUN --policy slo");
    }
    if (!groups_.empty() && policy_.empty()) return usage_error("--groups needs --policy");
    if (!changes_.empty() && policy_.empty()) return usage_error("--changes needs --policy");
    if (what_ == "check" && policy_.empty())
      return usage_error("give the policy with --policy FILE");
    if (request_.tag.size() > 60) return usage_error("--tag: a tag has 60 bytes at most");
    return {};
  }

  std::optional<std::int64_t> pid() const {
    const Result<double> number = read_option_number("process " + which_, which_, 1, 4194304);
    if (which_.empty() || !number) return std::nullopt;
    return static_cast<std::int64_t>(*number);
  }

  Status add_groups() {
    if (groups_.empty() || !request_.policy) return {};
    const Result<File> file = File::open_for_reading(groups_);
    if (!file) return file.error();
    std::string text(1 << 20, '\0');
    const Result<std::size_t> size = file->read(text.data(), text.size(), groups_);
    if (!size) return size.error();
    text.resize(*size);
    Result<std::vector<std::uint64_t>> members = gate::read_groups(text, groups_);
    if (!members) return members.error();
    request_.policy->members = std::move(*members);
    return {};
  }

  Result<int> write_groups(const CommonOptions& common) const {
    const Result<Run> run = open_for_reading(which_, common);
    if (!run) return run.error();
    const gate::GroupMembers members = gate::group_members(report_kernels(*run, KernelQuestion()));
    if (const Status status = run->status(); !status) return status.error();
    const std::string text = gate::groups_text(members, which_);
    const bool to_file = !output_.empty() && output_ != kStandardOutput;
    if (to_file) {
      if (Status written = write_report(output_, text, force_); !written) return written.error();
    }
    const std::optional<std::string> file = to_file ? std::optional(output_) : std::nullopt;
    if (json_ || !to_file) {
      const Status printed = print(json_ ? groups_json(members, *run, file) : text);
      if (!printed) return printed.error();
    }
    return kDone;
  }

  Result<int> serve(const CommonOptions& common) {
    request_.keeps_changes = !changes_.empty();
    const Result<gate::ServeEnd> end = gate::serve(request_);
    if (!end) {
      if (request_.command.empty()) return end.error();
      print_error(end.error().message);
      return code_of_failed_start(end.error());
    }
    if (Status status = write_changes(end->changes); !status) return status.error();
    if (end->status && json_) {
      if (Status status = print(show_gate(*end->status, true, 0)); !status) return status.error();
    } else if (end->status && !common.quiet) {
      // Standard output belongs to the command.
      std::fputs(show_gate(*end->status, false, error_columns()).c_str(), stderr);
    }
    return end->exit_code.value_or(kDone);
  }

  /// "4711=decode"
  Result<gate::ProcessTags> read_tags() const {
    gate::ProcessTags out;
    for (const std::string& text : tags_) {
      const std::size_t at = text.find('=');
      const Result<double> number =
          read_option_number("--tags " + text, text.substr(0, at), 0, 9e15);
      if (!number) return number.error();
      if (at == std::string::npos || at + 1 == text.size()) {
        return usage_error("--tags " + text + ": write PID=TAG, e.g. 4711=decode");
      }
      out[static_cast<std::int64_t>(*number)] = text.substr(at + 1);
    }
    return out;
  }

  Result<int> replay(const CommonOptions& common) const {
    const Result<gate::ProcessTags> tags = read_tags();
    if (!tags) return tags.error();
    const Result<Run> run = open_for_reading(which_, common);
    if (!run) return run.error();
    gate::Policy policy = *request_.policy;
    if (groups_.empty() && policy.members.empty()) policy.members = members_of(*run);
    std::string text;
    if (what_ == "explain" && run->kernel_summary) {
      text = show_policy(gate::explain_policy(*run->kernel_summary, policy), *run, json_);
    } else {
      const Result<gate::LaunchTrace> trace = gate::read_launches(*run, policy, *tags);
      if (!trace) return input_error(which_ + ": " + trace.error().message);
      text = what_ == "explain"
                 ? show_policy(gate::explain_policy(*run, *trace, policy), *run, json_)
                 : show_simulation(gate::simulate_run(*trace, policy, sharing()), *run, json_);
    }
    if (const Status status = run->status(); !status) return status.error();
    if (Status status = print(text); !status) return status.error();
    return kDone;
  }

  /// As groups would write them for --groups.
  static std::vector<std::uint64_t> members_of(const Run& run) {
    return gate::member_hashes(gate::group_members(report_kernels(run, KernelQuestion())));
  }

  std::optional<gate::Sharing> sharing() const {
    if (sharing_.empty()) return std::nullopt;
    if (sharing_ == "slices") return gate::Sharing::kSlices;
    return sharing_ == "kernels" ? gate::Sharing::kKernels : gate::Sharing::kSideBySide;
  }

  Status write_changes(const std::vector<gate::Change>& changes) const {
    if (changes_.empty()) return {};
    std::string text = "# ns (CLOCK_MONOTONIC), classes that are held from then on\n";
    for (const gate::Change& change : changes) {
      text += fmt::format("{} ", change.at_ns);
      std::string names;
      for (std::size_t i = 0; i < request_.policy->classes.size(); ++i) {
        if ((change.closed >> i & 1) == 0) continue;
        names += (names.empty() ? "" : ",") + request_.policy->classes[i];
      }
      text += (names.empty() ? "-" : names) + "\n";
    }
    return write_report(changes_, text, force_);
  }

  Result<int> show() const {
    while (true) {
      const Result<std::string> answer =
          gate::ask_broker(gate::broker_address(), wire::kGateStatus);
      if (!answer) return answer.error();
      const std::optional<gate::GateStatus> status = gate::read_status(*answer);
      if (!status) return broke_error("the gate gave an answer that is not a status");
      const std::string clear = what_ == "top" && !json_ ? "\x1b[H\x1b[2J" : "";
      if (Status printed = print(clear + show_gate(*status, json_, text_columns())); !printed) {
        return printed.error();
      }
      if (what_ != "top") return kDone;
      std::fflush(stdout);
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
  }

  Result<int> tell(wire::GateRequest what) const {
    const Result<std::string> answer =
        gate::ask_broker(gate::broker_address(), what, pid().value_or(0));
    if (!answer) return answer.error();
    if (*answer != "{}") {
      return input_error(fmt::format(
          "process {} does not take part (tactus gate status lists those that do); start it by "
          "tactus gate -- COMMAND, or with LD_PRELOAD=$(tactus record --print-agent) and "
          "TACTUS_GATE=1",
          pid().value_or(0)));
    }
    return kDone;
  }

  gate::ServeRequest request_;
  std::string what_;
  std::string which_;
  std::string groups_;
  std::string output_;
  std::string changes_;
  std::vector<std::string> tags_;
  std::string sharing_;
  bool force_ = false;
  std::string policy_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> gate_command() {
  return std::make_unique<GateCommand>();
}

}  // namespace tactus::cli
