#include <fmt/format.h>

#include "cli/completion/completion.h"

namespace tactus::cli {
namespace {

constexpr const char* kHead = R"(# bash completion for tactus; made by `tactus completion bash`

# Adds the words that begin with what was typed.
_tactus_words() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$2")
}

# Adds the names of files (-f) or folders (-d) that begin with what was typed.
_tactus_paths() {
  local path
  compopt -o filenames 2> /dev/null || :
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$2")
}

_tactus() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command='' i
  COMPREPLY=()
  if [[ $cur == = ]]; then  # --by=
    cur=''
  elif [[ $prev == = ]]; then  # --by=ker
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
)";

/// A line of a case: what follows this option.
std::string case_of_option(const std::string& command, const Option& option) {
  std::vector<std::string> patterns;
  for (const std::string& name : option.names) {
    patterns.push_back(fmt::format("\"{} {}\"", command, name));
  }
  std::string actions;
  if (const std::vector<std::string> words = offered_words(option); !words.empty()) {
    actions += fmt::format(R"(_tactus_words "{}" "$cur"; )", joined(words));
  }
  if (offers_files(option)) actions += "_tactus_paths -f \"$cur\"; ";
  if (option.kind == ValueKind::kFolder) actions += "_tactus_paths -d \"$cur\"; ";
  return fmt::format("    {}) {}return ;;\n", joined(patterns, " | "), actions);
}

std::string flags_of(const DeclaredCommand& command) {
  std::vector<std::string> flags;
  for (const Option& option : command.options.all()) {
    if (option.is_positional()) continue;
    flags.insert(flags.end(), option.names.begin(), option.names.end());
  }
  flags.insert(flags.end(), {"-h", "--help"});
  return joined(flags);
}

/// What to offer where no option is typed; options such as --show take several files.
std::string words_after(const DeclaredCommand& command) {
  const Option* const positional = positional_of(command);
  if (positional == nullptr || offers_files(*positional)) return "_tactus_paths -f \"$cur\" ";
  const std::vector<std::string> words = offered_words(*positional);
  return words.empty() ? "" : fmt::format(R"(_tactus_words "{}" "$cur" )", joined(words));
}

}  // namespace

std::string bash_completion(const std::vector<DeclaredCommand>& commands) {
  const std::vector<std::string> names = command_names(commands);
  std::string script = kHead;
  script += fmt::format(
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${{COMP_WORDS[i]}} in\n"
      "      {}) command=${{COMP_WORDS[i]}}; break ;;\n"
      "    esac\n"
      "  done\n"
      "  if [[ -z $command && $cur == -* ]]; then\n"
      "    _tactus_words \"-h --help --version\" \"$cur\"\n"
      "    return\n"
      "  fi\n"
      "  if [[ -z $command ]]; then\n"
      "    _tactus_words \"{}\" \"$cur\"\n"
      "    _tactus_paths -f \"$cur\"\n"
      "    return\n"
      "  fi\n",
      joined(names, " | "), joined(names));
  script += "  case \"$command $prev\" in\n";
  for (const DeclaredCommand& command : commands) {
    for (const Option& option : command.options.all()) {
      if (option.is_positional() || option.is_flag()) continue;
      script += case_of_option(command.command->name(), option);
    }
  }
  script += "  esac\n  if [[ $cur == -* ]]; then\n    case $command in\n";
  for (const DeclaredCommand& command : commands) {
    script += fmt::format("      {}) _tactus_words \"{}\" \"$cur\" ;;\n", command.command->name(),
                          flags_of(command));
  }
  script += "    esac\n    return\n  fi\n  case $command in\n";
  for (const DeclaredCommand& command : commands) {
    script += fmt::format("    {}) {};;\n", command.command->name(), words_after(command));
  }
  return script + "  esac\n}\n\ncomplete -F _tactus tactus\n";
}

}  // namespace tactus::cli
