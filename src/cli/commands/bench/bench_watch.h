#pragma once

#include <functional>

#include "base/progress.h"
#include "cli/commands/bench/bench_run.h"
#include "views/bench/bench_view.h"

namespace tactus::cli {

/// Prints a result; `before` is what was known before it.
using ShowWatched = std::function<Status(const BenchResult& result, const WatchedBefore& before)>;

/// Measures the candidate of the request, and again whenever its file changes, until Ctrl-C or the
/// end of its time limit.
Status watch_bench(BenchRequest request, const Catalogue& catalogue, Progress& progress,
                   const ShowWatched& show);

}  // namespace tactus::cli
