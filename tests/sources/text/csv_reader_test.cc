#include "sources/text/csv_reader.h"

#include <gtest/gtest.h>

#include <vector>

#include "sources/text/text_input.h"

namespace tactus {
namespace {

using testing::TextInput;
using Row = std::vector<std::string>;

/// All rows behind the header, be they as long as it or not.
std::vector<Row> rows_of(std::string_view text) {
  TextInput input(text);
  Result<CsvReader> csv = CsvReader::open(input.bytes());
  std::vector<Row> rows;
  while (csv) {
    const Result<bool> more = csv->next();
    if (!more || !*more) break;
    rows.emplace_back(csv->fields().begin(), csv->fields().end());
  }
  return rows;
}

TEST(CsvReader, splits_rows_at_commas) {
  EXPECT_EQ(rows_of("a,b\n1,2\n,\n"), (std::vector<Row>{{"1", "2"}, {"", ""}}));
}

TEST(CsvReader, keeps_commas_and_doubled_quotes_of_quoted_fields) {
  EXPECT_EQ(rows_of("a,b,c\nx,\"f<int, 4>\",\"says \"\"hi\"\"\"\n"),
            (std::vector<Row>{{"x", "f<int, 4>", "says \"hi\""}}));
  EXPECT_EQ(rows_of("a,b\n\"\",\"\"\"\"\n"), (std::vector<Row>{{"", "\""}}));
}

TEST(CsvReader, keeps_line_ends_of_quoted_fields_as_they_are) {
  EXPECT_EQ(rows_of("a,b\r\n\"one\r\ntwo\n\nfour\",x\r\n5,6\r\n"),
            (std::vector<Row>{{"one\r\ntwo\n\nfour", "x"}, {"5", "6"}}));
}

TEST(CsvReader, takes_a_quote_inside_a_field_as_text) {
  EXPECT_EQ(rows_of("a,b\n5\" disk,x\n\"a\"b,c\n"),
            (std::vector<Row>{{"5\" disk", "x"}, {"ab", "c"}}));
}

TEST(CsvReader, skips_blank_lines_and_a_byte_order_mark) {
  EXPECT_EQ(rows_of("\xEF\xBB\xBF\n\na,b\n\n1,2\n\n"), (std::vector<Row>{{"1", "2"}}));
}

TEST(CsvReader, finds_columns_by_name) {
  TextInput input("cycle, pid ,\"name\"\r\n1,2,x\r\n");
  Result<CsvReader> csv = CsvReader::open(input.bytes());
  ASSERT_TRUE(csv);
  EXPECT_EQ(csv->column("cycle"), 0U);
  EXPECT_EQ(csv->column("pid"), 1U);
  EXPECT_EQ(csv->column("name"), 2U);
  EXPECT_EQ(csv->column("beta"), std::nullopt);
}

TEST(CsvReader, names_every_required_column_that_is_missing) {
  TextInput input("cycle,pid\n");
  Result<CsvReader> csv = CsvReader::open(input.bytes());
  ASSERT_TRUE(csv);
  const std::vector<std::string_view> required = {"pid", "beta", "device"};
  const Status complete = csv->require(required);
  ASSERT_FALSE(complete);
  EXPECT_EQ(complete.error().code, ErrorCode::kInput);
  EXPECT_NE(complete.error().message.find("lacks beta, device"), std::string::npos);
}

TEST(CsvReader, tells_rows_that_do_not_fit_the_header_and_goes_on) {
  TextInput input("a,b\n1\n1,2,3\n4,5\n");
  Result<CsvReader> csv = CsvReader::open(input.bytes());
  ASSERT_TRUE(csv);
  for (const bool fits : {false, false, true}) {
    ASSERT_TRUE(*csv->next());
    EXPECT_EQ(csv->fits_header(), fits) << csv->line_number();
  }
  EXPECT_FALSE(*csv->next());
}

TEST(CsvReader, gives_the_line_in_which_a_row_starts) {
  TextInput input("a\n\n\"x\ny\"\nz\n");
  Result<CsvReader> csv = CsvReader::open(input.bytes());
  ASSERT_TRUE(csv);
  for (const std::uint64_t line : {3U, 5U}) {
    ASSERT_TRUE(*csv->next());
    EXPECT_EQ(csv->line_number(), line);
  }
}

TEST(CsvReader, takes_a_quote_that_is_never_closed_as_text) {
  EXPECT_EQ(rows_of("a,b\n1,2\n3,\"cut\n4,5\n"),
            (std::vector<Row>{{"1", "2"}, {"3", "\"cut"}, {"4", "5"}}));
  EXPECT_EQ(rows_of("a,b\n6,\"\n"), (std::vector<Row>{{"6", "\""}}));
  EXPECT_EQ(rows_of("a,b,c\n\"x,y\",\"z \"\"q\"\",3\n4,5,6\n"),
            (std::vector<Row>{{"x,y", "\"z \"\"q\"\"", "3"}, {"4", "5", "6"}}));
  EXPECT_EQ(rows_of("a,\"b\n1,2\n"), (std::vector<Row>{{"1", "2"}}));
}

TEST(CsvReader, loses_no_row_where_a_later_quote_closes_a_broken_one) {
  EXPECT_EQ(rows_of("a,b\n1,\"cut\n2,x\n3,\"f<1, 2>\"\n4,y\n"),
            (std::vector<Row>{{"1", "\"cut"}, {"2", "x"}, {"3", "f<1, 2>"}, {"4", "y"}}));
  // Each quote would close the field of the line before it.
  EXPECT_EQ(rows_of("a,b\n\"1,x\n\"2,y\n\"3,z\n"),
            (std::vector<Row>{{"\"1", "x"}, {"\"2", "y"}, {"\"3", "z"}}));
  // The row of two lines starts inside what the broken quote seems to enclose.
  EXPECT_EQ(rows_of("a,b,c\n1,\"cut,\n2,\"x\",\"two\nlines\"\n3,y,z\n"),
            (std::vector<Row>{{"1", "\"cut", ""}, {"2", "x", "two\nlines"}, {"3", "y", "z"}}));
}

TEST(CsvReader, counts_lines_with_a_quote_that_is_not_closed) {
  TextInput input("a,b\n1,2\n3,\"cut\n4,5\n6,\"cut\n");
  Result<CsvReader> csv = CsvReader::open(input.bytes());
  ASSERT_TRUE(csv);
  std::vector<std::uint64_t> lines;
  while (*csv->next()) lines.push_back(csv->line_number());
  EXPECT_EQ(lines, (std::vector<std::uint64_t>{2, 3, 4, 5}));
  EXPECT_EQ(csv->unclosed_lines(), 2U);
  EXPECT_EQ(csv->first_unclosed_line(), 3U);
}

TEST(CsvReader, goes_on_after_a_quote_that_is_open_for_longer_than_a_line_may_be) {
  std::string text = "a\n\"";
  for (int i = 0; i < 70; ++i) text += std::string(1 << 20, 'x') + "\n";
  text += "\"two\nlines\"\n";
  const std::vector<Row> rows = rows_of(text);
  ASSERT_EQ(rows.size(), 71U);
  EXPECT_EQ(rows[0][0].substr(0, 2), "\"x");
  EXPECT_EQ(rows[70][0], "two\nlines");
}

TEST(CsvReader, reads_many_broken_quotes_without_looking_at_every_line_many_times) {
  // Each line leaves a quote open, whether one was open before it or not. Quadratic work would
  // take hours here.
  const std::string lines[2] = {"\",q\"r,\"s\n", "\"1,2,3,4,5\n"};
  for (const auto& [line, end] :
       {std::pair(lines[0], ""), std::pair(lines[0], "\"\n"), std::pair(lines[1], "")}) {
    std::string text = "a,b,c\n";
    for (int i = 0; i < 1'000'000; ++i) text += line;
    TextInput input(text + end);
    Result<CsvReader> csv = CsvReader::open(input.bytes());
    ASSERT_TRUE(csv);
    std::uint64_t rows = 0;
    while (*csv->next()) ++rows;
    EXPECT_GE(rows, 1'000'000U);
    EXPECT_GE(csv->unclosed_lines(), 999'980U);
  }
}

TEST(CsvReader, reads_a_field_of_very_many_lines) {
  std::string text = "a\n\"";
  text.append(20 << 20, '\n').append("\"\n");
  const std::vector<Row> rows = rows_of(text);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][0].size(), std::size_t{20 << 20});
}

TEST(CsvReader, refuses_an_input_without_a_header) {
  for (const char* text : {"", "\n\r\n", "\xEF\xBB\xBF"}) {
    TextInput input(text);
    const Result<CsvReader> csv = CsvReader::open(input.bytes());
    ASSERT_FALSE(csv);
    EXPECT_EQ(csv.error().code, ErrorCode::kInput);
  }
}

TEST(CsvReader, survives_binary_input) {
  EXPECT_NO_FATAL_FAILURE(rows_of(testing::binary_bytes(300'000)));
}

TEST(CsvHeader, is_recognised_in_any_order_and_with_more_columns) {
  const std::vector<std::string_view> names = {"time", "value"};
  EXPECT_TRUE(has_csv_columns("time,value\n1,2\n", names));
  EXPECT_TRUE(has_csv_columns("\xEF\xBB\xBFvalue,\"unit\",time\r\n", names));
  EXPECT_FALSE(has_csv_columns("time,values\n", names));
  EXPECT_FALSE(has_csv_columns("x\ntime,value\n", names));
  EXPECT_FALSE(has_csv_columns("", names));
}

}  // namespace
}  // namespace tactus
