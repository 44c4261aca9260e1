// The tables of the published page (seed 003), cell by cell.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "support/files.h"
#include "support/published_catalogue.h"
#include "views/roofline/roofline_view.h"

namespace tactus {
namespace {

using Cells = std::vector<std::string>;

std::string trimmed(std::string text) {
  const std::size_t from = text.find_first_not_of(' ');
  if (from == std::string::npos) return {};
  return text.substr(from, text.find_last_not_of(' ') - from + 1);
}

/// The cells of a line with bars in it, escapes and empty cells at the edges removed.
Cells cells_of(const std::string& line) {
  Cells cells(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      cells.back() += line[++i];
    } else if (line[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  Cells kept;
  for (const std::string& cell : cells) {
    const std::string text = trimmed(cell);
    if (!text.empty() && text != "\u25B6") kept.push_back(text);
  }
  return kept;
}

/// The rows of the three tables, told apart by their heads.
struct Tables {
  std::vector<Cells> operators;
  std::vector<Cells> rooflines;
  std::vector<Cells> shapes;  ///< operators and shapes, in the order of the page
};

Tables tables_of(const std::string& text) {
  Tables tables;
  std::vector<Cells>* current = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find('|') == std::string::npos) {
      current = nullptr;
      continue;
    }
    Cells cells = cells_of(line);
    if (cells.empty() || cells[0].starts_with(":-") || cells[0].starts_with("--")) continue;
    if (cells[0].starts_with("Operator")) {
      const std::string& second = cells[1];
      current = second == "dtype"    ? &tables.operators
                : second == "Regime" ? &tables.rooflines
                                     : &tables.shapes;
      continue;
    }
    if (current == nullptr) continue;
    if (cells[0].starts_with("**")) cells[0] = cells[0].substr(2, cells[0].size() - 4);
    current->push_back(cells);
  }
  return tables;
}

/// Nothing where the machines or the page are not there.
std::optional<Tables> our_tables() {
  static const Catalogue catalogue = testing::published_catalogue();
  std::vector<const HardwareProfile*> machines;
  for (const char* name : {"H20", "XPU-A"}) machines.push_back(*find_hardware(name));
  RooflineQuestion question;
  question.model = CostModel::kCatalogue;
  const Result<Roofline> roofline = make_roofline(catalogue, machines, {}, question);
  if (!roofline) return std::nullopt;
  return tables_of(show_roofline_markdown(*roofline, catalogue));
}

std::string joined(const Cells& cells) {
  std::string text;
  for (const std::string& cell : cells) text += (text.empty() ? "" : " | ") + cell;
  return text;
}

void expect_same(const std::vector<Cells>& ours, const std::vector<Cells>& published) {
  ASSERT_EQ(ours.size(), published.size());
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_EQ(joined(ours[i]), joined(published[i]));
}

TEST(RooflinePage, has_every_cell_of_the_published_one) {
  const auto seed = testing::shared_file("seeds/003_43bc38207cb4bebe.txt");
  if (!seed) GTEST_SKIP() << "the published page is not here";
  const Tables published = tables_of(testing::read_file(*seed));
  ASSERT_EQ(published.operators.size(), 30U);
  ASSERT_EQ(published.rooflines.size(), 30U);
  ASSERT_EQ(published.shapes.size(), 470U);
  const std::optional<Tables> ours = our_tables();
  ASSERT_TRUE(ours);
  expect_same(ours->operators, published.operators);
  expect_same(ours->rooflines, published.rooflines);
  expect_same(ours->shapes, published.shapes);
}

}  // namespace
}  // namespace tactus
