#include "sources/sources.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/arithmetic.h"
#include "run/builder.h"
#include "run/tact/tact_file.h"
#include "sources/bytes/spool.h"
#include "sources/early_work.h"
#include "sources/formats.h"
#include "sources/inputs.h"
#include "sources/job.h"
#include "sources/join_counters.h"

namespace tactus {
namespace {

/// In which a document of our own says what it is.
constexpr std::size_t kHeadOfDocument = 64;

class Importer {
 public:
  Importer(const ImportRequest& request, Progress& progress)
      : request_(request), progress_(progress) {}

  /// Reads an input and closes it.
  Status add(Input input) {
    if (Status opened = input.open(); !opened) return opened;
    InputBytes& bytes = *input.bytes;
    const Result<std::string_view> head = bytes.peek();
    if (!head) return head.error();
    if (head->empty()) {
      // What nobody asked for, and was only found beside an input, is not worth an error.
      if (!input.beside.empty() && !input.is_for_counters && bytes.problem().empty()) {
        builder_.warn(bytes.path() + ": is empty; read without it");
        return {};
      }
      return input_error(bytes.problem().empty() ? bytes.path() + ": is empty" : bytes.problem());
    }
    // Our own documents are JSON, as traces are.
    if (std::string advice = advice_for_document(bytes.path(), head->substr(0, kHeadOfDocument));
        !advice.empty()) {
      return input_error(std::move(advice));
    }
    if (input.format == nullptr) {
      if (std::string advice = advice_for_report(bytes.path(), *head); !advice.empty()) {
        return input_error(std::move(advice));
      }
      return input_error(bytes.path() + ": is not in a format that tactus reads: " + all_formats());
    }
    const InputFormat& format = *input.format;
    if (input.is_for_counters && format.stage != InputStage::kCounters) {
      return usage_error("--counters " + bytes.path() + ": is " + std::string(format.what) +
                         "; give a CSV file with the header timestamp_ns,counter,device,value");
    }
    const std::size_t first_source = builder_.run().sources.size();
    const std::size_t first_slice = builder_.run().slices.size();
    if (Status added = format.import(bytes, request_, builder_, progress_); !added) return added;
    // A library may have read the file by its name.
    bytes_read_ += bytes.is_plain_file() ? bytes.disk_size() : bytes.disk_bytes();
    note_part(input, first_source, first_slice);
    return {};
  }

  void begin_captures() { builder_.begin_captures(); }

  Result<Imported> finish() {
    Run& run = builder_.run();
    set_ranks_by_name(run, parts_);
    for (Source& source : run.sources) {
      if (source.beside.valid()) source.rank = run.sources[source.beside.value].rank;
    }
    if (Status one = check_parts(); !one) return one.error();
    if (std::string missing = missing_ranks(run); !missing.empty()) builder_.warn(missing);
    if (std::string twice = counters_twice(run); !twice.empty()) builder_.warn(std::move(twice));
    Imported imported{builder_.finish(), bytes_read_};
    warn_of_early_work(imported.run);
    if (Status status = align_clocks(imported.run, request_.align); !status) return status.error();
    return imported;
  }

 private:
  /// Several inputs have to be different recordings, of one job unless they are to be merged.
  Status check_parts() {
    if (parts_.size() < 2) return {};
    const Run& run = builder_.run();
    const Copy copy = copy_among(run, parts_);
    if (copy.is_same_file) return input_error(copy.text);
    if (!copy.text.empty()) builder_.warn(copy.text);
    if (request_.merge) return {};
    if (std::string why = why_not_one_job(run, parts_); !why.empty()) {
      return input_error(std::move(why));
    }
    if (std::string doubt = why_perhaps_not_one_job(run, parts_); !doubt.empty()) {
      builder_.warn(std::move(doubt));
    }
    return {};
  }

  /// Remembers who recorded an input, as far as the request and its name say it.
  void note_part(const Input& input, std::size_t first_source, std::size_t first_slice) {
    Run& run = builder_.run();
    const PlaceInName place = place_in_name(input.path);
    for (std::size_t i = first_source; i < run.sources.size(); ++i) {
      Source& source = run.sources[i];
      if (input.number) {
        if (*input.number < request_.ranks.size()) source.rank = request_.ranks[*input.number];
        if (!request_.hosts.empty()) {
          const std::size_t which = std::min(*input.number, request_.hosts.size() - 1);
          source.host_name = builder_.intern(request_.hosts[which]);
        }
      }
      if (source.host_name.value == 0) source.host_name = builder_.intern_repaired(place.host);
      if (const auto beside = first_source_of_.find(input.beside);
          beside != first_source_of_.end()) {
        source.beside = beside->second;
      }
    }
    if (first_source == run.sources.size()) return;
    const SourceId source(first_source);
    first_source_of_.try_emplace(input.path, source);
    parts_.push_back({.path = input.path,
                      .source = source,
                      .place = place,
                      .span = span_since(first_slice),
                      .first_slice = first_slice,
                      .has_slices = run.slices.size() > first_slice});
  }

