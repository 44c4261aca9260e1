#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/results/bench_report.h"

namespace tactus {

/// "8.200 μs", "29.413 ms", "1.71 ns"; "-" if there is none, as in all of these.
std::string bench_time_text(const std::optional<double>& t_ns);

/// 0.451 as "45.1%".
std::string bench_percent_text(const std::optional<double>& share);

/// The same for an importance: "-" for none.
std::string bench_importance_text(double importance);

/// "1.31x": the rival's time divided by the candidate's.
std::string bench_ratio_text(const std::optional<double>& ratio);

/// "torch_compiled 14.620 μs".
std::string bench_rival_text(const std::optional<RivalTime>& rival);

/// "12 / 3 / 5": shapes with a rival where the candidate is faster, about the same, slower.
std::string bench_tally_text(const ReportGroup& group);

/// "FASTER", ..., of the candidate.
std::string bench_outcome_text(const std::optional<Outcome>& outcome);

/// "NVIDIA H200, 2026-11-15, CUDA 13.0, bounds of the H200 profile".
std::string bench_machine_text(const BenchMachine& machine);

/// "440 shapes: 195 right, 2 wrong." and the score in words.
std::vector<std::string> bench_score_sentences(const BenchResult& result);

/// The heads of a table of groups but for the name, and the cells of one.
std::vector<std::string> bench_group_heads(const BenchReport& report);
std::vector<std::string> bench_group_cells(const BenchReport& report, const ReportGroup& group);

/// What the columns of these tables mean, a sentence each.
std::vector<std::string> bench_meanings(const BenchReport& report);

/// What is known about the first rows with wrong numbers, a few lines each; empty if there are
/// none.
std::string bench_failures_text(const BenchResult& result);

}  // namespace tactus
