#include <fmt/format.h>

#include <cstdio>

#include "cli/command.h"
#include "cli/terminal.h"
#include "inject/injection.h"
#include "views/inject/inject_view.h"

namespace tactus::cli {
namespace {

constexpr int kSignalled = 128;

class InjectCommand final : public Command {
 public:
  std::string name() const override { return "inject"; }
  std::string description() const override {
    return "Put a known load on this machine, for a short time and within limits";
  }
  std::string details() const override {
    return "To see whether watch and compare name what is really there. The load runs in a process "
           "of its own, ends at its deadline, and dies with the command and with whoever started "
           "it. It takes at most half of the free memory and a nameless file of 1 GiB, leaves one "
           "core alone, changes no setting of the machine, and leaves nothing behind. One "
           "injection runs at a time per user. Prints what it will do and what it did.";
  }
  std::string examples() const override {
    return "  tactus inject --list\n"
           "  tactus inject cpu --seconds 10 --intensity 1\n"
           "  tactus inject disk --seconds 20 --intensity 0.5 --shape square --dir /data\n"
           "  tactus inject stall --pid 4711 --intensity 0.3  # stops a process of yours, briefly\n"
           "  tactus inject memory --dry-run  # only say what would be done\n";
  }

  void add_options(Options& options) override {
    std::vector<std::string> names;
    for (const inject::Scenario& scenario : inject::scenarios()) {
      names.emplace_back(scenario.name);
    }
    options.add("SCENARIO", scenario_, "what to inject; --list shows all").suggestions(names);
    options.add("--list", list_, "show what can be injected");
    options.add("--seconds", request_.seconds, "how long (default: 10; at most 600)")
        .type_name("S")
        .between(0.01, 1e6);
    options
        .add("--intensity", request_.intensity,
             "how much, of the most that the scenario does (default: 0.5)")
        .type_name("X")
        .between(0, 1);
    options.add("--shape", shape_, "how the intensity goes:")
        .choices({"step", "ramp", "spike", "square"})
        .type_name("SHAPE");
    options
        .add("--cores", request_.cores, "busy threads, one per core (default: all cores but one)")
        .type_name("N")
        .between(1, 4096);
    options.add("--max-memory", max_memory_mib_, "of memory and gpu-memory: take no more than this")
        .type_name("MIB")
        .between(1, 1e9);
    options.add("--max-rate", max_rate_mb_, "of disk, network and copies: the rate at intensity 1")
        .type_name("MB/S")
        .between(0.001, 1e6);
    options.add("--dir", request_.folder, "of disk: where its file is (default: TMPDIR or /tmp)")
        .folder();
    options.add("--pid", request_.pid, "of stall: the process to stop")
        .type_name("PID")
        .between(1, 4194304);
    options.add("--device", request_.device, "of a GPU (default: 0)").type_name("N").between(0, 63);
    options.add("--allow-long", request_.allow_long, "allow more than 600 seconds");
    options.add("--until-eof", options_.until_eof, "also end when standard input ends");
    options.add("--dry-run", dry_run_, "only print what would be done");
    options.add("--json", json_, "print the result as JSON");
  }

  Result<int> run(const CommonOptions& common) override {
    if (list_) return printed(show_scenarios(json_, text_columns()));
    if (scenario_.empty()) {
      return usage_error("give a scenario: tactus inject cpu --seconds 10 (see --list)");
    }
    request_.scenario = scenario_;
    request_.shape = *inject::shape_of(shape_);
    if (max_memory_mib_) {
      request_.max_memory = static_cast<std::uint64_t>(*max_memory_mib_ * 1048576);
    }
    if (max_rate_mb_) request_.max_rate = *max_rate_mb_ * 1e6;
    const Result<inject::Machine> machine = inject::look_at_machine();
    if (!machine) return machine.error();
    const Result<inject::Plan> plan = inject::make_plan(request_, *machine);
    if (!plan) return plan.error();
    if (dry_run_) return printed(show_injection(*plan, nullptr, json_));
    if (!common.quiet) std::fputs(show_plan(*plan).c_str(), stderr);
    const Result<inject::InjectAccount> account = inject::inject(*plan, options_);
    if (!account) return account.error();
    const Result<int> shown = printed(show_injection(*plan, &*account, json_));
    if (!shown || account->ending == inject::Ending::kDone) return shown;
    if (account->ending == inject::Ending::kInterrupted && account->signal != 0) {
      return kSignalled + account->signal;
    }
    return kBroke;
  }

 private:
  static Result<int> printed(const std::string& text) {
    if (Status status = print(text); !status) return status.error();
    return kDone;
  }

  inject::InjectRequest request_;
  inject::InjectOptions options_;
  std::string scenario_;
  std::string shape_ = "step";
  std::optional<double> max_memory_mib_;
  std::optional<double> max_rate_mb_;
  bool list_ = false;
  bool dry_run_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> inject_command() {
  return std::make_unique<InjectCommand>();
}

}  // namespace tactus::cli
