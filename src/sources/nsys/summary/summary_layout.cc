#include "sources/nsys/summary/summary_layout.h"

#include <algorithm>

#include "sources/nsys/summary/summary_cell.h"
#include "sources/nsys/summary/summary_json.h"
#include "sources/text/number.h"

namespace tactus::nsys {
namespace {

struct Heading {
  std::string_view text;
  SummaryField field;
};

// As the GUI and recent versions of `nsys stats` write them, then as older ones did, then nvprof.
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
    {"GridXYZ", SummaryField::kGrid},
    {"BlockXYZ", SummaryField::kBlock},
    {"Category", SummaryField::kCategory},
    {"Operation", SummaryField::kOperation},
    {"Average", SummaryField::kAvg},
    {"Median", SummaryField::kMed},
    {"Minimum", SummaryField::kMin},
    {"Maximum", SummaryField::kMax},
    {"Calls", SummaryField::kInstances},
};

/// nvprof has no unit of time in its headings, and its share comes first:
///
///     Time(%)      Time     Calls       Avg       Min       Max  Name
bool are_of_nvprof(std::span<const std::string_view> headings) {
  const auto has = [&](std::string_view text) {
    return std::find(headings.begin(), headings.end(), text) != headings.end();
  };
  return has("Time(%)") && has("Time") && has("Calls") && has("Name") && !has("Total");
}

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

/// nvprof separates short headings by single blanks, and none of its headings has one.
std::vector<std::string_view> split_at_gaps(std::string_view line) {
  std::vector<std::string_view> headings;
  for (line = trim(line); !line.empty(); line = trim(line)) {
    const std::size_t length = std::min(line.find(' '), line.size());
    headings.push_back(line.substr(0, length));
    line.remove_prefix(length);
  }
  return headings;
}

/// "| a | b |", also without the outer bars. A bar of a text is written with a backslash.
std::vector<std::string_view> split_at_bars(std::string_view line) {
  line = trim(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|') && !line.ends_with("\\|")) line.remove_suffix(1);
  std::vector<std::string_view> cells;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const bool ends = i == line.size() || (line[i] == '|' && (i == 0 || line[i - 1] != '\\'));
    if (!ends) continue;
    cells.push_back(trim(line.substr(begin, i - begin)));
    begin = i + 1;
  }
  return cells;
}

char separator_of(std::string_view header) {
  if (trim(header).starts_with('{')) return SummaryLayout::kJson;
  if (header.find('\t') != std::string_view::npos) return '\t';
  if (std::count(header.begin(), header.end(), '|') > 2) return SummaryLayout::kBars;
  if (header.find(',') != std::string_view::npos) return ',';
  return SummaryLayout::kBlanks;
}

/// What Markdown puts around a text: `code`, **bold**.
std::string without_markup(std::string_view cell) {
  for (const std::string_view mark : {"**", "`"}) {
    const bool around =
        cell.size() >= 2 * mark.size() && cell.starts_with(mark) && cell.ends_with(mark);
    if (around) cell = trim(cell.substr(mark.size(), cell.size() - 2 * mark.size()));
  }
  std::string text;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] == '\\' && i + 1 < cell.size() && cell[i + 1] == '|') continue;
    text += cell[i];
  }
  return text;
}

bool may_be_header(std::string_view line) {
  return line.find("Total Time") != std::string_view::npos ||
         (line.find("Time(%)") != std::string_view::npos &&
          line.find("Calls") != std::string_view::npos);
}

}  // namespace

std::optional<SummaryLayout> SummaryLayout::from_header(std::string_view line) {
  if (!may_be_header(line)) return std::nullopt;
  SummaryLayout layout;
  layout.separator_ = separator_of(line);
  std::vector<std::string_view> headings;
  std::vector<JsonCell> members;
  CsvSplitter splitter(layout.separator_);
  switch (layout.separator_) {
    case kJson:
      members = read_json_row(line);
      for (const JsonCell& member : members) headings.emplace_back(member.key);
      break;
    case kBars: headings = split_at_bars(line); break;
    case kBlanks:
      headings = split_at_gaps(line);
      if (!are_of_nvprof(headings)) headings = split_at_wide_gaps(line);
      break;
    default:
      splitter.start(line);
      headings.assign(splitter.fields().begin(), splitter.fields().end());
  }
  layout.take_headings(headings);
  if (!layout.has(SummaryField::kTime) || !layout.has(SummaryField::kTotal)) return std::nullopt;
  return layout;
}

