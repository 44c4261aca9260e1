#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "drill/drill.h"
#include "run/tact/tact_file.h"
#include "watch/keep/cut_run.h"

namespace tactus::drill {

Status write_pairs(const std::string& recording, double seconds, bool overwrite,
                   DrillReport& report) {
  const Result<Run> run = open_run(recording, 1U);
  if (!run) return run.error();
  const std::filesystem::path folder = std::filesystem::path(recording).parent_path();
  const auto wanted = static_cast<std::int64_t>(seconds * 1e9);
  std::vector<Injected> injected;
  for (const DrillRow& row : report.rows) injected.push_back(row.injected);
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    DrillRow& row = report.rows[i];
    if (!row.injected.refused.empty() || row.steps == 0 || row.normal_steps == 0) continue;
    TimeSpan rest = rests_around(injected, i).before;
    rest.begin_ns = std::max(rest.begin_ns, rest.end_ns - wanted);
    const std::int64_t begin = row.injected.begin_ns + kSettle;
    const TimeSpan load{begin, std::min(row.injected.end_ns, begin + wanted)};
    const std::string name =
        fmt::format("{:02}-{}-{:g}", i + 1, row.injected.scenario, row.injected.intensity);
    const auto cut = [&](const TimeSpan& span, const std::string& file) {
      return watch::cut_file(recording,
                             {span.begin_ns + run->origin_ns, span.end_ns + run->origin_ns},
                             (folder / file).string(), overwrite);
    };
    const std::string normal_file = name + "-normal.tact";
    const std::string injected_file = name + "-injected.tact";
    if (Result<std::size_t> written = cut(rest, normal_file); !written) return written.error();
    if (Result<std::size_t> written = cut(load, injected_file); !written) return written.error();
    row.normal_file = normal_file;
    row.injected_file = injected_file;
  }
  return {};
}

}  // namespace tactus::drill
