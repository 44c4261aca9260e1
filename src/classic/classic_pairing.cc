#include "classic/classic_pairing.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "classic/report_names.h"
#include "classic/roles/role_patterns.h"

namespace tactus {
namespace {

/// "a/result_decode_perf_data.csv" is job "result", kind "_decode".
struct FileName {
  std::string job;
  std::string kind;
};

FileName read_name(const std::string& path) {
  FileName name{.job = std::filesystem::path(path).filename().string()};
  for (const std::string_view ending : {".csv", "_perf_data"}) {
    if (name.job.ends_with(ending)) name.job.resize(name.job.size() - ending.size());
  }
  for (const std::string_view kind : {"_prefill", "_decode", "_layer"}) {
    if (!name.job.ends_with(kind)) continue;
    name.kind = kind;
    name.job.resize(name.job.size() - kind.size());
    break;
  }
  return name;
}

const PatternFile* find_file(std::span<const PatternFile> files, const std::string& job,
                             const std::string& kind) {
  for (const PatternFile& file : files) {
    const FileName name = read_name(file.path);
    if (name.job == job && name.kind == kind) return &file;
  }
  return nullptr;
}

const PatternFile* partner_of(const PatternFile& normal, std::span<const PatternFile> abnormal) {
  const auto [job, kind] = read_name(normal.path);
  if (kind == "_layer") return nullptr;
  if (const PatternFile* same = find_file(abnormal, job, kind)) return same;
  if (kind == "_prefill") return nullptr;
  return find_file(abnormal, job, kind.empty() ? "_decode" : "");
}

void make_stems_unique(std::vector<ClassicPair>& pairs) {
  std::vector<std::string> stems;
  stems.reserve(pairs.size());
  for (const ClassicPair& pair : pairs) stems.push_back(pair.file_stem);
  make_unique(stems);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].file_stem = std::move(stems[i]);
}

}  // namespace

std::vector<ClassicPair> pair_processes(const PatternFile& normal, const PatternFile& abnormal,
                                        const std::string& identifier) {
  using Pids = std::vector<std::int64_t>;
  const Pids normal_pids = pattern_pids(*normal.run);
  const Pids abnormal_pids = pattern_pids(*abnormal.run);
  Pids both;
  Pids only_normal;
  Pids only_abnormal;
  std::ranges::set_intersection(normal_pids, abnormal_pids, std::back_inserter(both));
  std::ranges::set_difference(normal_pids, abnormal_pids, std::back_inserter(only_normal));
  std::ranges::set_difference(abnormal_pids, normal_pids, std::back_inserter(only_abnormal));

  const std::string stem = file_name_of(identifier + read_name(normal.path).kind);
  std::vector<ClassicPair> pairs;
  for (const std::int64_t pid : both) {
    pairs.push_back(
        {.normal = {.label = "normal", .run = normal.run, .pid = pid},
         .abnormal = {.label = "abnormal", .run = abnormal.run, .pid = pid},
         .title = fmt::format("Strict Performance Comparison: {} (PID: {})", identifier, pid),
         .file_stem = fmt::format("{}_pid{}_strict_comparison", stem, pid)});
  }
  for (const std::int64_t n : only_normal) {
    for (const std::int64_t a : only_abnormal) {
      pairs.push_back(
          {.normal = {.label = fmt::format("normal_pid_{}", n), .run = normal.run, .pid = n},
           .abnormal = {.label = fmt::format("abnormal_pid_{}", a), .run = abnormal.run, .pid = a},
           .title =
               fmt::format("Cross Performance Comparison: {} (Normal PID:{} vs Abnormal PID:{})",
                           identifier, n, a),
           .file_stem = fmt::format("{}_n_pid{}_vs_a_pid{}_cross_comparison", stem, n, a)});
    }
  }
  return pairs;
}

std::vector<ClassicPair> pair_case(std::span<const PatternFile> normal,
                                   std::span<const PatternFile> abnormal,
                                   const std::string& identifier) {
  std::vector<ClassicPair> pairs;
  for (const PatternFile& file : normal) {
    const PatternFile* partner = partner_of(file, abnormal);
    if (partner == nullptr) continue;
    std::ranges::move(pair_processes(file, *partner, identifier), std::back_inserter(pairs));
  }
  make_stems_unique(pairs);
  return pairs;
}

ClassicReport report_pair(const ClassicPair& pair) {
  ClassicReport report = compare_classic(pair.normal, pair.abnormal);
  report.title = pair.title;
  report.file_stem = pair.file_stem;
  return report;
}

}  // namespace tactus
