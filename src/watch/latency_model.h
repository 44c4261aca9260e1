#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "watch/step.h"

namespace tactus::watch {

/// How long a step should take for its work: a sum of a few terms whose form follows from how a GPU
/// does the work. Which terms depends on what is known of a step.
///
/// decode    c0 + c1 B + c2 S + steps at B > 1, 2, 4, .., 128 + c11 max(B - 64, 0) + c12 pad(B)
///           B sequences, S tokens of context. Weights are read once per step (c0), keys and values
///           once per token of context (c2). A matrix product has tiles of a fixed height, so its
///           time jumps where B needs one more, and with few rows each power of two may have a
///           kernel of its own; CUDA graphs are captured for a few sizes only and work on pad(B).
/// with prompts  c0 + c1 B + c2 S + c3 T + c4 n + c5 max(T - 512, 0) + c6 max(T - 2048, 0)
///           T tokens of n prompts. Up to a few hundred tokens the weights are the limit, then
///           arithmetic is; above the usual budget of a step (2048), attention grows faster.
/// by launches   one level per number of launches, for steps of which nothing else is known
enum class ModelKind : std::uint8_t { kDecode, kWithPrompts, kByLaunches };
std::string_view model_kind_name(ModelKind kind);

/// The kind of model that a step can be explained by; nothing if its work is not known well enough:
/// a step with prompts of unknown length can take any time.
std::optional<ModelKind> kind_of(const Step& step);

inline constexpr double kStepsAt[] = {1, 2, 4, 8, 16, 32, 64, 128};
/// Constant, sequences, context, the steps, another slope, the captured size.
inline constexpr std::size_t kMostTerms = 3 + std::size(kStepsAt) + 2;
using Terms = std::array<double, kMostTerms>;

/// The size that a CUDA graph was captured for, as vLLM and SGLang do it: 1, 2, 4, then multiples
/// of
/// 8. Above 512 nothing is captured.
double padded_batch(double sequences);

/// The terms of a step; those that the kind does not use are 0.
Terms terms_of(ModelKind kind, const Step& step);
std::string_view term_name(ModelKind kind, std::size_t term);
std::size_t term_count(ModelKind kind);

/// The coefficients [us per unit of the term] of one kind.
class LatencyModel {
 public:
  LatencyModel() = default;
  explicit LatencyModel(ModelKind kind) : kind_(kind) {}

  /// Fits the sum of absolute relative errors by least squares with weights that are taken anew in
  /// each round, so that a few steps that were disturbed do not bend it. Terms that the steps do
  /// not tell apart share their time. Steps must be of this kind. `blocks` numbers steps that
  /// belong together (a job, a stretch of time): blocks whose steps are mostly off by more than 5%
  /// are left out of a second fit; empty for none.
  static LatencyModel fit(ModelKind kind, std::span<const Step> steps,
                          std::span<const std::uint32_t> blocks = {});

  ModelKind kind() const { return kind_; }
  /// [us]; at least a thousandth of the longest step that was learnt.
  double predict(const Step& step) const;
  /// ln(duration / prediction): 0.1 is about 10% too long.
  double residual(const Step& step) const { return std::log(step.dur_us / predict(step)); }
  const Terms& coefficients() const { return coefficients_; }
  /// Typical size of a residual: 1.4826 times the median of its absolute value, which is the
  /// standard deviation of normal noise.
  double spread() const { return spread_; }
  std::size_t learnt_from() const { return learnt_from_; }
  bool is_fitted() const { return learnt_from_ > 0; }
  /// Multiplies all predictions: slow change that is no fault.
  void scale(double factor);

 private:
  void fit_levels(std::span<const Step> steps);

  ModelKind kind_ = ModelKind::kDecode;
  Terms coefficients_{};
  double spread_ = 0;
  double least_us_ = 1;
  std::size_t learnt_from_ = 0;
  /// kByLaunches: level of each size class of launches [us], 0 if it was never seen.
  std::vector<float> levels_;
};

/// The class of a number of launches, 10% apart from the next.
std::size_t launch_class(double launches);
inline constexpr std::size_t kLaunchClasses = 160;

}  // namespace tactus::watch
