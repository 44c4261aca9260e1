#include "watch/latency_model.h"

#include <algorithm>
#include <map>

#include "base/median.h"

namespace tactus::watch {
namespace {

/// Rounds of weights; after about 20 the coefficients of the published file do not move any more.
constexpr int kRounds = 30;
/// Errors below 0.1% count alike: weights stay finite.
constexpr double kLeastError = 1e-3;
/// Keeps terms near 0 that steps do not tell apart, so that their time goes to the constant term,
/// which extrapolates best. Small against real terms: a ten-thousandth of the weight of the steps.
constexpr double kRidge = 1e-4;
constexpr double kRidgeOfConstant = 1e-9;
/// A block is left out if half of its steps are off by more than this. The bias of a sound job is
/// below 3.5% in 95% of cases.
constexpr double kContaminated = 0.05;
constexpr double kNormalSpread = 1.4826;  // of a normal distribution, over its median deviation

using Row = Terms;
using Matrix = std::array<std::array<double, kMostTerms>, kMostTerms>;

/// Solves A x = b of a symmetric positive A by Cholesky; x is 0 where A has no weight.
Terms solve(Matrix a, Terms b, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    double diagonal = a[j][j];
    for (std::size_t k = 0; k < j; ++k) diagonal -= a[j][k] * a[j][k];
    const double root = diagonal > 1e-300 ? std::sqrt(diagonal) : 0;
    a[j][j] = root;
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      a[i][j] = root > 0 ? sum / root : 0;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] = a[i][i] > 0 ? b[i] / a[i][i] : 0;
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k][i] * b[k];
    b[i] = a[i][i] > 0 ? b[i] / a[i][i] : 0;
  }
  return b;
}

double dot(const Terms& a, const Terms& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kMostTerms; ++i) sum += a[i] * b[i];
  return sum;
}

/// Rows are terms over the duration, so that a perfect prediction is 1 in each.
Terms fit_rows(const std::vector<Row>& rows, std::size_t n) {
  Terms size{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < n; ++i) size[i] += row[i] * row[i];
  }
  for (double& of : size) of = of > 0 ? std::sqrt(of / static_cast<double>(rows.size())) : 1;
  std::vector<Row> scaled = rows;
  for (Row& row : scaled) {
    for (std::size_t i = 0; i < n; ++i) row[i] /= size[i];
  }
  std::vector<double> weights(rows.size(), 1);
  Terms found{};
  for (int round = 0; round < kRounds; ++round) {
    Matrix a{};
    Terms b{};
    double total = 0;
    for (std::size_t r = 0; r < scaled.size(); ++r) {
      const Row& row = scaled[r];
      const double weight = weights[r];
      total += weight;
      for (std::size_t i = 0; i < n; ++i) {
        const double of = weight * row[i];
        b[i] += of;
        for (std::size_t j = 0; j <= i; ++j) a[i][j] += of * row[j];
      }
    }
    // The ridge belongs to what is behind the constant.
    for (std::size_t i = 0; i < n; ++i) {
      a[i][i] += total * (i == 0 ? kRidgeOfConstant : kRidge);
    }
    const Terms before = found;
    found = solve(a, b, n);
    double moved = 0;
    for (std::size_t i = 0; i < n; ++i) moved = std::max(moved, std::abs(found[i] - before[i]));
    if (moved < 1e-7) break;
    for (std::size_t r = 0; r < scaled.size(); ++r) {
      weights[r] = 1 / std::max(std::abs(1 - dot(scaled[r], found)), kLeastError);
    }
  }
  for (std::size_t i = 0; i < n; ++i) found[i] /= size[i];
  return found;
}

double typical(std::vector<double> sizes) {
  return sizes.empty() ? 0 : upper_median(std::move(sizes));
}

}  // namespace

std::string_view model_kind_name(ModelKind kind) {
  switch (kind) {
    case ModelKind::kDecode: return "decode";
    case ModelKind::kWithPrompts: return "with prompts";
    case ModelKind::kByLaunches: break;
  }
  return "by launches";
}

std::optional<ModelKind> kind_of(const Step& step) {
  const bool has_prompts = step.phase == Phase::kPrefill || step.phase == Phase::kMixed;
  if (step.phase == Phase::kDecode && !std::isnan(step.sequences)) return ModelKind::kDecode;
  if (has_prompts && !std::isnan(step.prompt_tokens)) return ModelKind::kWithPrompts;
  if (std::isnan(step.sequences) && !std::isnan(step.launches)) return ModelKind::kByLaunches;
  return std::nullopt;
}

double padded_batch(double sequences) {
  if (sequences <= 2 || sequences > 512) return sequences;
  if (sequences <= 4) return 4;
  return std::ceil(sequences / 8) * 8;
}

