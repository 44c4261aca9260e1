#include "views/sql/sql_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/printable.h"
#include "base/text.h"
#include "base/utf8.h"
#include "views/common/buffered_output.h"
#include "views/common/json.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

using sql::Cell;

/// The shortest digits that read back as the same number; with a point, so that it is seen as real.
std::string real_text(double value) {
  if (!std::isfinite(value)) return value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string cell_text(const Cell& cell, std::string_view null) {
  switch (cell.type) {
    case Cell::Type::kInteger: return std::to_string(cell.integer);
    case Cell::Type::kReal: return real_text(cell.real);
    case Cell::Type::kText: return std::string(cell.text);
    case Cell::Type::kNull: break;
  }
  return std::string(null);
}

class CsvView final : public SqlView {
 public:
  explicit CsvView(OutputFile& file) : out_(file) {}

  Status begin(const std::vector<std::string>& columns) override {
    for (std::size_t i = 0; i < columns.size(); ++i) add(i, csv_cell(columns[i]));
    out_.text() += '\n';
    return {};
  }
  Status row(std::span<const Cell> cells) override {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool is_text = cells[i].type == Cell::Type::kText;
      add(i, is_text ? csv_cell(cells[i].text) : cell_text(cells[i], ""));
    }
    out_.text() += '\n';
    out_.flush_if_full();
    return {};
  }
  Status finish(const std::vector<std::string>&) override { return out_.finish(); }

 private:
  void add(std::size_t place, std::string_view cell) {
    if (place != 0) out_.text() += ',';
    out_.text() += cell;
  }

  BufferedOutput out_;
};

class JsonView final : public SqlView {
 public:
  JsonView(OutputFile& file, const Run& run) : out_(file), run_(run) {}

  Status begin(const std::vector<std::string>& columns) override {
    json_.open_object().key("columns").open_array();
    for (const std::string& column : columns) json_.text(column);
    json_.close_array().key("rows").open_array();
    return {};
  }
  Status row(std::span<const Cell> cells) override {
    json_.open_array();
    for (const Cell& cell : cells) {
      switch (cell.type) {
        case Cell::Type::kNull: json_.null(); break;
        case Cell::Type::kInteger: json_.raw(std::to_string(cell.integer)); break;
        case Cell::Type::kReal:
          if (std::isfinite(cell.real)) {
            json_.raw(real_text(cell.real));
          } else {
            json_.null();
          }
          break;
        case Cell::Type::kText: json_.text(cell.text); break;
      }
    }
    json_.close_array();
    if (std::optional<std::string> part = json_.take_part()) out_.text() += *part;
    out_.flush_if_full();
    return {};
  }
  Status finish(const std::vector<std::string>& warnings) override {
    json_.close_array().key("warnings").open_array();
    for (const std::string& warning : run_.warnings) json_.text(warning);
    for (const std::string& warning : warnings) json_.text(warning);
    json_.close_array().key("dropped").open_object();
    for (const auto& [reason, count] : run_.dropped) json_.key(reason).raw(std::to_string(count));
    json_.close_object().close_object();
    out_.text() += std::move(json_).take() + "\n";
    return out_.finish();
  }

 private:
  BufferedOutput out_;
  const Run& run_;
  JsonText json_;
};

class TableView final : public SqlView {
 public:
  TableView(OutputFile& file, std::size_t width) : out_(file), page_width_(width) {}

  Status begin(const std::vector<std::string>& columns) override {
    heads_ = columns;
    for (std::string& head : heads_) head = printable(head);
    is_number_.assign(columns.size(), true);
    return {};
  }
  Status row(std::span<const Cell> cells) override {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (widths_.empty() && cells[i].type == Cell::Type::kText) is_number_[i] = false;
      texts.push_back(printable(cell_text(cells[i], "NULL")));
    }
    if (!widths_.empty()) {
      write(texts);
      return {};
    }
    first_rows_.push_back(std::move(texts));
    if (first_rows_.size() == kRowsForWidths) write_first_rows();
    return {};
  }
  Status finish(const std::vector<std::string>&) override {
    if (widths_.empty() && !heads_.empty()) write_first_rows();
    return out_.finish();
  }

 private:
  static constexpr std::size_t kRowsForWidths = 1000;
  static constexpr std::size_t kWidest = 60;  ///< of columns that are not the last

  void write_first_rows() {
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      std::size_t width = text_width(heads_[i]);
      for (const auto& texts : first_rows_) width = std::max(width, text_width(texts[i]));
      widths_.push_back(i + 1 < heads_.size() ? std::min(width, kWidest) : width);
    }
    write(heads_);
    std::vector<std::string> lines;
    for (const std::size_t width : widths_) lines.emplace_back(width, '-');
    write(lines);
    for (const auto& texts : first_rows_) write(texts);
    first_rows_.clear();
  }

  void write(const std::vector<std::string>& texts) {
    std::string line;
    std::size_t used = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const bool is_last = i + 1 == texts.size();
      std::string text = texts[i];
      std::size_t most = is_last ? SIZE_MAX : widths_[i];
      if (is_last && page_width_ != 0)
        most = std::max<std::size_t>(page_width_ - std::min(used, page_width_), 8);
      if (text_width(text) > most) text = shorten(text, most);
      const std::size_t length = text_width(text);
      const std::string padding(length < widths_[i] ? widths_[i] - length : 0, ' ');
      line += is_number_[i] ? padding + text : is_last ? text : text + padding;
      if (!is_last) line += "  ";
      used += widths_[i] + 2;
    }
    out_.text() += line + "\n";
    out_.flush_if_full();
  }

  BufferedOutput out_;
  std::size_t page_width_;
  std::vector<std::string> heads_;
  std::vector<bool> is_number_;
  std::vector<std::size_t> widths_;  ///< empty until they are known
  std::vector<std::vector<std::string>> first_rows_;
};

}  // namespace

std::unique_ptr<SqlView> sql_table_view(OutputFile& file, std::size_t width) {
  return std::make_unique<TableView>(file, width);
}
std::unique_ptr<SqlView> sql_csv_view(OutputFile& file) {
  return std::make_unique<CsvView>(file);
}
std::unique_ptr<SqlView> sql_json_view(OutputFile& file, const Run& run) {
  return std::make_unique<JsonView>(file, run);
}

}  // namespace tactus
