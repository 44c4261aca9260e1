#include "operators/reference.h"

#include <mutex>

#include "base/parallel.h"

namespace tactus {

void run_reference(const OperatorDefinition& definition, const Problem& problem,
                   const HostTensors& tensors, unsigned threads) {
  // Units of an in-place operator read old values, so results are stored separately until all units
  // are done.
  std::mutex mutex;
  Expected all;
  parallel_for(threads, static_cast<std::size_t>(definition.units(problem)),
               [&](std::size_t unit, unsigned) {
                 Expected expected;
                 definition.expect(problem, tensors, static_cast<std::int64_t>(unit), expected);
                 const std::lock_guard lock(mutex);
                 for (ExpectedRun& run : expected) {
                   run.slack.clear();
                   run.slack.shrink_to_fit();
                   all.push_back(std::move(run));
                 }
               });
  for (const ExpectedRun& run : all) {
    for (std::size_t i = 0; i < run.values.size(); ++i) {
      tensors.outputs[run.output].set(run.first + static_cast<std::int64_t>(i), run.values[i]);
    }
  }
}

}  // namespace tactus
