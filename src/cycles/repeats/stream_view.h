#pragma once

#include <cstdint>
#include <vector>

#include "base/arithmetic.h"
#include "cycles/repeats/kernel_stream.h"
#include "names/decoded_names.h"

namespace tactus {

/// A stream as the search for passes sees it: the kind of each kernel; variants of one kernel are
/// the same.
struct StreamView {
  const KernelStream& stream;
  std::vector<std::uint32_t> symbols;  ///< of each kernel
  std::vector<Family> families;        ///< of each kernel
  std::vector<bool> chooses_word;      ///< of each kernel: it ends a step, so no layer has it

  std::size_t size() const { return symbols.size(); }
  std::int64_t end_ns(std::size_t i) const {
    return wrapping_add(stream.starts[i], stream.durs[i]);
  }
  bool is(std::size_t i, Family family) const { return families[i] == family; }
  /// How many of the kernels [first, end) are of a family.
  std::size_t count(std::size_t first, std::size_t end, Family family) const;
  /// How many of the kernels [first, end) are products with weights.
  std::size_t count_products(std::size_t first, std::size_t end) const {
    return count(first, end, Family::kGemm) + count(first, end, Family::kGemv);
  }
  /// Whether one of the kernels [first, end) chooses words.
  bool any_chooses_word(std::size_t first, std::size_t end) const;
};

/// Kernels of one name are the same; so are those that torch.compile only numbers differently
/// ("triton_red_fused_add_mean_11", "..._12").
StreamView view_by_name(const KernelStream& stream, DecodedNames& names);

/// Kernels that compute the same are the same, for any variant that the library chose.
StreamView view_by_operation(const KernelStream& stream, DecodedNames& names);

}  // namespace tactus
