#include "sources/nsys/summary/summary_layout.h"

#include <algorithm>

#include "sources/nsys/summary/summary_cell.h"
#include "sources/text/number.h"

namespace tactus::nsys {
namespace {

struct Heading {
  std::string_view text;
  SummaryField field;
};

// As the GUI and recent versions of `nsys stats` write them, then as older ones did.
constexpr Heading kHeadings[] = {
    {"Time", SummaryField::kTime},
    {"Total Time", SummaryField::kTotal},
    {"Instances", SummaryField::kInstances},
    {"Avg", SummaryField::kAvg},
    {"Med", SummaryField::kMed},
    {"Min", SummaryField::kMin},
    {"Max", SummaryField::kMax},
    {"StdDev", SummaryField::kStdDev},
    {"Name", SummaryField::kName},
    {"Average", SummaryField::kAvg},
    {"Median", SummaryField::kMed},
    {"Minimum", SummaryField::kMin},
    {"Maximum", SummaryField::kMax},
};

/// Headings that are separated by two or more blanks; a single blank is part of a heading.
std::vector<std::string_view> split_at_wide_gaps(std::string_view line) {
  std::vector<std::string_view> headings;
  for (line = trim(line); !line.empty(); line = trim(line)) {
    const std::size_t length = std::min(line.find("  "), line.size());
    headings.push_back(line.substr(0, length));
    line.remove_prefix(length);
  }
  return headings;
}

char separator_of(std::string_view header) {
  if (header.find('\t') != std::string_view::npos) return '\t';
  if (header.find(',') != std::string_view::npos) return ',';
  return SummaryLayout::kBlanks;
}

}  // namespace

std::optional<SummaryLayout> SummaryLayout::from_header(std::string_view line) {
  if (line.find("Total Time") == std::string_view::npos) return std::nullopt;
  SummaryLayout layout;
  layout.separator_ = separator_of(line);
  std::vector<std::string_view> headings;
  CsvSplitter splitter(layout.separator_);
  if (layout.separator_ == kBlanks) {
    headings = split_at_wide_gaps(line);
  } else {
    splitter.start(line);
    headings.assign(splitter.fields().begin(), splitter.fields().end());
  }
  for (const std::string_view heading : headings) layout.take_heading(heading, layout.columns_++);
  if (!layout.has(SummaryField::kTime) || !layout.has(SummaryField::kTotal)) return std::nullopt;
  return layout;
}

void SummaryLayout::take_heading(std::string_view heading, std::size_t column) {
  const std::size_t bracket = std::min(heading.find('('), heading.size());
  const std::string_view unit = heading.substr(bracket);
  const std::string_view name = trim(heading.substr(0, bracket));
  for (const Heading& known : kHeadings) {
    if (known.text != name || has(known.field)) continue;
    places_[index(known.field)] = column;
    const std::size_t closing = unit.find(')');
    if (closing != std::string_view::npos) units_[index(known.field)] = unit.substr(1, closing - 1);
  }
}

std::size_t SummaryLayout::known_columns() const {
  return static_cast<std::size_t>(std::count_if(
      places_.begin(), places_.end(), [](const auto& place) { return place.has_value(); }));
}

bool SummaryLayout::is_kernel_table() const {
  // Names may hold blanks, so in a table separated by blanks the name must come last.
  const std::optional<std::size_t> name = place(SummaryField::kName);
  return has(SummaryField::kInstances) && name.has_value() &&
         (separator_ != kBlanks || *name + 1 == columns_);
}

bool SummaryCells::split(std::string_view line) {
  cells_.clear();
  typed_in_front_ = {};
  closed_ = true;
  if (layout_.separator() == SummaryLayout::kBlanks) {
    split_at_blanks(line);
  } else {
    closed_ = splitter_.start(line);
    cells_.assign(splitter_.fields().begin(), splitter_.fields().end());
    split_off_front();
    while (cells_.size() > layout_.columns() && trim(cells_.back()).empty()) cells_.pop_back();
  }
  const std::string_view total = (*this)[SummaryField::kTotal];
  const bool starts_like_row = read_share((*this)[SummaryField::kTime]).has_value() &&
                               !total.empty() && total.front() >= '0' && total.front() <= '9';
  return starts_like_row || (layout_.separator() == '\t' && complete());
}

/// "dir/file.cu<tab>41.5%<tab>..." has one cell too many, in front.
void SummaryCells::split_off_front() {
  if (cells_.size() != layout_.columns() + 1) return;
  if (read_share(cells_[0]) || !read_share(cells_[1])) return;
  typed_in_front_ = trim(cells_[0]);
  cells_.erase(cells_.begin());
}

/// Every cell except the last is one word; a word with a slash before them was typed by the author.
void SummaryCells::split_at_blanks(std::string_view line) {
  line = trim(line);
  const auto take_word = [&] {
    const std::size_t length = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, length);
    line = trim(line.substr(length));
    return word;
  };
  const std::string_view whole_line = line;
  typed_in_front_ = take_word();
  if (typed_in_front_.find('/') == std::string_view::npos) {
    typed_in_front_ = {};
    line = whole_line;
  }
  while (!line.empty() && cells_.size() + 1 < layout_.columns()) cells_.push_back(take_word());
  if (!line.empty()) cells_.push_back(line);
}

std::string_view SummaryCells::operator[](SummaryField field) const {
  const std::optional<std::size_t> place = layout_.place(field);
  return place && *place < cells_.size() ? trim(cells_[*place]) : std::string_view();
}

}  // namespace tactus::nsys
