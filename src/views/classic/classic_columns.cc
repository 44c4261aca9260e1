#include "views/classic/classic_cells.h"

namespace tactus {

std::vector<std::string> classic_heads(const ClassicReport& report) {
  const auto& [first, second] = report.labels;
  return {
      "Function Name",       "Metric Name", "Device",     "Suspicion Score", "β_" + first + "(%)",
      "β_" + second + "(%)", "Δβ(%)",       "Z-Score(β)", "p-value(β)",      "U-test p(β)",
      "μ_" + first,          "μ_" + second, "Δμ",         "Z-Score(μ)",      "Z-Score(log_μ)",
      "p-value(μ)",          "U-test p(μ)"};
}

std::array<ClassicNumber, 14> classic_numbers(const ClassicRow& row) {
  return {{{row.suspicion, ClassicFormat::kScore},
           {row.beta[0], ClassicFormat::kShare},
           {row.beta[1], ClassicFormat::kShare},
           {row.beta[1] - row.beta[0], ClassicFormat::kChange},
           {row.beta_z, ClassicFormat::kChange},
           {row.beta_p, ClassicFormat::kChance},
           {row.beta_u_p, ClassicFormat::kChance},
           {row.mu[0], ClassicFormat::kLevel},
           {row.mu[1], ClassicFormat::kLevel},
           {row.mu[1] - row.mu[0], ClassicFormat::kChange},
           {row.mu_z, ClassicFormat::kChange},
           {row.log_mu_z, ClassicFormat::kChange},
           {row.mu_p, ClassicFormat::kChance},
           {row.mu_u_p, ClassicFormat::kChance}}};
}

}  // namespace tactus