Terms terms_of(ModelKind kind, const Step& step) {
  Terms terms{};
  const double b = std::isnan(step.sequences) ? 0 : step.sequences;
  const double s = std::isnan(step.context) ? 0 : step.context;
  terms[0] = 1;
  if (kind == ModelKind::kByLaunches) return terms;
  terms[1] = b;
  terms[2] = s;
  if (kind == ModelKind::kDecode) {
    for (std::size_t i = 0; i < std::size(kStepsAt); ++i) terms[3 + i] = b > kStepsAt[i] ? 1 : 0;
    terms[kMostTerms - 2] = std::max(b - 64, 0.0);
    terms[kMostTerms - 1] = padded_batch(b);
    return terms;
  }
  const double t = step.prompt_tokens;
  terms[3] = t;
  terms[4] = std::isnan(step.prompts) ? 0 : step.prompts;
  terms[5] = std::max(t - 512, 0.0);
  terms[6] = std::max(t - 2048, 0.0);
  return terms;
}

std::size_t term_count(ModelKind kind) {
  if (kind == ModelKind::kDecode) return kMostTerms;
  return kind == ModelKind::kWithPrompts ? 7 : 1;
}

std::string_view term_name(ModelKind kind, std::size_t term) {
  static constexpr std::string_view kDecode[] = {"each step",
                                                 "per sequence",
                                                 "per token of context",
                                                 "more than 1",
                                                 "more than 2",
                                                 "more than 4",
                                                 "more than 8",
                                                 "more than 16",
                                                 "more than 32",
                                                 "more than 64",
                                                 "more than 128",
                                                 "per sequence above 64",
                                                 "per place of the captured batch"};
  static_assert(std::size(kDecode) == kMostTerms);
  static constexpr std::string_view kPrompts[] = {
      "each step",  "per sequence",        "per token of context", "per token of a prompt",
      "per prompt", "per token above 512", "per token above 2048"};
  if (kind == ModelKind::kDecode) return kDecode[term];
  return kind == ModelKind::kWithPrompts ? kPrompts[term] : "level";
}

std::size_t launch_class(double launches) {
  if (!(launches >= 1)) return 0;
  static const double kApart = std::log(1.1);
  const auto found = static_cast<std::size_t>(std::log(std::min(launches, 1e6)) / kApart) + 1;
  return std::min(found, kLaunchClasses - 1);
}

LatencyModel LatencyModel::fit(ModelKind kind, std::span<const Step> steps,
                               std::span<const std::uint32_t> blocks) {
  LatencyModel model(kind);
  if (steps.empty()) return model;
  model.learnt_from_ = steps.size();
  double longest = 0;
  for (const Step& step : steps) longest = std::max(longest, step.dur_us);
  model.least_us_ = longest / 1000;
  if (kind == ModelKind::kByLaunches) {
    model.fit_levels(steps);
  } else {
    std::vector<Row> rows;
    rows.reserve(steps.size());
    for (const Step& step : steps) {
      Row row = terms_of(kind, step);
      for (double& term : row) term /= step.dur_us;
      rows.push_back(row);
    }
    model.coefficients_ = fit_rows(rows, term_count(kind));
    if (!blocks.empty()) {
      std::map<std::uint32_t, std::vector<double>> sizes;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        sizes[blocks[i]].push_back(std::abs(model.residual(steps[i])));
      }
      std::map<std::uint32_t, bool> is_off;
      for (auto& [block, of] : sizes) is_off[block] = typical(std::move(of)) > kContaminated;
      std::vector<Row> sound;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!is_off[blocks[i]]) sound.push_back(rows[i]);
      }
      if (2 * sound.size() > rows.size() && sound.size() < rows.size()) {
        model.coefficients_ = fit_rows(sound, term_count(kind));
      }
    }
  }
  std::vector<double> sizes;
  sizes.reserve(steps.size());
  for (const Step& step : steps) sizes.push_back(std::abs(model.residual(step)));
  model.spread_ = kNormalSpread * typical(std::move(sizes));
  return model;
}

void LatencyModel::fit_levels(std::span<const Step> steps) {
  std::vector<std::vector<double>> by_class(kLaunchClasses);
  for (const Step& step : steps) by_class[launch_class(step.launches)].push_back(step.dur_us);
  levels_.assign(kLaunchClasses, 0);
  std::vector<double> all;
  for (std::size_t i = 0; i < kLaunchClasses; ++i) {
    all.insert(all.end(), by_class[i].begin(), by_class[i].end());
    if (!by_class[i].empty()) levels_[i] = static_cast<float>(upper_median(std::move(by_class[i])));
  }
  coefficients_[0] = upper_median(std::move(all));
}

double LatencyModel::predict(const Step& step) const {
  if (kind_ == ModelKind::kByLaunches) {
    const std::size_t at = launch_class(step.launches);
    const double level = at < levels_.size() ? static_cast<double>(levels_[at]) : 0;
    return std::max(level > 0 ? level : coefficients_[0], least_us_);
  }
  return std::max(dot(terms_of(kind_, step), coefficients_), least_us_);
}

void LatencyModel::scale(double factor) {
  for (double& of : coefficients_) of *= factor;
  for (float& of : levels_) of *= static_cast<float>(factor);
}

}  // namespace tactus::watch
