#include "cycles/phases/pass_phases.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "base/hash.h"
#include "stats/summary.h"

namespace tactus {
namespace {

constexpr double kMuchLonger = 3.0;  // a layer in prefill takes at least as long as this many in
                                     // decode

/// An encoder's attention is that of a prefill, but the model never decodes.
Phase phase_of_attention(const KernelName& name, bool model_generates) {
  if (name.causal == true && name.op != "attention_decode") return Phase::kPrefill;
  if (!model_generates) return Phase::kUnknown;
  if (name.op == "attention_prefill") {
    // Without a mask it may be either: a single query that sees all keys uses it too.
    return name.causal == false ? Phase::kUnknown : Phase::kPrefill;
  }
  if (name.op == "attention_decode" || name.kv_split) return Phase::kDecode;
  return Phase::kUnknown;
}

/// What the names of a pass's attention kernels say.
Phase phase_by_names(const StreamView& view, DecodedNames& names, const Pass& pass,
                     bool model_generates) {
  std::size_t prefill = 0;
  std::size_t decode = 0;
  for (std::size_t i = pass.first; i < pass.end; ++i) {
    if (!view.is(i, Family::kAttention)) continue;
    const Phase phase = phase_of_attention(names.of(view.stream.names[i]), model_generates);
    prefill += phase == Phase::kPrefill ? 1 : 0;
    decode += phase == Phase::kDecode ? 1 : 0;
  }
  if (prefill == 0 && decode == 0) return Phase::kUnknown;
  // Both in each layer: prompts and new tokens in one batch.
  if (2 * std::min(prefill, decode) >= pass.layers) return Phase::kMixed;
  return prefill > decode ? Phase::kPrefill : Phase::kDecode;
}

double layer_ns(const StreamView& view, const Pass& pass) {
  double total = 0;
  for (std::size_t i = pass.layers_first; i < pass.layers_end; ++i) {
    total += static_cast<double>(view.stream.durs[i]);
  }
  return total / static_cast<double>(std::max<std::size_t>(1, pass.layers));
}

/// The same for passes whose layers have the same kernels, in any rotation.
std::uint64_t form_of(const StreamView& view, const Pass& pass) {
  const std::size_t end = std::min(pass.layers_end, pass.layers_first + pass.kernels_per_layer);
  std::vector<std::uint32_t> kernels(
      view.symbols.begin() + static_cast<std::ptrdiff_t>(pass.layers_first),
      view.symbols.begin() + static_cast<std::ptrdiff_t>(end));
  std::sort(kernels.begin(), kernels.end());
  return hash_bytes(
      {reinterpret_cast<const char*>(kernels.data()), kernels.size() * sizeof(std::uint32_t)});
}

/// Encoders make passes too, but neither sample nor keep keys and values.
bool generates(const StreamView& view) {
  return std::any_of(view.families.begin(), view.families.end(), [](Family family) {
    return family == Family::kSampling || family == Family::kKvWrite;
  });
}

/// How long a layer takes in decode: that of the form seen most often, or of a much quicker one.
std::optional<double> decode_layer_ns(const StreamView& view, std::span<const Pass> passes,
                                      std::span<const double> times) {
  std::map<std::uint64_t, std::vector<double>> by_form;
  std::vector<double> known_decode;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    by_form[form_of(view, passes[i])].push_back(times[i]);
    if (passes[i].phase == Phase::kDecode) known_decode.push_back(times[i]);
  }
  if (!known_decode.empty()) return upper_median(known_decode);
  std::size_t most = 0;
  double usual = 0;
  double quickest = 0;
  double slowest = 0;
  for (const auto& [form, of_form] : by_form) {
    const double typical = upper_median(of_form);
    if (of_form.size() > most || (of_form.size() == most && typical < usual)) {
      most = of_form.size();
      usual = typical;
    }
    quickest = quickest == 0 ? typical : std::min(quickest, typical);
    slowest = std::max(slowest, typical);
  }
  if (slowest >= kMuchLonger * quickest) {
    return usual >= kMuchLonger * quickest ? quickest : usual;
  }
  if (most >= 2) return usual;
  return std::nullopt;
}

}  // namespace

void set_phases(const StreamView& view, DecodedNames& names, std::span<Pass> passes) {
  const bool model_generates = generates(view);
  std::vector<double> times;
  for (Pass& pass : passes) {
    pass.phase = phase_by_names(view, names, pass, model_generates);
    times.push_back(layer_ns(view, pass));
  }
  if (!model_generates) return;
  const std::optional<double> decode_ns = decode_layer_ns(view, passes, times);
  if (!decode_ns) return;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (passes[i].phase != Phase::kUnknown) continue;
    passes[i].phase = times[i] >= kMuchLonger * *decode_ns ? Phase::kPrefill : Phase::kDecode;
  }
}

}  // namespace tactus
