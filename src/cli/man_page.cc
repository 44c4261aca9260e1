#include "cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "cli/help.h"
#include "cli/version.h"
#include "views/common/text_table.h"

namespace tactus::cli {
namespace {

/// Text that roff prints as it is.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      default: out += c;
    }
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

std::string bold(const std::string& text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + roff(text) + "\\fR";
}

/// A paragraph in lines that are short enough to read in the source, too.
std::string roff_lines(const std::string& text) {
  constexpr std::size_t kWidth = 72;
  std::istringstream lines(paragraph("", text, kWidth, 0));
  std::string out;
  for (std::string line; std::getline(lines, line);) out += roff(line) + "\n";
  return out;
}

/// Placeholders are in capitals; everything else is typed as it stands.
std::string usage_words(const std::string& usage) {
  std::istringstream words(usage);
  std::string line;
  for (std::string word; words >> word;) {
    const bool placeholder =
        word.starts_with('[') || std::isupper(static_cast<unsigned char>(word[0])) != 0;
    line += (line.empty() ? "" : " ") + (placeholder ? italic(word) : bold(word));
  }
  return line;
}

std::string heading(const Option& option) {
  if (option.is_positional()) return italic(option_heading(option));
  std::string line;
  for (const std::string& name : option.names) line += (line.empty() ? "" : ", ") + bold(name);
  if (option.is_flag()) return line;
  return line + " " +
         italic(option.fewest == 0 ? "[" + option.value_name + "]" : option.value_name);
}

std::string entry(const std::string& head, const std::string& text) {
  return ".TP\n" + head + "\n" + roff_lines(text);
}

std::string page_head(const std::string& name, const std::string& description) {
  std::string title = name;
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"{}\" \"tactus {}\" \"Tactus manual\"\n.SH NAME\n{} \\- {}\n",
                     roff(title), kVersionDate, kVersion, roff(name), roff(description));
}

/// "Show every kernel" is "show every kernel" behind the name.
std::string as_clause(std::string description) {
  description[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(description[0])));
  return description;
}

/// `failed` says when 1 is returned; empty for a command that has no gate.
std::string exit_codes(const std::string& failed) {
  std::string text = ".SH EXIT STATUS\n" + entry(bold("0"), "Done.");
  if (!failed.empty()) text += entry(bold("1"), failed);
  text += entry(bold("2"), "The command line is wrong, or the input cannot be read.") +
          entry(bold("3"), "It broke while working: the disk is full, a device was lost.");
  if (!failed.empty()) text += entry(bold("4"), "A gate that was asked for cannot be judged.");
  return text;
}

std::string when_failed(const DeclaredCommand& command) {
  std::string gates;
  for (const Option& option : command.options.all()) {
    const std::string& name = option.names.front();
    if (name.starts_with("--fail-")) gates += (gates.empty() ? "" : ", ") + name;
  }
  if (gates.empty()) return "";
  const bool has_rows = command.command->name() == "bench";
  return "A gate (" + gates + ") failed" + (has_rows ? ", or a row is not right." : ".");
}

std::string examples(const std::string& lines) {
  std::string text = ".SH EXAMPLES\n.EX\n";
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    text +=
        roff(line.substr(std::min<std::size_t>(line.find_first_not_of(' '), line.size()))) + "\n";
  }
  return text + ".EE\n";
}

}  // namespace

std::string command_man_page(const DeclaredCommand& command) {
  const std::string name = command.command->name();
  std::string arguments;
  std::string flags;
  for (const Option& option : command.options.all()) {
    (option.is_positional() ? arguments : flags) += entry(heading(option), option_help(option));
  }
  flags += entry(bold("-h") + ", " + bold("--help"), "print a short help");
  std::string page = page_head("tactus-" + name, as_clause(command.command->description()));
  page += ".SH SYNOPSIS\n" + usage_words(usage_line(command)) + "\n";
  page += ".SH DESCRIPTION\n" + roff_lines(command.command->details());
  if (!arguments.empty()) page += ".SH ARGUMENTS\n" + arguments;
  page += ".SH OPTIONS\n" + flags + exit_codes(when_failed(command));
  return page + examples(command.command->examples()) + ".SH SEE ALSO\n.BR tactus (1)\n";
}

std::string overview_man_page(const std::vector<DeclaredCommand>& commands) {
  std::string list;
  std::string see_also;
  for (const DeclaredCommand& command : commands) {
    const std::string name = command.command->name();
    list += entry(bold(name), command.command->description());
    see_also += fmt::format("{}.BR tactus\\-{} (1)", see_also.empty() ? "" : ",\n", roff(name));
  }
  std::string page = page_head("tactus", "what each step of an LLM server is made of");
  page += ".SH SYNOPSIS\n" + usage_words("tactus COMMAND [OPTIONS]") + "\n.br\n" +
          usage_words("tactus FILE") + "\n";
  page +=
      ".SH DESCRIPTION\n" +
      roff_lines(std::string(kTagline) +
                 " It reads what profilers record: Chrome and PyTorch traces (.json, plain, .gz "
                 "or .zst), SQLite exports and kernel summaries of Nsight Systems, and CSV files "
                 "of patterns and counters. A RUN is such a file, a folder of them (the ranks of "
                 "one job), - for standard input, or a .tact file, which opens much faster.") +
      ".PP\n" + bold("tactus FILE") + " is short for " + bold("tactus kernels FILE") + ".\n";
  page += ".SH COMMANDS\n" + list;
  page += ".SH OPTIONS\n" + entry(bold("-h") + ", " + bold("--help"), "print a short help") +
          entry(bold("--version"), "print the version");
  page += ".SH ENVIRONMENT\n" +
          entry(bold("COLUMNS"), "The width of tables where standard output is not a terminal.");
  page +=
      exit_codes("A gate (--fail-on, --fail-under) failed, or bench has a row that is not right.");
  page += examples(
      "tactus trace.json.gz\n"
      "tactus compare good.tact bad.tact --fail-on regression:5\n"
      "tactus bench --device cpu --quick\n");
  return page + ".SH SEE ALSO\n" + see_also + "\n";
}

}  // namespace tactus::cli
