#include "sql/scan/cursor.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>

namespace tactus::sql {
namespace {

/// Unpacking a whole block pays from so many wanted rows on.
constexpr std::size_t kFewRows = 128;

std::int64_t read_number(const char*& text) {
  std::int64_t number = 0;
  text = std::from_chars(text, text + std::strlen(text), number).ptr;
  if (*text != '\0') ++text;
  return number;
}

}  // namespace

std::string Plan::text() const {
  std::string text = std::to_string(order_column) + " " + (is_descending ? "1 " : "0 ") +
                     std::to_string(most_rows) + " ";
  for (const PlannedTerm& term : terms) {
    text += std::to_string(term.column) + " " + std::to_string(static_cast<int>(term.comparison)) +
            (term.is_list ? " 1 " : " 0 ");
  }
  return text;
}

Plan Plan::read(const char* text) {
  Plan plan;
  plan.order_column = static_cast<int>(read_number(text));
  plan.is_descending = read_number(text) != 0;
  plan.most_rows = read_number(text);
  while (*text != '\0') {
    PlannedTerm& term = plan.terms.emplace_back();
    term.column = static_cast<int>(read_number(text));
    term.comparison = static_cast<Comparison>(read_number(text));
    term.is_list = read_number(text) != 0;
  }
  return plan;
}

Cursor::Cursor(Engine& engine, const Relation& relation)
    : engine_(engine), relation_(relation), unpacked_(relation.columns.size()) {}

void Cursor::add_term(const PlannedTerm& term, sqlite3_value* value) {
  const RelationColumn& column = relation_.columns[static_cast<std::size_t>(term.column)];
  if (column.meaning == Meaning::kRowNumber) {
    if (const std::optional<IntegerRange> range = range_of(term.comparison, value)) {
      row_range_.intersect(*range);
    }
    return;
  }
  const std::optional<Condition> condition =
      term.is_list ? make_in_condition(engine_, column, value)
                   : make_condition(engine_, column, term.comparison, value);
  if (condition) add_condition(engine_, *condition, conditions_);
}

bool Cursor::keep_wanted(std::span<const std::uint32_t> candidates) {
  list_.clear();
  for (const std::uint32_t row : candidates) {
    const auto number = static_cast<std::int64_t>(row);
    if (number < row_range_.low || number > row_range_.high) continue;
    if (is_wanted(conditions_, row)) list_.push_back(row);
  }
  is_list_ = true;
  return true;
}

/// Finds the rows without a scan, if a condition allows it.
bool Cursor::use_short_cut(const Plan& plan) {
  if (row_range_.low == row_range_.high) {
    const auto row = static_cast<std::uint32_t>(row_range_.low);
    return keep_wanted(std::span(&row, 1));
  }
  for (std::size_t i = 0; i < plan.terms.size(); ++i) {
    const PlannedTerm& term = plan.terms[i];
    const RelationColumn& column = relation_.columns[static_cast<std::size_t>(term.column)];
    if (term.comparison != Comparison::kEqual || term.is_list || !column.has_codes()) continue;
    const Column& codes = column.codes();
    const auto is_this = [&](const Condition& condition) {
      return condition.column == &codes && !condition.wanted && condition.low == condition.high;
    };
    const auto at = std::find_if(conditions_.begin(), conditions_.end(), is_this);
    if (at == conditions_.end()) continue;
    if (term.column == relation_.sorted_column) {
      std::size_t low = 0, high = rows_;
      while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        (codes[middle] < at->low ? low : high) = codes[middle] < at->low ? middle + 1 : middle;
      }
      std::vector<std::uint32_t> rows;
      for (; low < rows_ && codes[low] == at->low; ++low) {
        rows.push_back(static_cast<std::uint32_t>(low));
      }
      return keep_wanted(rows);
    }
    if (const RowIndex* index = engine_.index_of(codes))
      return keep_wanted(index->rows_of(at->low));
  }
  return false;
}

