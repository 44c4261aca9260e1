#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/kernel_report.h"

namespace tactus {

/// The cost of one operator in two runs, for any kernel names.
struct OperatorPair {
  std::string op;
  std::int64_t a_ns = 0;
  std::int64_t b_ns = 0;
  std::int64_t a_instances = 0;
  std::int64_t b_instances = 0;
  std::vector<std::string> a_kernels;  ///< largest first
  std::vector<std::string> b_kernels;
  std::string a_short_name;  ///< of the first kernel of a, for people; empty if it has none
  std::string b_short_name;

  /// How many times as long it takes in b.
  double ratio() const { return static_cast<double>(b_ns) / static_cast<double>(a_ns); }
};

/// Two kernel tables side by side.
struct KernelPairs {
  std::vector<OperatorPair> pairs;   ///< operators of both, by the larger time
  std::vector<OperatorPair> only_a;  ///< operators that only one of them has
  std::vector<OperatorPair> only_b;
  std::int64_t a_total_ns = 0;
  std::int64_t b_total_ns = 0;
  /// Passes through the model whose kernels are compared, to compare the amounts of work.
  std::optional<std::int64_t> a_passes;
  std::optional<std::int64_t> b_passes;
  std::string warning;  ///< a sentence, if the phases of the two are not alike

  /// The two runs may have another number of passes: then only the time per pass compares.
  bool knows_passes() const { return a_passes && b_passes && *a_passes > 0 && *b_passes > 0; }
  std::int64_t a_per_pass_ns(const OperatorPair& pair) const { return pair.a_ns / *a_passes; }
  std::int64_t b_per_pass_ns(const OperatorPair& pair) const { return pair.b_ns / *b_passes; }
  double ratio_per_pass(const OperatorPair& pair) const {
    return pair.ratio() * static_cast<double>(*a_passes) / static_cast<double>(*b_passes);
  }
};

/// `phase` is the one that both reports are about; all phases without it.
KernelPairs pair_kernels(const KernelReport& a, const KernelReport& b,
                         std::optional<Phase> phase = std::nullopt);

}  // namespace tactus