void SummaryLayout::take_headings(std::span<const std::string_view> headings) {
  is_nvprof_ = are_of_nvprof(headings);
  if (is_nvprof_ && headings.front() == "Type") {
    has_types_ = true;
    if (separator_ == kBlanks) headings = headings.subspan(1);  // the rows seldom have one
  }
  for (const std::string_view heading : headings) {
    if (is_nvprof_ && heading == "Time") {
      places_[index(SummaryField::kTotal)] = columns_++;
    } else if (!is_nvprof_ && heading == "Calls") {  // of another table
      ++columns_;
    } else {
      take_heading(heading, columns_++);
    }
  }
  // cuda_gpu_sum calls its kernels operations, as it has memory operations too.
  if (has(SummaryField::kCategory) && !has(SummaryField::kName)) {
    std::swap(places_[index(SummaryField::kName)], places_[index(SummaryField::kOperation)]);
  }
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

std::string_view SummaryLayout::unit(SummaryField field) const {
  const std::string& own = units_[index(field)];
  return own.empty() ? units_[index(SummaryField::kTotal)] : own;
}

bool SummaryLayout::take_units(std::string_view line) {
  if (separator_ != ',') return false;
  CsvSplitter splitter(',');
  splitter.start(line);
  const auto cells = splitter.fields();
  if (cells.size() != columns_) return false;
  const bool only_units = std::all_of(cells.begin(), cells.end(), [](std::string_view cell) {
    return cell.empty() || cell == "%" || is_time_unit(cell);
  });
  if (!only_units) return false;
  for (std::size_t field = 0; field < places_.size(); ++field) {
    if (places_[field]) units_[field] = cells[*places_[field]];
  }
  return true;
}

std::size_t SummaryLayout::words_in(std::size_t column) const {
  constexpr std::size_t kDimensions = 3;  // "132    1    1"
  const bool is_size =
      place(SummaryField::kGrid) == column || place(SummaryField::kBlock) == column;
  return is_size ? kDimensions : 1;
}

std::size_t SummaryLayout::known_columns() const {
  return static_cast<std::size_t>(
      std::count_if(places_.begin(), places_.begin() + kSummaryFields,
                    [](const auto& place) { return place.has_value(); }));
}

bool SummaryLayout::is_kernel_table() const {
  // Names may hold blanks, so in a table separated by blanks the name must come last.
  const std::optional<std::size_t> name = place(SummaryField::kName);
  return has(SummaryField::kInstances) && name.has_value() &&
         (separator_ != kBlanks || *name + 1 == columns_);
}

bool SummaryCells::split(std::string_view line) {
  cells_.clear();
  held_.clear();
  typed_in_front_ = {};
  closed_ = true;
  if (layout_.separator() == SummaryLayout::kBlanks) {
    split_at_blanks(line);
  } else {
    split_at_separators(line);
  }
  const std::string_view total = (*this)[SummaryField::kTotal];
  const bool starts_like_row = read_share((*this)[SummaryField::kTime]).has_value() &&
                               !total.empty() && total.front() >= '0' && total.front() <= '9';
  return starts_like_row || (layout_.separator() == '\t' && complete());
}

void SummaryCells::split_at_separators(std::string_view line) {
  if (layout_.separator() == SummaryLayout::kJson) {
    for (JsonCell& member : read_json_row(line)) held_.push_back(std::move(member.value));
  } else if (layout_.separator() == SummaryLayout::kBars) {
    if (line.find('|') == std::string_view::npos) return;
    for (const std::string_view cell : split_at_bars(line)) {
      held_.push_back(without_markup(cell));
    }
  } else {
    closed_ = splitter_.start(line);
    cells_.assign(splitter_.fields().begin(), splitter_.fields().end());
  }
  if (!held_.empty()) cells_.assign(held_.begin(), held_.end());
  split_off_front();
  while (cells_.size() > layout_.columns() && trim(cells_.back()).empty()) cells_.pop_back();
}

/// "dir/file.cu<tab>41.5%<tab>..." has one cell too many, in front.
void SummaryCells::split_off_front() {
  if (cells_.size() != layout_.columns() + 1) return;
  if (read_share(cells_[0]) || !read_share(cells_[1])) return;
  typed_in_front_ = trim(cells_[0]);
  cells_.erase(cells_.begin());
}

/// Every cell except the last is one word, or three; a word with a slash before them was typed by
/// the author. nvprof writes what follows in front of a row: "GPU activities:".
void SummaryCells::split_at_blanks(std::string_view line) {
  line = trim(line);
  constexpr std::string_view kType = "GPU activities:";
  if (layout_.has_types() && line.starts_with(kType)) line = trim(line.substr(kType.size()));
  const auto take_words = [&](std::size_t words) {
    const std::string_view from = line;
    std::size_t end = 0;
    for (; words > 0; --words) {
      end = std::min(from.find_first_of(" \t", from.find_first_not_of(" \t", end)), from.size());
    }
    line = trim(from.substr(end));
    return from.substr(0, end);
  };
  const std::string_view whole_line = line;
  typed_in_front_ = take_words(1);
  if (typed_in_front_.find('/') == std::string_view::npos) {
    typed_in_front_ = {};
    line = whole_line;
  }
  while (!line.empty() && cells_.size() + 1 < layout_.columns()) {
    cells_.push_back(take_words(layout_.words_in(cells_.size())));
  }
  if (!line.empty()) cells_.push_back(line);
}

std::string_view SummaryCells::operator[](SummaryField field) const {
  const std::optional<std::size_t> place = layout_.place(field);
  const std::string_view cell =
      place && *place < cells_.size() ? trim(cells_[*place]) : std::string_view();
  return cell == "-" ? std::string_view() : cell;
}

}  // namespace tactus::nsys
