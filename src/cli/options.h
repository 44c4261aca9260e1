#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace tactus::cli {

/// Where a value goes. A bool makes a flag, which takes no value; a list keeps every value.
using OptionTarget =
    std::variant<bool*, std::string*, unsigned*, std::size_t*, std::int64_t*, double*,
                 std::optional<std::size_t>*, std::optional<std::int64_t>*, std::optional<double>*,
                 std::vector<std::string>*>;

/// What the shell offers as the value of an option that has no list of choices.
enum class ValueKind : unsigned char { kText, kFile, kFolder, kOperator, kMachine, kCommand };

/// One flag, option or positional argument as declared. The parser, the help, the man page and the
/// completion scripts are all made from this.
struct Option {
  static constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

  std::vector<std::string> names;  ///< "-o", "--output"; a positional argument has one, "RUN"
  std::string help;                ///< ends with ':' if the choices are to follow it
  OptionTarget target;
  std::string value_name;              ///< "FILE"; empty for a flag
  std::vector<std::string> allowed;    ///< the only values that are accepted; empty: any
  std::vector<std::string> suggested;  ///< values that completion offers among others
  ValueKind kind = ValueKind::kText;
  std::string default_value;                        ///< of text; empty: none
  std::optional<std::pair<double, double>> limits;  ///< of a number, both included
  std::size_t fewest = 1;                           ///< values each time the option is given
  std::size_t most = 1;
  char separator = '\0';  ///< between values in one word; 0: none
  bool is_required = false;
  bool may_be_empty = true;  ///< of text
  bool takes_rest = false;   ///< all words behind "--", as they are

  bool is_flag() const { return std::holds_alternative<bool*>(target); }
  bool is_positional() const { return !names.front().starts_with('-'); }
  bool is_text() const { return std::holds_alternative<std::string*>(target); }
  bool is_number() const { return !is_flag() && !is_text() && !is_list(); }
  bool is_list() const { return std::holds_alternative<std::vector<std::string>*>(target); }

  // How a declaration goes on: options.add("--by", by_, "...").type_name("WHAT").choices({...}).
  Option& type_name(std::string name);
  Option& choices(std::vector<std::string> values);
  Option& suggestions(std::vector<std::string> values);
  Option& file(std::string name = "FILE");
  Option& folder(std::string name = "DIR");
  Option& operator_name();
  Option& command_name();
  Option& machine(std::string name);
  Option& values(std::size_t at_least, std::size_t at_most);
  Option& between(double low, double high);
  Option& not_empty();
  Option& separated_by(char c);
  Option& required();
  Option& rest();
};

/// The options of one command, in the order of its help.
class Options {
 public:
  /// `names` are "--top", "-o,--output" or, for a positional argument, "RUN".
  Option& add(const std::string& names, bool& into, std::string help);
  Option& add(const std::string& names, std::string& into, std::string help);
  Option& add(const std::string& names, unsigned& into, std::string help);
  Option& add(const std::string& names, std::size_t& into, std::string help);
  Option& add(const std::string& names, std::int64_t& into, std::string help);
  Option& add(const std::string& names, double& into, std::string help);
  Option& add(const std::string& names, std::optional<std::size_t>& into, std::string help);
  Option& add(const std::string& names, std::optional<std::int64_t>& into, std::string help);
  Option& add(const std::string& names, std::optional<double>& into, std::string help);
  Option& add(const std::string& names, std::vector<std::string>& into, std::string help);

  /// An option of other commands that has no meaning here, and why: a usage error that says so.
  void refuse(std::string name, std::string why) {
    refused_.emplace_back(std::move(name), std::move(why));
  }

  const std::deque<Option>& all() const { return all_; }
  const std::vector<std::pair<std::string, std::string>>& refused() const { return refused_; }

 private:
  Option& declare(const std::string& names, OptionTarget target, std::string help);

  std::deque<Option> all_;  // a declaration goes on with a reference to its option
  std::vector<std::pair<std::string, std::string>> refused_;  ///< name and reason
};

/// A number of an option between two limits, both included. Anything else, nan and inf among it, is
/// a usage error that names them; `option` is the option with what was given.
Result<double> read_option_number(const std::string& option, std::string_view text, double low,
                                  double high);

enum class ParseOutcome : unsigned char { kRun, kShowHelp };

/// Reads what was typed after the name of a command into the targets; -h and --help are understood.
Result<ParseOutcome> parse_options(const std::string& command, const Options& options,
                                   std::vector<std::string> given);

}  // namespace tactus::cli
