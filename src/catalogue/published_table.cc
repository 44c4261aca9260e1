#include "catalogue/published_table.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"

namespace tactus {
namespace {

constexpr std::size_t kFewest = 3;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r|");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r|") - first + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  line = trimmed(line);
  while (true) {
    const std::size_t bar = line.find('|');
    cells.push_back(trimmed(line.substr(0, bar)));
    if (bar == std::string_view::npos) return cells;
    line.remove_prefix(bar + 1);
  }
}

std::string percent(double share) {
  std::string text;
  append_fixed(share * 100, 1, text);
  return text + "%";
}

/// What a line of the table says about an operator; false if it is not such a line.
bool read_line(std::string_view line, const Catalogue& known, const Operator*& found,
               std::vector<std::string>& differences) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.size() < 4 || !cells[3].ends_with('%')) return false;
  const std::size_t space = cells[0].find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view name = cells[0].substr(0, space);
  const std::string_view id = trimmed(cells[0].substr(space + 1));
  for (const Operator& op : known.operators) {
    if (op.name != name || op.id != id) continue;
    found = &op;
    const std::optional<double> shapes = finite_number(cells[2]);
    if (shapes && *shapes != static_cast<double>(op.shapes.size())) {
      differences.push_back(op.name + ": the text says " + std::string(cells[2]) +
                            " shapes, the catalogue has " + std::to_string(op.shapes.size()));
    }
    const std::optional<double> share = finite_number(cells[3].substr(0, cells[3].size() - 1));
    if (share && std::abs(*share / 100 - op.importance) > 0.00051) {
      differences.push_back(op.name + ": the text says " + std::string(cells[3]) +
                            " importance, the catalogue has " + percent(op.importance));
    }
    return true;
  }
  return false;
}

}  // namespace

std::optional<PublishedTable> read_published_table(std::string_view text) {
  const Catalogue known = built_in_catalogue();
  PublishedTable table;
  std::set<std::string> seen;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Operator* found = nullptr;
    std::vector<std::string> differences;
    if (read_line(text.substr(0, end), known, found, differences) &&
        seen.insert(found->name).second) {
      table.catalogue.operators.push_back(*found);
      table.differences.insert(table.differences.end(), differences.begin(), differences.end());
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (table.catalogue.operators.size() < kFewest) return std::nullopt;
  table.catalogue.source = known.source;
  table.catalogue.method = known.method;
  table.catalogue.profiles = known.profiles;
  return table;
}

}  // namespace tactus
