#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/diagnosis/mistaken_inputs.h"

namespace tactus {
namespace {

using Mistakes = std::vector<InputMistake>;

bool is_float(const TensorSpec& spec) {
  return !is_integer(spec.dtype);
}

bool set_parameter(MistakenInputs& inputs, std::string_view name, double value) {
  for (auto& [key, old] : inputs.problem.parameters) {
    if (key != name || old == value) continue;
    old = value;
    return true;
  }
  return false;
}

void add_parameter(Mistakes& mistakes, std::string name, std::string text, std::string parameter,
                   double value) {
  mistakes.push_back({std::move(name), std::move(text),
                      [parameter = std::move(parameter), value](MistakenInputs& inputs) {
                        return set_parameter(inputs, parameter, value);
                      },
                      nullptr, nullptr});
}

void add_parameters(const Problem& problem, Mistakes& mistakes) {
  for (const auto& [name, value] : problem.parameters) {
    if (name == "eps") {
      add_parameter(mistakes, "wrong_epsilon", "as if eps were missing", name, 0);
      mistakes.back().may_break = true;
      for (const double other : {1e-5, 1e-6, 1e-8, 1e-12, 1e-3}) {
        add_parameter(mistakes, "wrong_epsilon", fmt::format("as if eps were {:g}", other), name,
                      other);
      }
      const double width = static_cast<double>(problem.inputs[0].shape.back());
      add_parameter(mistakes, "wrong_epsilon",
                    "as if eps were added to the sum of squares, before the mean", name,
                    value / width);
      add_parameter(mistakes, "wrong_epsilon", "as if eps were multiplied by the row's length",
                    name, value * width);
    } else if (name == "scale" || name == "factor") {
      add_parameter(mistakes, "forgot_scale", fmt::format("as if {} were 1", name), name, 1);
      add_parameter(mistakes, "wrong_scale", fmt::format("as if {} were used twice", name), name,
                    value * value);
    } else if (name == "fp8_max") {
      for (const double other : {448.0, 240.0, 224.0}) {
        add_parameter(mistakes, "wrong_range", fmt::format("as if fp8_max were {:g}", other), name,
                      other);
      }
    } else if (name == "base") {
      for (const double other : {1e6, 5e5, 1e7}) {
        add_parameter(mistakes, "wrong_base", fmt::format("as if base were {:g}", other), name,
                      other);
      }
    }
  }
}

void fill_with(const HostTensor& tensor, double value) {
  for (std::int64_t i = 0; i < tensor.elements(); ++i) tensor.set(i, value);
}

void add_forgotten(const Problem& problem, Mistakes& mistakes) {
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const TensorSpec& spec = problem.inputs[i];
    if (!is_float(spec)) continue;
    const bool is_scale = spec.name.find("scale") != std::string::npos;
    for (const double value : {1.0, 0.0}) {
      mistakes.push_back({is_scale ? "forgot_scale" : "forgot_input",
                          fmt::format("as if {} were all {:g}", spec.name, value),
                          [i, value](MistakenInputs& inputs) {
                            const HostTensor* tensor = inputs.changed(i);
                            if (tensor != nullptr) fill_with(*tensor, value);
                            return tensor != nullptr;
                          },
                          nullptr, nullptr});
      mistakes.back().bytes = spec.bytes();
    }
  }
}

void add_swapped(const Problem& problem, Mistakes& mistakes) {
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    for (std::size_t j = i + 1; j < problem.inputs.size(); ++j) {
      const TensorSpec& a = problem.inputs[i];
      const TensorSpec& b = problem.inputs[j];
      if (!is_float(a) || a.dtype != b.dtype || a.shape != b.shape) continue;
      mistakes.push_back({"swapped_inputs",
                          fmt::format("as if {} and {} were swapped", a.name, b.name),
                          [i, j](MistakenInputs& inputs) {
                            std::swap(inputs.tensors.inputs[i].data, inputs.tensors.inputs[j].data);
                            return true;
                          },
                          nullptr, nullptr});
    }
  }
}

void add_halves(std::size_t input, std::size_t dimension, std::int64_t group, std::string name,
                std::string text, Mistakes& mistakes) {
  mistakes.push_back({std::move(name), std::move(text),
                      [=](MistakenInputs& inputs) {
                        const HostTensor* tensor = inputs.changed(input);
                        if (tensor != nullptr) swap_halves(*tensor, dimension, group);
                        return tensor != nullptr;
                      },
                      nullptr, nullptr});
}

