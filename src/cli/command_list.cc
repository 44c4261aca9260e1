#include "cli/command_list.h"

#include "base/text.h"

namespace tactus::cli {

constexpr double kMostThreads = 1024;

std::vector<DeclaredCommand> declare_commands(CommonOptions& common) {
  using MakeCommand = std::unique_ptr<Command> (*)();
  constexpr MakeCommand kCommands[] = {
      record_command,  top_command,       gate_command,     watch_command,  kernels_command,
      cycles_command,  ranks_command,     report_command,   serve_command,  import_command,
      info_command,    export_command,    sql_command,      decode_command, patterns_command,
      compare_command, operators_command, roofline_command, mine_command,   bench_command,
      inject_command,  drill_command,     check_command,    schema_command, completion_command,
      man_command};
  std::vector<DeclaredCommand> declared;
  for (const MakeCommand make : kCommands) {
    DeclaredCommand& added = declared.emplace_back();
    added.command = make();
    added.command->add_options(added.options);
    added.options.add("-q,--quiet", common.quiet, "no progress and no warnings");
    added.options.add("--threads", common.threads, "threads to use (default: all cores)")
        .between(0, kMostThreads);
  }
  return declared;
}

std::vector<std::string> command_names(const std::vector<DeclaredCommand>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const DeclaredCommand& declared : commands) names.push_back(declared.command->name());
  return names;
}

std::string did_you_mean(const std::vector<DeclaredCommand>& commands, std::string_view typed) {
  const std::vector<std::string> names = command_names(commands);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view close = nearest(typed, known);
  return close.empty() ? "" : "; did you mean " + std::string(close) + "?";
}

const DeclaredCommand* find_command(const std::vector<DeclaredCommand>& commands,
                                    std::string_view name) {
  for (const DeclaredCommand& declared : commands) {
    if (declared.command->name() == name) return &declared;
  }
  return nullptr;
}

}  // namespace tactus::cli
