#include "cli/help.h"

#include <algorithm>

#include "views/common/text_table.h"

namespace tactus::cli {
namespace {

constexpr std::size_t kWidestHeading = 26;
constexpr std::size_t kWidest = 120;  // longer lines are hard to read, whatever the terminal

std::string value_in_usage(const Option& option) {
  return (option.takes_rest ? "-- " : "") + option.value_name +
         (option.is_list() && option.is_positional() ? "..." : "");
}

/// Headings on the left, what they mean on the right; a heading that is too long has its own line.
std::string rows_of(const std::vector<std::pair<std::string, std::string>>& rows,
                    std::size_t width) {
  std::size_t widest = 0;
  for (const auto& [heading, meaning] : rows) {
    if (heading.size() <= kWidestHeading) widest = std::max(widest, heading.size());
  }
  const std::size_t left = 2 + widest + 2;
  std::string text;
  for (const auto& [heading, meaning] : rows) {
    std::string head = "  " + heading;
    if (heading.size() > widest) {
      text += head + "\n";
      head.clear();
    }
    text += paragraph(head, meaning, std::min(width, kWidest), left);
  }
  return text;
}

}  // namespace

std::string usage_line(const DeclaredCommand& command) {
  std::string line = "tactus " + command.command->name() + " [OPTIONS]";
  for (const Option& option : command.options.all()) {
    if (option.is_positional()) {
      const std::string value = value_in_usage(option);
      line += option.is_required ? " " + value : " [" + value + "]";
    }
  }
  for (const Option& option : command.options.all()) {
    if (!option.is_positional() && option.is_required) {
      line += " " + option.names.front() + " " + option.value_name;
    }
  }
  return line;
}

std::string option_heading(const Option& option) {
  if (option.is_positional()) return value_in_usage(option);
  std::string heading;
  for (const std::string& name : option.names) heading += (heading.empty() ? "" : ", ") + name;
  if (option.is_flag()) return heading;
  return heading + (option.fewest == 0 ? " [" + option.value_name + "]" : " " + option.value_name);
}

std::string option_help(const Option& option) {
  if (!option.help.ends_with(':')) return option.help;
  std::string help = option.help;
  for (std::size_t i = 0; i < option.allowed.size(); ++i) {
    const bool last = i + 1 == option.allowed.size();
    help += (i == 0 ? " " : last ? " or " : ", ") + option.allowed[i];
    if (option.allowed[i] == option.default_value) help += " (default)";
  }
  return help;
}

std::string command_help(const DeclaredCommand& command, std::size_t width) {
  std::vector<std::pair<std::string, std::string>> arguments;
  std::vector<std::pair<std::string, std::string>> flags;
  for (const Option& option : command.options.all()) {
    (option.is_positional() ? arguments : flags)
        .emplace_back(option_heading(option), option_help(option));
  }
  flags.emplace_back("-h, --help", "print this help");
  std::string text = command.command->description() + "\n\nUsage: " + usage_line(command) + "\n";
  if (!arguments.empty()) text += "\nArguments:\n" + rows_of(arguments, width);
  text += "\nOptions:\n" + rows_of(flags, width);
  return text + "\nExamples:\n" + command.command->examples();
}

std::string overview_help(const std::vector<DeclaredCommand>& commands, std::size_t width) {
  std::vector<std::pair<std::string, std::string>> rows;
  rows.reserve(commands.size());
  for (const DeclaredCommand& declared : commands) {
    rows.emplace_back(declared.command->name(), declared.command->description());
  }
  return std::string(kTagline) +
         "\n\nUsage: tactus COMMAND [OPTIONS]\n"
         "       tactus FILE                short for tactus kernels FILE\n"
         "\nCommands:\n" +
         rows_of(rows, width) + "\nOptions:\n" +
         rows_of({{"-h, --help", "print this help, or that of a command: tactus COMMAND --help"},
                  {"--version", "print the version"}},
                 width);
}

}  // namespace tactus::cli
