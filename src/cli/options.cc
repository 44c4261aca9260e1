#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <type_traits>

#include "base/text.h"

namespace tactus::cli {
namespace {

std::vector<std::string> split_names(const std::string& names) {
  const std::size_t comma = names.find(',');
  if (comma == std::string::npos) return {names};
  return {names.substr(0, comma), names.substr(comma + 1)};
}

std::string joined_names(const Option& option) {
  std::string joined;
  for (const std::string& name : option.names) joined += (joined.empty() ? "" : ",") + name;
  return joined;
}

/// "50 is not a number between 0 and 1"
std::string not_a(std::string_view what, std::string_view text,
                  const std::optional<std::pair<double, double>>& limits) {
  const std::string said = fmt::format("{} is not a {}", text.empty() ? "\"\"" : text, what);
  return limits ? fmt::format("{} between {} and {}", said, limits->first, limits->second) : said;
}

bool is_between(std::string_view text, const std::optional<std::pair<double, double>>& limits) {
  const std::optional<double> value = finite_number(text);
  return value && (!limits || (*value >= limits->first && *value <= limits->second));
}

template <class T>
bool is_whole(std::string_view text) {
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

template <class T>
struct ValueOf {
  using Type = T;
};
template <class T>
struct ValueOf<std::optional<T>> {
  using Type = T;
};

/// What is wrong with the typed value of an option for a number; empty if nothing is.
std::string wrong_number(const Option& option, std::string_view text) {
  return std::visit(
      [&]<class Target>(Target*) -> std::string {
        using T = typename ValueOf<Target>::Type;
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          if (is_whole<T>(text) && is_between(text, option.limits)) return {};
          const bool known = std::is_signed_v<T> || option.limits;
          return not_a("whole number", text, option.limits) + (known ? "" : ", 0 or more");
        }
        return is_between(text, option.limits) ? "" : not_a("number", text, option.limits);
      },
      option.target);
}

/// "; did you mean --top?", or nothing.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& words) {
  const std::vector<std::string_view> known(words.begin(), words.end());
  const std::string_view close = nearest(typed, known);
  return close.empty() ? "" : "; did you mean " + std::string(close) + "?";
}

/// What is wrong with a value that is none of those allowed; empty if it is one.
std::string wrong_choice(const Option& option, const std::string& text) {
  const std::vector<std::string>& allowed = option.allowed;
  if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return {};
  return fmt::format("{} not in {{{}}}", text, fmt::join(allowed, ",")) +
         did_you_mean(text, allowed);
}

void add_to_parser(const Option& option, CLI::App& app) {
  const std::string names = joined_names(option);
  if (option.is_flag()) {
    app.add_flag(names, *std::get<bool*>(option.target));
    return;
  }
  CLI::Option* const added =
      std::visit([&](auto* into) { return app.add_option(names, *into); }, option.target);
  added->type_name(option.value_name)->required(option.is_required);
  if (!option.allowed.empty()) {
    added->check([&option](const std::string& text) { return wrong_choice(option, text); });
  }
  if (option.is_number()) {
    added->check([&option](const std::string& text) { return wrong_number(option, text); });
  }
  if (!option.may_be_empty) {
    added->check([](const std::string& text) { return text.empty() ? "the value is empty" : ""; });
  }
  if (option.separator != '\0') added->delimiter(option.separator);
  const bool as_usual = option.fewest == 1 && option.most == 1;
  // Else a list would also take the words that follow, which may be positional arguments.
  if (option.is_list() && as_usual) added->allow_extra_args(false);
  if (!as_usual && !option.is_positional()) {
    added->expected(static_cast<int>(option.fewest), static_cast<int>(option.most));
  }
}

}  // namespace

Option& Option::type_name(std::string name) {
  value_name = std::move(name);
  return *this;
}

Option& Option::choices(std::vector<std::string> values) {
  allowed = std::move(values);
  return *this;
}

Option& Option::suggestions(std::vector<std::string> values) {
  suggested = std::move(values);
  return *this;
}

Option& Option::file(std::string name) {
  kind = ValueKind::kFile;
  return type_name(std::move(name));
}

Option& Option::folder(std::string name) {
  kind = ValueKind::kFolder;
  return type_name(std::move(name));
}

Option& Option::operator_name() {
  kind = ValueKind::kOperator;
  return type_name(is_positional() ? value_name : "OPERATOR");
}

Option& Option::command_name() {
  kind = ValueKind::kCommand;
  return *this;
}

Option& Option::machine(std::string name) {
  kind = ValueKind::kMachine;
  return type_name(std::move(name));
}

Option& Option::values(std::size_t at_least, std::size_t at_most) {
  fewest = at_least;
  most = at_most;
  return *this;
}

Option& Option::between(double low, double high) {
  limits = {low, high};
  return *this;
}

