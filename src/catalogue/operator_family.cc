#include "catalogue/operator_family.h"

namespace tactus {
namespace {

struct Word {
  std::string_view word;
  std::size_t family;
};

/// The first word that a name contains decides: "fused_rmsnorm_quant" is quantisation.
constexpr std::array<Word, 13> kWords = {{{"attention", 0},
                                          {"delta_rule", 1},
                                          {"conv", 1},
                                          {"moe", 2},
                                          {"expert", 2},
                                          {"gemm", 3},
                                          {"_mm", 3},
                                          {"linear", 3},
                                          {"quant", 5},
                                          {"norm", 4},
                                          {"rope", 6},
                                          {"cache", 6},
                                          {"matmul", 3}}};

}  // namespace

std::size_t operator_family(std::string_view operator_name) {
  for (const Word& entry : kWords) {
    if (operator_name.find(entry.word) != std::string_view::npos) return entry.family;
  }
  return kOperatorFamilies.size() - 1;
}

}  // namespace tactus