bool Cursor::start(const Plan& plan, std::span<sqlite3_value*> values) {
  rows_ = relation_.rows();
  if (!has_own_conditions_ && relation_.conditions) own_conditions_ = relation_.conditions();
  has_own_conditions_ = true;
  conditions_.clear();
  row_range_ = {.low = 0, .high = static_cast<std::int64_t>(rows_) - 1};
  for (std::size_t i = 0; i < plan.terms.size() && i < values.size(); ++i) {
    add_term(plan.terms[i], values[i]);
  }
  conditions_.insert(conditions_.end(), own_conditions_.begin(), own_conditions_.end());
  at_end_ = false;
  is_list_ = false;
  selection_.count = 0;
  next_in_selection_ = 0;
  const auto is_never = [](const Condition& condition) { return condition.low > condition.high; };
  if (row_range_.empty() || std::any_of(conditions_.begin(), conditions_.end(), is_never)) {
    at_end_ = true;
    return true;
  }
  next_block_ = static_cast<std::size_t>(row_range_.low) / Column::kBlockRows;
  use_short_cut(plan);
  const bool is_in_order =
      plan.order_column < 0 ||
      (!plan.is_descending &&
       (plan.order_column == relation_.sorted_column ||
        relation_.columns[static_cast<std::size_t>(plan.order_column)].meaning ==
            Meaning::kRowNumber));
  if (!is_in_order) {
    const auto order = static_cast<std::size_t>(plan.order_column);
    const bool are_texts = relation_.columns[order].meaning == Meaning::kDictionary;
    if (!(are_texts ? sort_by_text(plan) : sort_rows(plan))) return false;
  }
  next_in_list_ = 0;
  return advance();
}

/// Calls f(row) for all wanted rows; false if the time is over.
template <class F>
bool Cursor::for_each_wanted(F&& f) {
  if (is_list_) {
    for (const std::uint32_t row : list_) f(std::size_t{row});
    return true;
  }
  while (next_block()) {
    if (engine_.deadline.is_over()) return false;
    for (std::size_t i = 0; i < selection_.count; ++i) {
      const std::size_t row = selection_.row(i);
      const auto number = static_cast<std::int64_t>(row);
      if (number >= row_range_.low && number <= row_range_.high) f(row);
    }
  }
  selection_.count = 0;
  return !engine_.deadline.was_over();
}

/// Puts rows in the order of texts: the distinct texts are sorted, then rows are counted out.
bool Cursor::sort_by_text(const Plan& plan) {
  const RelationColumn& column = relation_.columns[static_cast<std::size_t>(plan.order_column)];
  const Column& codes = column.codes();
  const DistinctCodes* distinct = engine_.distinct.of(codes, engine_.threads);
  CHECK(distinct != nullptr);  // the plan made sure
  const std::size_t count = distinct->codes.size();
  std::vector<Cell> cells;
  for (const std::int64_t code : distinct->codes) cells.push_back(column.cell_of(code));
  std::vector<std::uint32_t> by_text(count);
  std::iota(by_text.begin(), by_text.end(), 0U);
  const auto key = [&](std::uint32_t place) {
    return std::pair(cells[place].type == Cell::Type::kText, cells[place].text);
  };
  std::sort(by_text.begin(), by_text.end(), [&](std::uint32_t a, std::uint32_t b) {
    return plan.is_descending ? key(b) < key(a) : key(a) < key(b);
  });
  std::vector<std::uint32_t> rank_of(count);  // equal texts have one rank
  std::uint32_t ranks = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0 && key(by_text[i - 1]) != key(by_text[i])) ++ranks;
    rank_of[by_text[i]] = ranks;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranked;  // rank and row
  std::vector<std::size_t> begin(std::size_t{ranks} + 2, 0);
  const bool is_done = for_each_wanted([&](std::size_t row) {
    const std::uint32_t rank =
        rank_of[distinct->place[static_cast<std::size_t>(codes[row] - distinct->low)]];
    ranked.emplace_back(rank, static_cast<std::uint32_t>(row));
    ++begin[rank + 1];
  });
  if (!is_done) return false;
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  list_.resize(ranked.size());
  for (const auto& [rank, row] : ranked) list_[begin[rank]++] = row;
  is_list_ = true;
  return true;
}

