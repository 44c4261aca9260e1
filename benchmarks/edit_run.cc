// Edits a recording so that the true effect is known, or cuts a block of steps out of it.
//
// usage: edit_run IN OUT.tact [EDIT...] [--steps FROM:TO]
//   kernels=F              all kernels take F times as long; family=gemm:F: those of a family
//   phase=decode:F         kernels in steps of a phase; rank=R:F: kernels of a rank
//   jump=S:F               kernels from step S on
//   copies=F               copies
//   gaps=F                 host code between calls
//   drift=F                the same, from 1 at the first step to F at the last
//   launches=F             launch calls
//   stall=N:US             the host sleeps US microseconds before every Nth step
//   counter=NAME:F         values of a counter; a lower clock is kernels=1.25 and
//                          counter=gpu_sm_frequency:0.8
//   rename_kernel=OLD:NEW  in all names of kernels; "::" does not separate
//   rename_text=OLD:NEW    in all texts: names, paths, command lines; a recording can be shown then
//   ids                    other pids, tids, streams and correlations
//   offset=NS              recorded at another time
//   no_shapes, no_host, no_counters
//   --steps FROM:TO        only these steps, TO not included; edits then count steps from FROM
//
// Times change first, then names and ids, then rows are dropped. An edit that changes nothing is an
// error. Prints one line of JSON (--json is accepted; there is no other output):
//   {"edits":["kernels=2"],"steps":[26,26],          found in the recording, and kept
//    "counted_steps":{"all":25,"decode":23,"prefill":2},
//    "true_ratio":{"all":1.113,...},                 geometric mean of new over old durations
//    "true_mean_ratio":{"all":1.487,...},            mean new over mean old duration
//    "true_kernel_ratio":2.0}                        total time of kernels
// edit_run/truth.h says what a step is there, edit_run/replay.h how later events move.
//
// What it does not know: an engine that polls, or waits for another thread, instead of a call that
// synchronises; ranks that wait for each other in collectives; the limit of the launch queue; work
// of several streams that slows each other down. Threads that launch less than the main thread of
// their process, and counters, follow its time.
//
// Measured: no edit gives the same export of twelve recordings (Kineto and Nsight Systems, H200 to
// MI300), byte for byte. The truth is the ratio that `tactus cycles` finds in the edited file, to
// four digits in all of 48 tries. kernels=2 makes a device-bound CUDA graph 1.93 times as long, a
// prefill 1.98, a host-bound decode step 1.02. Kernels that really took 2.16 times as long, because
// another process used the GPU, made a step of such a graph 1.87 times as long and a prefill 2.21;
// the edit says 1.99 and 2.13. 2.1 million slices take 1.1 s.
#include <fmt/format.h>

#include "base/json.h"
#include "base/progress.h"
#include "edit_run/edits.h"
#include "edit_run/effects.h"
#include "edit_run/new_times.h"
#include "edit_run/replay.h"
#include "edit_run/rewrite.h"
#include "edit_run/truth.h"
#include "run/tact/tact_file.h"
#include "sources/sources.h"

namespace {

using namespace tactus;
using namespace tactus::edit_run;

struct Request {
  std::string in;
  std::string out;
  Edits edits;
};

Result<Request> parse(std::span<char*> words) {
  Request request;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--json") continue;  // there is no other output
    if (word == "--steps") {
      if (++i == words.size()) return usage_error("--steps: expected FROM:TO");
      Result<StepBlock> block = parse_block(words[i]);
      if (!block) return block.error();
      request.edits.block = *block;
    } else if (request.in.empty()) {
      request.in = word;
    } else if (request.out.empty()) {
      request.out = word;
    } else if (Status status = add_edit(word, request.edits); !status) {
      return status.error();
    }
  }
  if (request.out.empty()) {
    return usage_error("usage: edit_run IN OUT.tact [EDIT...] [--steps FROM:TO]");
  }
  return request;
}

Json as_json(const Edits& edits, const Steps& steps, const Truth& truth) {
  Json ratio = Json::object(), mean_ratio = Json::object(), counted = Json::object();
  for (const auto& [part, truly] : truth.parts) {
    ratio[part] = truly.ratio;
    mean_ratio[part] = truly.mean_ratio;
    counted[part] = truly.steps;
  }
  Json line = Json::object();
  line["edits"] = Json(edits.texts);
  line["steps"] = Json::array({steps.steps.size(), steps.kept()});
  line["counted_steps"] = counted;
  line["true_ratio"] = ratio;
  line["true_mean_ratio"] = mean_ratio;
  line["true_kernel_ratio"] = Json(truth.kernel_ratio);
  return line;
}

Status edit(const Request& request) {
  NoProgress progress;
  Result<Imported> imported =
      open_or_import({.inputs = {request.in}, .counters = {}, .threads = 2}, progress);
  if (!imported) return imported.error();
  Run& run = imported->run;
  const Result<Steps> steps = find_steps(run, request.edits.block);
  if (!steps) return steps.error();
  const Result<Effects> effects = effects_of(run, *steps, request.edits);
  if (!effects) return effects.error();
  const Recording recording = read_recording(run);
  if (request.edits.needs_host() && !recording.has_host()) {
    return usage_error("gaps, launches, drift and stall need host calls that launch the work");
  }
  const NewTimes times(run, recording, replay(run, recording, *steps, *effects));
  const Truth truth = find_truth(run, recording, *steps, times);
  if (Status status = run.status(); !status) return status;
  if (Status status = rewrite(recording, *steps, times, request.edits, run); !status) {
    return status;
  }
  Result<std::uint64_t> bytes = write_run(run, request.out, true, 2, progress);
  if (!bytes) return bytes.error();
  fmt::print("{}\n", as_json(request.edits, *steps, truth).dump());
  return run.status();
}

}  // namespace

int main(int argc, char** argv) {
  const Result<Request> request =
      parse(std::span(argv + 1, static_cast<std::size_t>(std::max(argc - 1, 0))));
  const Status status = request ? edit(*request) : Status(request.error());
  if (status) return 0;
  fmt::print(stderr, "edit_run: {}\n", status.error().message);
  return status.error().code == ErrorCode::kBroke ? 3 : 2;
}
