#include <fmt/format.h>

#include "cli/completion/completion.h"
#include "cli/help.h"

namespace tactus::cli {
namespace {

/// In single quotes, as fish reads them.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string names_of(const Option& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return names;
}

std::string line_of(const std::string& command, const Option& option) {
  std::string line = fmt::format("complete -c tactus -n '__fish_seen_subcommand_from {}'", command);
  if (!option.is_positional()) line += names_of(option);
  const std::vector<std::string> words = offered_words(option);
  if (!option.is_flag()) {
    if (option.kind == ValueKind::kFolder) {
      line += " -x -a '(__fish_complete_directories)'";
    } else if (option.is_positional()) {
      if (!offers_files(option)) line += " -f";
    } else {
      line += offers_files(option) ? " -r -F" : " -x";
    }
    if (!words.empty()) line += " -a " + quoted(joined(words));
  }
  if (!option.is_positional()) line += " -d " + quoted(option_help(option));
  return line + "\n";
}

}  // namespace

std::string fish_completion(const std::vector<DeclaredCommand>& commands) {
  std::string script =
      "# fish completion for tactus; made by `tactus completion fish`\n\n"
      "complete -c tactus -n __fish_use_subcommand -s h -l help -d 'print help'\n"
      "complete -c tactus -n __fish_use_subcommand -l version -d 'print the version'\n";
  for (const DeclaredCommand& command : commands) {
    script += fmt::format("complete -c tactus -n __fish_use_subcommand -a {} -d {}\n",
                          command.command->name(), quoted(command.command->description()));
  }
  for (const DeclaredCommand& command : commands) {
    const std::string name = command.command->name();
    script += fmt::format(
        "\ncomplete -c tactus -n '__fish_seen_subcommand_from {}' -s h -l help -d 'print help'\n",
        name);
    for (const Option& option : command.options.all()) script += line_of(name, option);
  }
  return script;
}

}  // namespace tactus::cli
