#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "operators/definition.h"
#include "operators/definitions/rows.h"
#include "operators/definitions/terms.h"
#include "operators/slack.h"

namespace tactus {

/// Makes some rows of queries large, so that scores are far above 88, where exp() overflows in
/// fp32, and some small, so that a softmax is flat. If the number of heads is a multiple of 4, all
/// rows of a head are alike.
inline void draw_uneven_queries(const HostTensor& q, std::int64_t width, Random& random) {
  scale_some_rows({&q}, width, 32, 4, random);
  scale_some_rows({&q}, width, 0x1p-6, 4, random);
}

/// One row of attention: softmax(query . keys * scale) over `keys` rows, times the values.
/// `read_key(j, into)` and `read_value(j, into)` give a row; `type` is what probabilities may be
/// rounded to before they are multiplied with the values, as flash attention does.
template <class ReadKey, class ReadValue>
ExpectedRun attend(std::span<const double> query, std::int64_t keys, double scale,
                   std::int64_t value_width, NumberType type, ReadKey read_key,
                   ReadValue read_value) {
  const auto count = static_cast<std::size_t>(keys);
  const auto width = static_cast<std::size_t>(value_width);
  const auto terms = static_cast<std::int64_t>(query.size());
  std::vector<double> scores(count);
  std::vector<double> off(count);  // the possible error of a score, which is relative in exp(score)
  std::vector<double> row(query.size());
  double top = -HUGE_VAL;
  for (std::size_t j = 0; j < count; ++j) {
    read_key(static_cast<std::int64_t>(j), std::span<double>(row));
    const ProductSum sum = dot(query, row);
    scores[j] = sum.value * scale;
    off[j] = sum_slack(sum.magnitude * scale, terms) + fp32_slack(scores[j], 4) + fp32_slack(1, 4);
    top = std::max(top, scores[j]);
  }
  struct Column {
    double value = 0, magnitude = 0, squares = 0, by_scores = 0;
  };
  std::vector<Column> columns(width);
  row.resize(width);
  double total = 0;
  double total_off = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const double p = std::exp(scores[j] - top);
    total += p;
    total_off += p * off[j];
    read_value(static_cast<std::int64_t>(j), std::span<double>(row));
    for (std::size_t c = 0; c < width; ++c) {
      const double term = p * row[c];
      columns[c].value += term;
      columns[c].magnitude += std::fabs(term);
      columns[c].squares += term * term;
      columns[c].by_scores += std::fabs(term) * off[j];
    }
  }
  ExpectedRun run;
  for (const Column& column : columns) {
    const double value = column.value / total;
    // Errors of the scores shift weight between values; sums and the division are in fp32.
    const double fp32 =
        (column.by_scores + std::fabs(value) * total_off + sum_slack(column.magnitude, keys)) /
            total +
        fp32_slack(value);
    // Rounded probabilities: independent errors, each a share of its term.
    const double probabilities =
        kDeviations * rounding_deviation(type) * std::sqrt(column.squares) / total;
    run.values.push_back(value);
    run.slack.push_back(fp32 + probabilities);
  }
  return run;
}

}  // namespace tactus
