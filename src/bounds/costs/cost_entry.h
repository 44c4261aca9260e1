#pragma once

#include <optional>
#include <span>

#include "bounds/costs/cost.h"
#include "bounds/costs/dimensions.h"

namespace tactus {

/// A cost as published: one W, for all kinds of work.
struct PublishedCost {
  double flops = 0;
  double read_bytes = 0;
  double write_bytes = 0;
};

/// How the numbers of an operator are stored.
enum class Operands : std::uint8_t {
  kFloating,  ///< as the shape says: bf16, fp16, ...
  kFp8,       ///< fp8 for any shape, with activations and scales around it
  kInteger,   ///< indices; arithmetic is not counted
};

/// One operator: what it costs by each model, and the same in words.
struct CostEntry {
  CostFormula formula;
  Operands operands = Operands::kFloating;
  /// Null for generic operators: no cost is published for them, so both models are the strict one.
  PublishedCost (*catalogue)(Dimensions&) = nullptr;
  Cost (*strict)(Dimensions&) = nullptr;
};

/// The operators by kind, one file per kind.
std::span<const CostEntry> attention_costs();
std::span<const CostEntry> product_costs();
std::span<const CostEntry> moe_costs();
std::span<const CostEntry> row_costs();
std::span<const CostEntry> quantisation_costs();
std::span<const CostEntry> delta_rule_costs();
std::span<const CostEntry> rope_costs();
std::span<const CostEntry> generic_costs();

/// Sums of products. They can always be written as products of matrices, so a bound must allow the
/// matrix units: for fp32 those of tf32, which reach fp32's accuracy in three passes and are then
/// still faster than the vector units. Integers wider than 8 bits are not counted. `operand_bits`
/// as in Work.
Work matrix_work(NumberType type, double flops, double operand_bits = 0);
/// All other arithmetic: in fp32 for tensors of any type, at the rate of fused multiply-adds. A
/// transcendental function counts as 1, which no machine reaches.
Work vector_work(NumberType stored, double flops);

double ceil_div(double a, double b);

}  // namespace tactus