Option& Option::not_empty() {
  may_be_empty = false;
  return *this;
}

Option& Option::separated_by(char c) {
  separator = c;
  return *this;
}

Option& Option::required() {
  is_required = true;
  return *this;
}

Option& Option::rest() {
  takes_rest = true;
  return *this;
}

Option& Options::declare(const std::string& names, OptionTarget target, std::string help) {
  Option& option = all_.emplace_back();
  option.names = split_names(names);
  option.target = target;
  option.help = std::move(help);
  if (option.is_positional()) {
    option.value_name = option.names.front();
    if (option.is_list()) option.most = Option::kAny;
  } else if (!option.is_flag()) {
    option.value_name = option.is_number() ? "N" : "NAME";
  }
  if (std::string* const* text = std::get_if<std::string*>(&option.target)) {
    option.default_value = **text;
  }
  return option;
}

Option& Options::add(const std::string& names, bool& into, std::string help) {
  return declare(names, &into, std::move(help));
}
Option& Options::add(const std::string& names, std::string& into, std::string help) {
  return declare(names, &into, std::move(help));
}
Option& Options::add(const std::string& names, unsigned& into, std::string help) {
  return declare(names, &into, std::move(help));
}
Option& Options::add(const std::string& names, std::size_t& into, std::string help) {
  return declare(names, &into, std::move(help));
}
Option& Options::add(const std::string& names, std::int64_t& into, std::string help) {
  return declare(names, &into, std::move(help));
}
Option& Options::add(const std::string& names, double& into, std::string help) {
  return declare(names, &into, std::move(help));
}
Option& Options::add(const std::string& names, std::optional<std::size_t>& into, std::string help) {
  return declare(names, &into, std::move(help));
}
Option& Options::add(const std::string& names, std::optional<std::int64_t>& into,
                     std::string help) {
  return declare(names, &into, std::move(help));
}
Option& Options::add(const std::string& names, std::optional<double>& into, std::string help) {
  return declare(names, &into, std::move(help));
}
Option& Options::add(const std::string& names, std::vector<std::string>& into, std::string help) {
  return declare(names, &into, std::move(help));
}

Result<double> read_option_number(const std::string& option, std::string_view text, double low,
                                  double high) {
  const std::pair limits(low, high);
  if (!is_between(text, limits)) return usage_error(option + ": " + not_a("number", text, limits));
  return *finite_number(text);
}

namespace {

/// The words of another program are not ours to read: not even brackets or a second "--".
void take_rest(const Option& option, std::vector<std::string>& given) {
  const auto mark = std::find(given.begin(), given.end(), "--");
  if (mark == given.end()) return;
  std::get<std::vector<std::string>*>(option.target)->assign(mark + 1, given.end());
  given.erase(mark, given.end());
}

/// Words that no option took, in the order in which they were typed.
std::string not_expected(const Options& options, const std::vector<std::string>& words) {
  std::string text = words.size() == 1 ? "The following argument was not expected:"
                                       : "The following arguments were not expected:";
  for (const std::string& word : words) text += " " + word;
  const auto unknown = std::find_if(words.begin(), words.end(),
                                    [](const std::string& word) { return word.starts_with('-'); });
  if (unknown != words.end()) {
    std::vector<std::string> names = {"--help"};
    for (const Option& option : options.all()) {
      if (!option.is_positional()) {
        names.insert(names.end(), option.names.begin(), option.names.end());
      }
    }
    text += did_you_mean(unknown->substr(0, unknown->find('=')), names);
  }
  const bool starts_program = std::any_of(options.all().begin(), options.all().end(),
                                          [](const Option& one) { return one.takes_rest; });
  return text + (starts_program ? "; a program to start, and its words, go behind --" : "");
}

}  // namespace

Result<ParseOutcome> parse_options(const std::string& command, const Options& options,
                                   std::vector<std::string> given) {
  const std::string see = " (see tactus " + command + " --help)";
  CLI::App app;
  for (const Option& option : options.all()) {
    if (option.takes_rest) {
      take_rest(option, given);
    } else {
      add_to_parser(option, app);
    }
  }
  for (const auto& [name, why] : options.refused()) {
    for (const std::string& word : given) {
      if (word == name || word.starts_with(name + "=")) return usage_error(name + ": " + why);
    }
  }
  try {
    std::reverse(given.begin(), given.end());  // the parser takes them from the back
    app.parse(given);
  } catch (const CLI::CallForHelp&) {
    return ParseOutcome::kShowHelp;
  } catch (const CLI::ExtrasError&) {
    return usage_error(not_expected(options, app.remaining()) + see);
  } catch (const CLI::ParseError& error) {
    return usage_error(std::string(error.what()) + see);
  }
  return ParseOutcome::kRun;
}

}  // namespace tactus::cli