  /// The time of the slices from a row on, since the epoch; nothing if the source had no such
  /// clock.
  std::optional<TimeSpan> span_since(std::size_t first_slice) const {
    constexpr std::int64_t kYear2000 = 946'684'800'000'000'000;
    const EventTable& slices = builder_.run().slices;
    if (first_slice == slices.size()) return std::nullopt;
    TimeSpan span{INT64_MAX, INT64_MIN};
    slices.start().for_each_piece(first_slice, slices.size(),
                                  [&](std::size_t, std::span<const std::int64_t> starts) {
                                    for (const std::int64_t start : starts) {
                                      span.begin_ns = std::min(span.begin_ns, start);
                                      span.end_ns = std::max(span.end_ns, start);
                                    }
                                  });
    const std::int64_t base = builder_.first_base_ns();
    span.begin_ns = wrapping_add(span.begin_ns, base);
    span.end_ns = wrapping_add(span.end_ns, base);
    if (span.begin_ns < kYear2000) return std::nullopt;
    return span;
  }

  const ImportRequest& request_;
  Progress& progress_;
  RunBuilder builder_;
  std::uint64_t bytes_read_ = 0;
  std::vector<JobPart> parts_;
  std::map<std::string, SourceId> first_source_of_;  ///< by path
};

Result<Imported> import_inputs(std::vector<Input> inputs, const ImportRequest& request,
                               Progress& progress) {
  const std::size_t given = inputs.size();
  if (!request.ranks.empty() && request.ranks.size() != given) {
    return usage_error("--rank: give one rank per input: " + std::to_string(given));
  }
  if (request.hosts.size() > 1 && request.hosts.size() != given) {
    return usage_error("--host: give one host, or one per input: " + std::to_string(given));
  }
  std::set<std::string> paths;
  for (std::size_t i = 0; i < given; ++i) {
    inputs[i].number = i;
    paths.insert(inputs[i].path);
  }
  for (const std::string& path : request.counters) {
    if (paths.contains(path)) return usage_error("--counters " + path + ": is the input itself");
  }
  // Counters that are given belong to the only input, or to a host.
  for (const std::string& path : request.counters) {
    if (!paths.insert(path).second) continue;
    inputs.push_back({.path = path,
                      .beside = given == 1 ? inputs.front().path : std::string(),
                      .is_for_counters = true});
  }
  for (std::size_t i = 0; i < given; ++i) {
    const auto beside = counters_beside(inputs[i].path);
    if (beside && paths.insert(*beside).second) {
      inputs.push_back({.path = *beside, .beside = std::string(inputs[i].path)});
    }
  }
  std::vector<Input> captures;
  for (const std::string& path : request.captures) captures.push_back({.path = path});
  for (std::size_t i = 0; request.captures.empty() && i < given; ++i) {
    const auto beside = capture_beside(inputs[i].path);
    if (beside && paths.insert(*beside).second) {
      captures.push_back({.path = *beside, .beside = inputs[i].path});
    }
  }
  Importer importer(request, progress);
  for (Input& input : inputs) {
    if (Status added = importer.add(std::move(input)); !added) return added.error();
  }
  if (!captures.empty()) importer.begin_captures();
  for (Input& capture : captures) {
    if (Status added = importer.add(std::move(capture)); !added) return added.error();
  }
  return importer.finish();
}

/// Adds counter samples to a run that is open.
Status add_counters(const ImportRequest& request, Imported& imported, Progress& progress) {
  for (const std::string& path : request.counters) {
    std::vector<Input> inputs;
    inputs.push_back({.path = path, .is_for_counters = true});
    Result<Imported> samples = import_inputs(std::move(inputs), {}, progress);
    if (!samples) return samples.error();
    imported.bytes_read += samples->bytes_read;
    join_counters(std::move(samples->run), imported.run);
  }
  if (std::string twice = counters_twice(imported.run); !twice.empty()) {
    imported.run.warnings.push_back(std::move(twice));
  }
  return imported.run.status();
}

/// A `.tact` file. Its columns are read when they are needed, so of one that comes through a pipe,
/// or is compressed, a temporary copy is made.
Result<Imported> open_tact(Input& input, const ImportRequest& request, Progress& progress) {
  if (!request.captures.empty()) {
    return usage_error(input.path +
                       ": give the capture when you make the file: tactus import "
                       "TRACE --capture CAPTURE -o " +
                       input.path);
  }
  InputBytes& bytes = *input.bytes;
  std::optional<File> file = bytes.take_file();
  if (!file) {
    Result<File> copy = spool(bytes);
    if (!copy) return copy.error();
    file = std::move(*copy);
  }
  Result<Run> run = open_run(std::move(*file), bytes.path(),
                             {.threads = request.threads, .window = request.window});
  if (!run) return run.error();
  if (!bytes.problem().empty()) run->warnings.push_back(bytes.problem());
  Imported imported{std::move(*run), std::max(bytes.disk_size(), bytes.disk_bytes())};
  if (!request.counters.empty()) {
    if (Status added = add_counters(request, imported, progress); !added) return added.error();
  }
  return imported;
}

}  // namespace

Result<Imported> import_run(const ImportRequest& request, Progress& progress) {
  Result<std::vector<Input>> inputs = expand_folders(request.inputs);
  if (!inputs) return inputs.error();
  return import_inputs(std::move(*inputs), request, progress);
}

Result<Imported> open_or_import(const ImportRequest& request, Progress& progress) {
  Result<std::vector<Input>> inputs = expand_folders(request.inputs);
  if (!inputs) return inputs.error();
  if (inputs->size() == 1) {
    Input& input = inputs->front();
    if (Status opened = input.open(); !opened) return opened.error();
    if (input.format != nullptr && input.format->stage == InputStage::kRun) {
      return open_tact(input, request, progress);
    }
  }
  Result<Imported> imported = import_inputs(std::move(*inputs), request, progress);
  if (imported) imported->run.apply_clocks();
  return imported;
}

}  // namespace tactus
