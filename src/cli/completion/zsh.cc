#include <fmt/format.h>

#include "cli/completion/completion.h"
#include "cli/help.h"

namespace tactus::cli {
namespace {

/// Text inside single quotes in which _arguments takes the given characters for marks of its own.
std::string escaped(const std::string& text, const char* marks) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (std::string_view(marks).find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// What _arguments is to offer for a value: ":FILE:_files" or ":WHAT:(kernel family)".
std::string value_of(const Option& option) {
  const std::vector<std::string> words = offered_words(option);
  const bool files = offers_files(option);
  std::string action = " ";
  if (option.kind == ValueKind::kFolder) {
    action = "_files -/";
  } else if (files && words.empty()) {
    action = "_files";
  } else if (files) {
    action = " _tactus_words_or_files " + joined(words);  // the blank: called as it stands
  } else if (!words.empty()) {
    action = fmt::format("({})", escaped(joined(words), ":"));
  }
  const std::string value = fmt::format(":{}:{}", escaped(option.value_name, ":"), action);
  return option.fewest == 0 ? ":" + value : value;
}

std::string specification(const Option& option) {
  if (option.is_positional()) {
    return fmt::format("'{}{}'", option.is_list() ? "*" : "1", value_of(option));
  }
  const std::string help = "[" + escaped(option_help(option), "[]") + "]";
  const std::string value = option.is_flag() ? "" : value_of(option);
  if (option.names.size() == 2) {
    return fmt::format("'({0} {1})'{{{0},{1}}}'{2}{3}'", option.names[0], option.names[1], help,
                       value);
  }
  std::string values = value;
  for (std::size_t i = 1; i < option.fewest; ++i) values += value;
  return fmt::format("'{}{}{}{}'", option.is_list() && option.fewest == 1 ? "*" : "",
                     option.names[0], help, values);
}

}  // namespace

std::string zsh_completion(const std::vector<DeclaredCommand>& commands) {
  std::string script =
      "#compdef tactus\n"
      "# zsh completion for tactus; made by `tactus completion zsh`\n\n"
      "_tactus_words_or_files() {\n"
      "  _alternative \"words:name:($*)\" 'files:file:_files'\n"
      "}\n\n"
      "_tactus() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const DeclaredCommand& command : commands) {
    script += fmt::format("    '{}:{}'\n", command.command->name(),
                          escaped(command.command->description(), ":"));
  }
  script +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    if [[ $words[2] == -* ]]; then\n"
      "      _arguments '(- *)'{-h,--help}'[print help]' '(- *)--version[print the version]'\n"
      "    else\n"
      "      _describe -t commands command commands\n"
      "      _files\n"
      "    fi\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $words[1] in\n";
  for (const DeclaredCommand& command : commands) {
    script += fmt::format("    {})\n      _arguments -S", command.command->name());
    for (const Option& option : command.options.all()) {
      script += " \\\n        " + specification(option);
    }
    if (positional_of(command) == nullptr) script += " \\\n        '*: :_files'";
    script += " \\\n        '(- *)'{-h,--help}'[print help]' ;;\n";
  }
  return script +
         "    *) _files ;;\n"
         "  esac\n"
         "}\n\n"
         "# Loaded from $fpath it is the completion itself; sourced it has to be announced.\n"
         "if [[ $funcstack[1] == _tactus ]]; then\n"
         "  _tactus \"$@\"\n"
         "else\n"
         "  compdef _tactus tactus\n"
         "fi\n";
}

}  // namespace tactus::cli
