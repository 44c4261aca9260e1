// Edits a recording so that the true effect is known.
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
