#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// "1,234,567.80": grouped by thousands, two decimals.
std::string grouped_text(double value);

/// The shortest text that reads back as the number, with a point: "762219.0", "1001081.25".
std::string shortest_text(double value);

/// A name on one line, with its control characters visible.
std::string on_one_line(std::string text);

/// A Markdown table in the layout of Python's `tabulate`, which made the classic reports. If all
/// cells of a column are numbers, they are rewritten and aligned at the point. One cell that is not
/// a number ("1,024.00", "-") leaves the whole column unchanged.
class PipeTable {
 public:
  enum class Numbers : unsigned char {
    kShort,    ///< six significant digits: 2.36, 92878.5, 2.47865e+13
    kGrouped,  ///< 712,051.00
  };

  explicit PipeTable(std::vector<std::string> heads, Numbers numbers = Numbers::kShort);

  /// One cell per heading.
  void add(std::vector<std::string> cells);
  std::string to_text() const;
  void append_to(std::string& out) const;

 private:
  struct Column {
    std::string head;
    std::vector<std::string> cells;
  };

  /// A column in written form: all cells have one width.
  struct SetColumn {
    std::string_view head;
    std::span<const std::string> cells;
    std::vector<std::string> rewritten;  ///< the text of `cells`, if they are numbers
    std::size_t width = 0;               ///< of the widest, in characters
    bool numeric = false;

    void append_padded(std::string_view text, std::string& out) const;
    void append_rule(std::string& out) const;
  };
  SetColumn set(const Column& column) const;

  std::vector<Column> columns_;
  Numbers numbers_;
};

}  // namespace tactus
