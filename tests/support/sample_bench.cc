#include "support/sample_bench.h"

#include "bench/rivals/torch_rival.h"

namespace tactus::testing {

BenchRow timed_row(const std::string& operator_name, const std::string& shape, double t_ns,
                   double t_sol_ns) {
  BenchRow row;
  row.operator_name = operator_name;
  row.shape_id = shape;
  row.candidate = "cuda";
  row.checked = 100;
  row.t_ns = t_ns;
  row.t_low_ns = 0.99 * t_ns;
  row.t_high_ns = 1.01 * t_ns;
  row.interval_known = true;
  row.samples_ns = {t_ns, t_ns};
  row.t_sol_ns = t_sol_ns;
  row.s = t_sol_ns / t_ns;
  row.launch_floor_ns = 2000;
  row.s_with_launch = std::max(t_sol_ns, 2000.0) / t_ns;
  return row;
}

BenchRow skipped_row(const std::string& operator_name, const std::string& shape) {
  BenchRow row;
  row.operator_name = operator_name;
  row.shape_id = shape;
  row.candidate = "cuda";
  row.status = BenchStatus::kSkipped;
  row.reason = "cuda has no " + operator_name;
  return row;
}

void add_measured_rival(BenchRow& row, const std::string& name, double t_ns) {
  RivalMeasurement rival;
  rival.name = name;
  rival.t_ns = t_ns;
  rival.t_low_ns = 0.99 * t_ns;
  rival.t_high_ns = 1.01 * t_ns;
  rival.samples_ns = {t_ns};
  rival.how = "graph";
  add_rival(row, std::move(rival));
}

BenchResult sample_bench() {
  BenchResult result;
  result.machine = {.name = "A Fast <one>",
                    .profile = "Fast",
                    .driver = "13.0",
                    .date = "2026-11-15",
                    .card = "1a2b3c4d",
                    .memory_bandwidth = 1e12};
  result.rows.push_back(timed_row("rms_norm", "2", 4000, 40));
  add_measured_rival(result.rows.back(), "torch_eager", 10000);
  add_measured_rival(result.rows.back(), "torch_compiled", 8000);
  result.rows.push_back(timed_row("rms_norm", "10", 8e6, 4e6));
  add_measured_rival(result.rows.back(), "torch_compiled", 4e6);
  result.rows.push_back(skipped_row("gemm", "0"));
  add_measured_rival(result.rows.back(), "cublas", 2.5e6);
  return result;
}

}  // namespace tactus::testing
