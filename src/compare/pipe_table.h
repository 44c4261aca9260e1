#pragma once

#include <string>
#include <vector>

namespace tactus {

/// "1,234,567.80": grouped by thousands, two decimals.
std::string grouped_text(double value);

/// The shortest text that reads back as the number, with a point: "762219.0", "1001081.25".
std::string shortest_text(double value);

/// A Markdown table laid out as Python's `tabulate` does, which the known reports were made with.
/// A column whose cells all read as numbers is set as numbers, aligned at the point and written
/// anew; one cell that is no number ("1,024.00", "-") leaves the whole column as it was given.
class PipeTable {
 public:
  enum class Numbers : unsigned char {
    kShort,    ///< six significant digits: 2.36, 92878.5, 2.47865e+13
    kGrouped,  ///< 712,051.00
  };

  explicit PipeTable(std::vector<std::string> heads, Numbers numbers = Numbers::kShort);

  /// One cell a head.
  void add(std::vector<std::string> cells);
  std::string to_text() const;

 private:
  struct Column {
    std::string head;
    std::vector<std::string> cells;
  };

  /// Sets one column: its head, its rule and its cells, all of one width.
  std::vector<std::string> lines_of(const Column& column) const;

  std::vector<Column> columns_;
  Numbers numbers_;
};

}  // namespace tactus
