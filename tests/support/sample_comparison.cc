#include "support/sample_comparison.h"

#include <cmath>

namespace tactus::testing {
namespace {

constexpr const char* kHostile =
    "</script><script>alert(1)</script> \"quoted\" 'too' & | `tick` \x1b[31m\n\x01 <b>_*bold*_";

std::vector<double> steps_around(double ms, int count) {
  std::vector<double> steps;
  for (int i = 0; i < count; ++i) steps.push_back(ms * (1 + 0.02 * std::sin(1.7 * i)));
  return steps;
}

void add_time_breakdown(Comparison& comparison) {
  comparison.time_breakdown = {
      {.what = "oncpu",
       .kind = "part",
       .phase = "decode",
       .delta_ns_per_cycle = 1.618e9,
       .share = 0.997,
       .ratio = 3.57,
       .q = 0.0004},
      {.what = "runq",
       .kind = "part",
       .phase = "decode",
       .delta_ns_per_cycle = 31.2e6,
       .share = 0.019,
       .ratio = 2.4,
       .q = 0.02},
      {.what = "gpu_compute",
       .kind = "part",
       .phase = "decode",
       .delta_ns_per_cycle = -0.11e6,
       .share = -0.0001,
       .ratio = 0.998,
       .q = 0.81},
      {.what = "void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4>>(params)",
       .kind = "function",
       .phase = "decode",
       .delta_ns_per_cycle = 0.4e6,
       .share = 0.0002,
       .ratio = 1.01},
      {.what = "idle",
       .kind = "part",
       .phase = "decode",
       .delta_ns_per_cycle = -26.0e6,
       .share = -0.016,
       .ratio = 0.71,
       .q = 0.3}};
}

void add_counter_shifts(Comparison& comparison) {
  comparison.counter_shifts = {{.counter = "cpu_frequency",
                                .device = "Host",
                                .normal = 3500,
                                .abnormal = 900,
                                .ratio = 0.257,
                                .low = 0.255,
                                .high = 0.259,
                                .q = 0.0004,
                                .is_cause = true,
                                .samples = {9, 9}},
                               {.counter = "process_gpu_usage",
                                .device = "GPU 7",
                                .normal = 7.25,
                                .abnormal = 2,
                                .ratio = 0.276,
                                .low = 0.25,
                                .high = 0.29,
                                .q = 0.0005,
                                .samples = {8, 7}},
                               {.counter = "gpu_sm_util",
                                .device = "GPU 7",
                                .normal = 0.37,
                                .abnormal = 0.106,
                                .ratio = 0.286,
                                .low = 0.1,
                                .high = 0.9,
                                .q = 0.012,
                                .samples = {8, 7}}};
}

}  // namespace

Comparison sample_comparison() {
  Comparison comparison;
  comparison.labels = {"normal", "abnormal"};
  comparison.comparable = true;
  comparison.comparability = {
      .reasons = {"Cycles were cut at different functions and are compared per launch."},
      .anchors = {"Scheduler.run_batch", "Qwen3DecoderLayer._wrapped_call_impl"},
      .launches_per_cycle = {985, 15},
      .kernel_jaccard = 0.015,
      .aligned_by = "per_launch"};
  const RatioRow ratio{.ratio = 3.57, .low = 3.4, .high = 3.8};
  Change& change = comparison.change.emplace();
  static_cast<RatioRow&>(change) = ratio;
  change.phase = "decode";
  change.unit = "launch";
  change.mean = {.ratio = 3.61, .low = 3.42, .high = 3.81};
  change.step_ns = {631e6, 2.253e9};
  change.shape = "every";
  PhaseRow& phase = change.by_phase.emplace_back();
  static_cast<RatioRow&>(phase) = ratio;
  phase.phase = "decode";
  phase.n = {14, 238};
  phase.mean = change.mean;
  RankRow& rank = change.by_rank.emplace_back();
  static_cast<RatioRow&>(rank) = ratio;
  rank.rank = 0;
  rank.label = "rank 0";
  rank.phase = "decode";
  comparison.verdict = {
      .verdict = VerdictClass::kCpuFrequency,
      .resource = "cpu_frequency",
      .device = "Host",
      .phase = "decode",
      .felt = FeltAs::kSlower,
      .explains = 0.93,
      .confidence = Confidence::kHigh,
      .text =
          "Each launch takes 3.57 times as long, because the CPU clock fell from 3500 to 900 "
          "MHz."};
  comparison.also = {{.verdict = VerdictClass::kCpuContention, .share = 0.07}};
  comparison.seen = {{.verdict = VerdictClass::kDisk,
                      .resource = "disk_read",
                      .device = "Host",
                      .text = "disk_read of Host rose from 1 to 90 MB/s."}};
  add_time_breakdown(comparison);
  add_counter_shifts(comparison);
  comparison.evidence = {
      "GPU time per launch did not change (x1.00), so the GPU is not the cause."};
  comparison.not_known = {"Temperatures were not recorded, so heat is neither shown nor excluded."};
  comparison.next = {
      {.text = "See which limit holds the clock down.", .command = "cpupower frequency-info"}};
  comparison.step_ms = {steps_around(631, 14), steps_around(38.5, 238)};
  return comparison;
}

Comparison hostile_comparison() {
  Comparison comparison = sample_comparison();
  comparison.labels = {kHostile, kHostile};
  comparison.verdict.text = kHostile;
  comparison.verdict.resource = kHostile;
  comparison.verdict.device = kHostile;
  comparison.comparability.reasons = {kHostile};
  comparison.comparability.anchors = {kHostile, ""};
  comparison.change->by_phase[0].phase = kHostile;
  comparison.time_breakdown[0].what = kHostile;
  comparison.counter_shifts[0].counter = kHostile;
  comparison.counter_shifts[0].device = kHostile;
  comparison.change->by_rank[0].label = kHostile;
  comparison.change->shape_text = kHostile;
  comparison.verdict.phase = kHostile;
  comparison.seen[0].text = kHostile;
  comparison.seen[0].resource = kHostile;
  comparison.evidence = {kHostile};
  comparison.not_known = {kHostile};
  comparison.next = {{.text = kHostile, .command = kHostile}};
  return comparison;
}

std::vector<ClassicRow> sample_classic_rows() {
  ClassicRow gemm{.function = "ampere_bf16_s16816gemm_bf16_64x64_tn",
                  .metric = "process_gpu_usage",
                  .device = "GPU 7",
                  .suspicion = 234.435,
                  .beta = {3.21, 0.85},
                  .beta_z = -80.78,
                  .beta_p = 0,
                  .beta_u_p = 0,
                  .mu = {7.25, 2},
                  .mu_z = -11.34,
                  .log_mu_z = -18.53,
                  .mu_p = 0,
                  .mu_u_p = 0.0005};
  ClassicRow oncpu{.function = "oncpu",
                   .metric = "cpu_frequency",
                   .device = "Host",
                   .suspicion = 177.764,
                   .beta = {162.78, 156.42},
                   .beta_z = -8.31,
                   .beta_p = 0.285,
                   .beta_u_p = 0.331,
                   .mu = {85.7, 22.5},
                   .mu_z = -11.86,
                   .log_mu_z = -19.63,
                   .mu_p = NAN,
                   .mu_u_p = 0.0004};
  ClassicRow hostile{.function = kHostile, .metric = "gpu_usage", .device = "GPU 7"};
  return {gemm, oncpu, hostile};
}

}  // namespace tactus::testing