bool Cursor::sort_rows(const Plan& plan) {
  const RelationColumn& column = relation_.columns[static_cast<std::size_t>(plan.order_column)];
  const Column* codes = column.has_codes() ? &column.codes() : nullptr;
  using Entry = std::pair<std::int64_t, std::uint32_t>;
  const auto comes_before = [down = plan.is_descending](const Entry& a, const Entry& b) {
    if (a.first != b.first) return down ? a.first > b.first : a.first < b.first;
    return a.second < b.second;
  };
  std::vector<Entry> entries;
  const std::size_t most = plan.most_rows < 0 ? SIZE_MAX : static_cast<std::size_t>(plan.most_rows);
  // With a limit, `entries` is a heap of the best rows so far with the worst on top.
  const auto add = [&](std::int64_t key, std::size_t row) {
    const Entry entry(key, static_cast<std::uint32_t>(row));
    if (entries.size() < most) {
      entries.push_back(entry);
      if (entries.size() == most) std::make_heap(entries.begin(), entries.end(), comes_before);
    } else if (most != 0 && comes_before(entry, entries.front())) {
      std::pop_heap(entries.begin(), entries.end(), comes_before);
      entries.back() = entry;
      std::push_heap(entries.begin(), entries.end(), comes_before);
    }
  };
  const bool is_done = for_each_wanted(
      [&](std::size_t row) { add(codes ? (*codes)[row] : static_cast<std::int64_t>(row), row); });
  if (!is_done) return false;
  std::sort(entries.begin(), entries.end(), comes_before);
  list_.clear();
  for (const Entry& entry : entries) list_.push_back(entry.second);
  is_list_ = true;
  return true;
}

/// Goes to the next block with wanted rows; false at the end.
bool Cursor::next_block() {
  const std::size_t end = static_cast<std::size_t>(row_range_.high) + 1;
  while (next_block_ * Column::kBlockRows < end) {
    const std::size_t first = next_block_++ * Column::kBlockRows;
    select_rows(conditions_, first, std::min(Column::kBlockRows, rows_ - first), selection_);
    if (selection_.count != 0) return true;
    if (next_block_ % 64 == 0 && engine_.deadline.is_over()) return false;
  }
  return false;
}

bool Cursor::advance() {
  if (is_list_) {
    at_end_ = next_in_list_ >= list_.size();
    if (!at_end_) row_ = list_[next_in_list_++];
    return true;
  }
  for (;;) {
    while (next_in_selection_ < selection_.count) {
      row_ = selection_.row(next_in_selection_++);
      const auto number = static_cast<std::int64_t>(row_);
      if (number >= row_range_.low && number <= row_range_.high) return true;
    }
    next_in_selection_ = 0;
    if (!next_block()) {
      selection_.count = 0;
      at_end_ = true;
      return !engine_.deadline.was_over();
    }
  }
}

std::int64_t Cursor::code_at(std::size_t index) {
  Unpacked& unpacked = unpacked_[index];
  if (unpacked.column == nullptr) unpacked.column = &relation_.columns[index].codes();
  if (is_list_ || selection_.count < kFewRows) return (*unpacked.column)[row_];
  if (unpacked.first != selection_.first) {
    if (!unpacked.values) {
      unpacked.values = std::make_unique<std::array<std::int64_t, Column::kBlockRows>>();
    }
    unpacked.column->read(selection_.first, std::span(*unpacked.values).first(selection_.rows));
    unpacked.first = selection_.first;
  }
  return (*unpacked.values)[row_ - selection_.first];
}

Cell Cursor::cell(std::size_t index) {
  const RelationColumn& column = relation_.columns[index];
  switch (column.meaning) {
    case Meaning::kRowNumber: return Cell::number(static_cast<std::int64_t>(row_));
    case Meaning::kComputed: return column.compute(row_, buffer_);
    default: return column.cell_of(code_at(index));
  }
}

}  // namespace tactus::sql
