#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "base/utf8.h"

namespace tactus {

/// Rows of cells with headings. All columns except the last are right-aligned, for numbers; the
/// last is a name, cut to fit `width` characters (0 for no limit). Names that differ stay different
/// where they are cut. Cells are made printable.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heads);

  /// One number per column. If the width is too small, the columns with the largest number go
  /// first; those with 0 and the last stay.
  void set_ranks(std::vector<int> ranks) { ranks_ = std::move(ranks); }

  /// The last column is a sentence: where it is too long, it goes on below instead of being cut.
  void wrap_last() { wraps_last_ = true; }

  void add(std::vector<std::string> cells);
  std::string to_text(std::size_t width) const;
  std::string to_markdown() const;

 private:
  std::vector<bool> columns_that_fit(const std::vector<std::size_t>& widths,
                                     std::size_t width) const;

  std::vector<std::string> heads_;
  std::vector<int> ranks_;  ///< none: all columns stay
  std::vector<std::vector<std::string>> rows_;
  bool wraps_last_ = false;
};

/// At most `width` characters; the last one is an ellipsis if the text was cut.
std::string shorten(std::string_view text, std::size_t width);

/// Each at most `width` characters (0 for no limit). Texts that differ stay different: if their
/// beginnings are the same, they show where they begin to differ.
std::vector<std::string> shorten_apart(const std::vector<std::string>& texts, std::size_t width);

/// Text that Markdown shows unchanged: special characters are escaped.
std::string markdown_cell(std::string_view text);

// Tables in which all columns except the first hold numbers. Cells are already Markdown: see
// markdown_cell.

void add_markdown_row(std::string& out, const std::vector<std::string>& cells);
void add_markdown_head(std::string& out, const std::vector<std::string>& heads);

/// Lines of at most `room` characters; only a word that is longer makes a longer line.
std::vector<std::string> wrapped(std::string_view text, std::size_t room);

/// Text in lines of at most `width` characters (0 for a readable width), after a heading in the
/// first `head_width` columns; further lines are indented by the same amount. Both are made
/// printable.
std::string paragraph(std::string_view head, std::string_view text, std::size_t width,
                      std::size_t head_width);

}  // namespace tactus