void add_swapped_halves(const Problem& problem, Mistakes& mistakes) {
  const std::optional<std::int64_t> head = problem.shape.find("head_dim");
  const std::optional<std::int64_t> turned = problem.shape.find("rope_dim");
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const TensorSpec& spec = problem.inputs[i];
    if (!is_float(spec) || spec.shape.size() < 2) continue;
    const std::size_t last = spec.shape.size() - 1;
    const bool gate_and_up =
        problem.operator_name == "silu_and_mul" || spec.name == "w1";  // gate, then up
    if (gate_and_up) {
      const std::size_t dimension = spec.name == "w1" ? 1 : last;
      add_halves(i, dimension, spec.shape[dimension], "swapped_gate_up",
                 fmt::format("as if gate and up, the halves of {}, were swapped", spec.name),
                 mistakes);
      continue;
    }
    if (head && turned && *turned == *head && spec.shape[last] % *head == 0) {
      add_halves(i, last, *head, "swapped_halves",
                 fmt::format("as if the halves of each head of {} were swapped", spec.name),
                 mistakes);
    } else if (spec.shape[last] % 2 == 0) {
      add_halves(i, last, spec.shape[last], "swapped_halves",
                 fmt::format("as if the halves of each row of {} were swapped", spec.name),
                 mistakes);
    }
  }
}

/// Where sequences begin cannot be moved: the definition would read beside its tensors.
bool can_turn(const TensorSpec& spec) {
  return !spec.name.starts_with("cu_") && spec.name != "block_table" &&
         spec.name != "block_tables" && spec.name != "seq_lens" && spec.name != "seqused_k";
}

void add_turned(const Problem& problem, Mistakes& mistakes) {
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const TensorSpec& spec = problem.inputs[i];
    if (!can_turn(spec)) continue;
    for (std::size_t d = 0; d < spec.shape.size(); ++d) {
      if (spec.shape[d] < 2) continue;
      const bool is_column = d + 1 == spec.shape.size() && d > 0;
      if (is_column && !is_float(spec)) continue;
      for (const std::int64_t by : {1, -1}) {
        const bool is_list = spec.shape.size() == 1;
        const std::string what = is_column ? "column"
                                 : is_list ? "number"
                                 : d == 0  ? "row"
                                           : fmt::format("index {}", d);
        mistakes.push_back({is_column || is_list ? "off_by_one_column" : "off_by_one_row",
                            fmt::format("as if {} i of {} were {} i {} 1", what, spec.name, what,
                                        by > 0 ? "+" : "-"),
                            [i, d, by](MistakenInputs& inputs) {
                              const HostTensor* tensor = inputs.changed(i);
                              if (tensor != nullptr) turn_rows(*tensor, d, by);
                              return tensor != nullptr;
                            },
                            nullptr, nullptr});
        mistakes.back().bytes = spec.bytes();
      }
    }
    if (spec.shape.size() == 2 && is_float(spec) && spec.shape[0] > 1 && spec.shape[1] > 1) {
      mistakes.push_back({"transposed", fmt::format("as if {} were stored by columns", spec.name),
                          [i](MistakenInputs& inputs) {
                            const HostTensor* tensor = inputs.changed(i);
                            if (tensor != nullptr) transpose_in_place(*tensor);
                            return tensor != nullptr;
                          },
                          nullptr, nullptr});
      mistakes.back().bytes = spec.bytes();
    }
  }
}

/// Lengths stay between 1 and the longest that there is: the definition reads that many rows.
void add_counts(const Problem& problem, Mistakes& mistakes) {
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const TensorSpec& spec = problem.inputs[i];
    const bool lengths = spec.name == "seq_lens" || spec.name == "seqused_k";
    if (!lengths && spec.name != "positions") continue;
    for (const int by : {1, -1}) {
      mistakes.push_back(
          {lengths ? "off_by_one_length" : "off_by_one_position",
           fmt::format("as if {} were {} by 1", spec.name, by > 0 ? "larger" : "smaller"),
           [i, by, lengths](MistakenInputs& inputs) {
             const HostTensor* tensor = inputs.changed(i);
             if (tensor == nullptr) return false;
             double longest = 0;
             for (std::int64_t n = 0; n < tensor->elements(); ++n) {
               longest = std::max(longest, tensor->get(n));
             }
             for (std::int64_t n = 0; n < tensor->elements(); ++n) {
               const double value = tensor->get(n) + by;
               tensor->set(n, lengths ? std::clamp(value, 1.0, std::max(longest, 1.0)) : value);
             }
             return true;
           },
           nullptr, nullptr});
    }
  }
}

void add_wrong_turns(const Problem& problem, Mistakes& mistakes) {
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const std::string& name = problem.inputs[i].name;
    if (name != "positions" && name != "sin") continue;
    mistakes.push_back({"wrong_turn", "as if pairs were turned the other way: a sign of the sine",
                        [i](MistakenInputs& inputs) {
                          const HostTensor* tensor = inputs.changed(i);
                          if (tensor == nullptr) return false;
                          for (std::int64_t n = 0; n < tensor->elements(); ++n) {
                            tensor->set(n, -tensor->get(n));
                          }
                          return true;
                        },
                        nullptr, nullptr});
  }
}

