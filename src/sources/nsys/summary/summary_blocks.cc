#include "sources/nsys/summary/summary_blocks.h"

#include <optional>

#include "sources/nsys/summary/summary_headerless.h"
#include "sources/nsys/summary/summary_traceback.h"
#include "sources/text/line_reader.h"
#include "sources/text/number.h"

namespace tactus::nsys {
namespace {

/// Far more than a person or a profiler writes into one.
constexpr std::uint64_t kLargestSummary = 256 << 20;

/// The line of dashes that `nsys stats` puts under its headings, and the frame of a table.
bool is_rule(std::string_view line) {
  return line.find('-') != std::string_view::npos &&
         line.find_first_not_of("-+|: \t") == std::string_view::npos;
}

/// nvprof has the calls of the API behind the work of the device: in the same table, or (older) in
/// a table of their own with the same headings.
bool starts_api_calls(std::string_view line) {
  line = trim(line);
  if (line.starts_with("==")) line = trim(line.substr(std::min(line.find("== ") + 2, line.size())));
  return line.starts_with("API calls:") || line.starts_with("\"API calls\"");
}

class BlockReader {
 public:
  void take(std::string_view line, std::int64_t number) {
    if (trim(line).empty()) {
      note_open_ = false;
    } else if (starts_api_calls(line)) {
      cells_.reset();
      in_api_calls_ = true;
      add_to_note("text", line, number);
    } else if (std::optional<SummaryLayout> layout = SummaryLayout::from_header(line)) {
      take_header(*layout, line, number);
    } else if (starts_traceback(line)) {  // NOLINT(bugprone-branch-clone): the first that fits
      add_to_note("traceback", line, number);
    } else if (is_rule(line) && ((cells_ && !note_open_) || trim(line).starts_with("+-"))) {
      return;
    } else if (under_header() && blocks_.tables.back().layout.take_units(line)) {
      cells_.emplace(blocks_.tables.back().layout);
    } else if (cells_ && cells_->split(line)) {
      note_open_ = false;
      blocks_.tables.back().rows.push_back({number, std::string(line)});
    } else if (blocks_.tables.empty() && begins_like_row(line)) {
      take_row_without_header(line, number);
    } else if (in_traceback() && continues_traceback(line)) {
      add_to_note("traceback", line, number);
    } else if (in_traceback() && ends_traceback(line)) {
      add_to_note("traceback", line, number);
      note_open_ = false;
    } else {
      add_to_note("text", line, number);
    }
  }

  SummaryBlocks finish() { return std::move(blocks_); }

 private:
  void take_header(const SummaryLayout& layout, std::string_view line, std::int64_t number) {
    if (in_api_calls_ && layout.is_nvprof()) {
      add_to_note("text", line, number);
      return;
    }
    note_open_ = false;
    const bool is_json = layout.separator() == SummaryLayout::kJson;
    const bool goes_on = is_json && cells_ && blocks_.tables.back().layout == layout;
    if (!goes_on) {
      blocks_.tables.push_back({layout, {number, std::string(line)}, {}});
      cells_.emplace(layout);
      in_api_calls_ = false;
    }
    if (is_json) blocks_.tables.back().rows.push_back({number, std::string(line)});
  }

  void take_row_without_header(std::string_view line, std::int64_t number) {
    std::optional<SummaryLayout> layout = layout_without_header(line);
    if (!layout) {
      if (blocks_.lost_rows++ == 0) blocks_.first_lost_row = number;
      add_to_note("text", line, number);
      return;
    }
    note_open_ = false;
    blocks_.tables.push_back({std::move(*layout), {number, {}}, {{number, std::string(line)}}});
    cells_.emplace(blocks_.tables.back().layout);
  }

  bool under_header() const { return cells_ && !note_open_ && blocks_.tables.back().rows.empty(); }
  bool in_traceback() const { return note_open_ && blocks_.notes.back().kind == "traceback"; }

  void add_to_note(std::string_view kind, std::string_view line, std::int64_t number) {
    if (note_open_ && blocks_.notes.back().kind == kind) {
      blocks_.notes.back().text.append("\n").append(line);
    } else {
      blocks_.notes.push_back({std::string(kind), number, std::string(line)});
    }
    note_open_ = true;
  }

  SummaryBlocks blocks_;
  std::optional<SummaryCells> cells_;  ///< of the last table
  bool note_open_ = false;
  bool in_api_calls_ = false;  ///< of nvprof
};

}  // namespace

Result<SummaryBlocks> read_blocks(InputBytes& bytes) {
  LineReader lines(bytes);
  BlockReader blocks;
  for (;;) {
    const Result<bool> more = lines.next();
    if (!more) return more.error();
    if (!*more) return blocks.finish();
    if (lines.bytes_consumed() > kLargestSummary) {
      return input_error(bytes.path() + ": is larger than " +
                         std::to_string(kLargestSummary >> 20) +
                         " MiB, the limit for a kernel summary");
    }
    blocks.take(lines.line(), static_cast<std::int64_t>(lines.line_number()));
  }
}

}  // namespace tactus::nsys