/// A query that sees all keys, or, where it should, only those up to its own.
void add_masks(const Problem& problem, Mistakes& mistakes) {
  const std::optional<std::int64_t> heads = problem.shape.find("heads");
  if (!heads) return;
  const auto input = [&](std::string_view name) {
    std::size_t i = 0;
    while (i < problem.inputs.size() && problem.inputs[i].name != name) ++i;
    return i;
  };
  const auto sequence_of_token = [](const std::int32_t* starts, std::int64_t token) {
    std::int64_t sequence = 0;
    while (starts[sequence + 1] <= token) ++sequence;
    return sequence;
  };
  if (problem.operator_name == "unified_attention") {
    // A sequence with fewer queries than keys has no mask. Take one away that is not asked about.
    mistakes.push_back(
        {"forgot_mask", "as if there were no causal mask", nullptr,
         [=, starts = input("cu_seqlens_q")](MistakenInputs& inputs, std::int64_t unit) {
           const HostTensor* tensor = inputs.changed(starts);
           if (tensor == nullptr) return false;
           auto* first = tensor->as<std::int32_t>();
           const std::int64_t token = unit / *heads;
           const std::int64_t sequence = sequence_of_token(first, token);
           if (first[sequence + 1] - first[sequence] < 2) return false;
           if (token + 1 < first[sequence + 1]) {
             --first[sequence + 1];
           } else {
             ++first[sequence];
           }
           return true;
         },
         nullptr});
  }
  if (problem.operator_name == "attention_forward") {
    mistakes.push_back({"extra_mask", "as if there were a causal mask", nullptr,
                        [=, queries = input("cu_seqlens_q"), keys = input("cu_seqlens_k")](
                            MistakenInputs& inputs, std::int64_t unit) {
                          const HostTensor* tensor = inputs.changed(keys);
                          if (tensor == nullptr) return false;
                          const std::int64_t token = unit / *heads;
                          const std::int64_t sequence = sequence_of_token(
                              inputs.tensors.inputs[queries].as<std::int32_t>(), token);
                          tensor->as<std::int32_t>()[sequence + 1] =
                              static_cast<std::int32_t>(token + 1);
                          return true;
                        },
                        nullptr});
  }
}

/// A sum over rows that stops early: at the last full vector, one before the end, half way.
void add_missing_tails(const Problem& problem, Mistakes& mistakes) {
  for (std::size_t i = 0; i < problem.inputs.size() && i < 2; ++i) {
    const TensorSpec& spec = problem.inputs[i];
    if (!is_float(spec) || spec.shape.size() < 2) continue;
    const std::int64_t width = spec.shape.back();
    std::set<std::int64_t> cuts = {width - 1, width / 2};
    for (std::int64_t step = 2; step < width; step *= 2) cuts.insert(width - width % step);
    cuts.insert(std::int64_t{1} << static_cast<int>(std::log2(static_cast<double>(width))));
    for (const std::int64_t cut : cuts) {
      if (cut <= 0 || cut >= width) continue;
      // Columns of the output behind the cut may still be computed from their own inputs.
      const auto says = [outputs = problem.outputs, width, cut](std::uint32_t output,
                                                                std::int64_t index) {
        const std::int64_t columns = outputs[output].shape.back();
        return columns != width || index % columns < cut;
      };
      mistakes.push_back(
          {"missing_tail",
           fmt::format("as if sums over {} ended before column {} of {}", spec.name, cut, width),
           [i, width, cut](MistakenInputs& inputs) {
             const HostTensor* tensor = inputs.changed(i);
             if (tensor == nullptr) return false;
             for (std::int64_t n = 0; n < tensor->elements(); ++n) {
               if (n % width >= cut) tensor->set(n, 0);
             }
             return true;
           },
           nullptr, says});
      mistakes.back().bytes = spec.bytes();
    }
  }
}

}  // namespace

std::vector<InputMistake> input_mistakes(const Problem& problem) {
  Mistakes mistakes;
  add_parameters(problem, mistakes);
  add_swapped_halves(problem, mistakes);
  add_swapped(problem, mistakes);
  add_wrong_turns(problem, mistakes);
  add_masks(problem, mistakes);
  add_counts(problem, mistakes);
  add_forgotten(problem, mistakes);
  add_turned(problem, mistakes);
  add_missing_tails(problem, mistakes);
  // All that are cheap first: the time for trying ends.
  constexpr std::int64_t kMuch = 4 << 20;
  std::stable_sort(mistakes.begin(), mistakes.end(), [&](const auto& a, const auto& b) {
    return std::max(a.bytes, kMuch) < std::max(b.bytes, kMuch);
  });
  return mistakes;
}

}  // namespace tactus
