#include "sources/job.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <set>

#include "base/arithmetic.h"
#include "sources/content.h"

namespace tactus {
namespace {

constexpr std::int64_t kDayNs = 86'400'000'000'000;
constexpr std::size_t kMostListed = 12;
/// In the order in which ranks count them, slowest first.
constexpr std::string_view kCoordinates[] = {"pp", "dp", "tp", "ep"};

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

bool is_small_letter(char c) {
  return c >= 'a' && c <= 'z';
}

/// Whether a number may end in front of this: "tp0pp1" has two, "pp05t7" none.
bool ends_number(std::string_view rest) {
  const auto follows = [&](std::string_view word) { return rest.starts_with(word); };
  return rest.empty() || !is_small_letter(rest.front()) || follows("rank") ||
         std::any_of(std::begin(kCoordinates), std::end(kCoordinates), follows);
}

/// 3 for "rank" in "engine-rank_3.json": a word with a number behind it.
std::optional<std::int64_t> number_after(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos;
       at = name.find(word, at + 1)) {
    if (at > 0 && is_small_letter(name[at - 1])) continue;
    std::size_t digits = at + word.size();
    while (digits < name.size() && (name[digits] == '-' || name[digits] == '_')) ++digits;
    std::int64_t number = 0;
    const auto [end, error] =
        std::from_chars(name.data() + digits, name.data() + name.size(), number);
    if (error != std::errc() || number < 0) continue;
    if (ends_number(name.substr(static_cast<std::size_t>(end - name.data())))) return number;
  }
  return std::nullopt;
}

bool are_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// PyTorch's default name: HOST_PID.TIME.pt.trace.json.
std::string host_in(std::string_view name) {
  const std::size_t ending = name.find(".pt.trace.json");
  if (ending == std::string_view::npos) return {};
  std::string_view stem = name.substr(0, ending);
  if (const std::size_t dot = stem.rfind('.'); dot != std::string_view::npos) {
    if (are_digits(stem.substr(dot + 1))) stem = stem.substr(0, dot);
  }
  const std::size_t line = stem.rfind('_');
  if (line == std::string_view::npos || line == 0 || !are_digits(stem.substr(line + 1))) return {};
  return std::string(stem.substr(0, line));
}

std::string time_text(std::int64_t ns) {
  const std::time_t seconds = ns / 1'000'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

/// The names of the devices that a source used; all that it describes if it used none.
std::set<std::string_view> device_names(const Run& run, SourceId source) {
  std::set<std::string_view> used;
  std::set<std::string_view> described;
  std::set<std::int64_t> indices;
  for (const Track& track : run.tracks) {
    const Process& process = run.processes[run.threads[track.thread.value].process.value];
    if (process.source == source && track.device_index) indices.insert(*track.device_index);
  }
  for (const DescribedDevice& device : run.described_devices) {
    const std::string_view name = run.strings[device.name];
    if (device.source != source || name.empty()) continue;
    described.insert(name);
    if (indices.contains(device.index)) used.insert(name);
  }
  return used.empty() ? described : used;
}

struct Described {
  const JobPart* part = nullptr;
  const Source* source = nullptr;
  std::set<std::string_view> devices;
};

std::string line_about(const Described& one) {
  std::string text = "  " + one.part->path;
  std::string facts;
  const auto add = [&](const std::string& fact) { facts += (facts.empty() ? "" : ", ") + fact; };
  if (one.source->rank) add("rank " + std::to_string(*one.source->rank));
  if (one.source->world_size) add("of " + std::to_string(*one.source->world_size));
  for (const std::string_view device : one.devices) add(std::string(device));
  if (one.part->span) add(time_text(one.part->span->begin_ns));
  return facts.empty() ? text : text + ": " + facts;
}

std::string reason(const std::vector<Described>& all) {
  std::set<std::int64_t> ranks;
  std::set<std::int64_t> sizes;
  std::optional<std::int64_t> twice;
  bool all_ranked = true;
  for (const Described& one : all) {
    if (one.source->world_size) sizes.insert(*one.source->world_size);
    if (!one.source->rank) {
      all_ranked = false;
    } else if (!ranks.insert(*one.source->rank).second) {
      twice = one.source->rank;
    }
  }
  if (twice) return "rank " + std::to_string(*twice) + " occurs twice";
  if (sizes.size() > 1) {
    return "one says that its job has " + std::to_string(*sizes.begin()) + " ranks, another " +
           std::to_string(*sizes.rbegin());
  }
  if (all_ranked && sizes.size() == 1) return {};
  for (const Described& one : all) {
    if (one.devices.empty() || all.front().devices.empty()) continue;
    if (one.devices != all.front().devices) {
      return "one ran on " + std::string(*all.front().devices.begin()) + ", another on " +
             std::string(*one.devices.begin());
    }
  }
  std::vector<TimeSpan> spans;
  for (const Described& one : all) {
    if (one.part->span) spans.push_back(*one.part->span);
  }
  std::sort(spans.begin(), spans.end(),
            [](const TimeSpan& a, const TimeSpan& b) { return a.begin_ns < b.begin_ns; });
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (wrapping_subtract(spans[i].begin_ns, spans[i - 1].end_ns) > kDayNs) {
      return "they were recorded days apart";
    }
  }
  return {};
}

}  // namespace

PlaceInName place_in_name(const std::string& path) {
  const std::filesystem::path full(path);
  PlaceInName place;
  place.host = host_in(full.filename().string());
  std::vector<std::string> names = {full.filename().string()};
  // A folder may be the rank's own; those further up are about other things.
  std::filesystem::path folder = full.parent_path();
  for (int i = 0; i < 2 && folder.has_filename(); ++i, folder = folder.parent_path()) {
    names.push_back(folder.filename().string());
  }
  for (std::string& name : names) {
    place.is_of_folder = &name != &names.front();
    name = lower_case(std::move(name));
    place.rank = number_after(name, "rank");
    for (const std::string_view coordinate : kCoordinates) {
      if (const auto number = number_after(name, coordinate)) {
        place.coordinates[std::string(coordinate)] = *number;
      }
    }
    if (place.rank || !place.coordinates.empty()) break;
  }
  return place;
}

void set_ranks_by_name(Run& run, const std::vector<JobPart>& parts) {
  std::map<std::string, std::int64_t> sizes;
  std::set<std::map<std::string, std::int64_t>> of_folders;
  std::size_t in_folders = 0;
  for (const JobPart& part : parts) {
    for (const auto& [kind, number] : part.place.coordinates) {
      sizes[kind] = std::max(sizes[kind], number + 1);
    }
    if (!part.has_slices || !part.place.is_of_folder || part.place.coordinates.empty()) continue;
    of_folders.insert(part.place.coordinates);
    ++in_folders;
  }
  const bool folders_tell = in_folders > 1 && of_folders.size() == in_folders;
  for (const JobPart& part : parts) {
    Source& source = run.sources[part.source.value];
    if (source.rank) continue;
    source.rank = part.place.rank;
    if (source.rank || part.place.coordinates.empty()) continue;
    if (part.place.is_of_folder && !folders_tell) continue;
    std::int64_t rank = 0;
    for (const std::string_view kind : kCoordinates) {
      const auto at = part.place.coordinates.find(std::string(kind));
      const auto size = sizes.find(std::string(kind));
      if (size == sizes.end()) continue;
      const std::int64_t number = at == part.place.coordinates.end() ? 0 : at->second;
      if (size->second > 1'000'000 || rank > 1'000'000'000) return;  // not ranks
      rank = rank * size->second + number;
    }
    source.rank = rank;
  }
}

std::string missing_ranks(const Run& run) {
  constexpr std::size_t kMostNamed = 8;
  std::set<std::int64_t> present;
  std::int64_t size = 0;
  for (const Source& source : run.sources) {
    if (source.rank) present.insert(*source.rank);
    size = std::max(size, source.world_size.value_or(0));
  }
  const auto have = static_cast<std::int64_t>(present.size());
  if (have < 2 || have >= size) return {};  // one rank alone is what most people look at
  std::string names;
  std::size_t named = 0;
  for (std::int64_t rank = 0; rank < size && named < kMostNamed; ++rank) {
    if (present.contains(rank)) continue;
    names += (names.empty() ? "" : ", ") + std::to_string(rank);
    ++named;
  }
  if (size - have > static_cast<std::int64_t>(named)) names += ", ...";
  return std::to_string(size - have) + " of " + std::to_string(size) +
         " ranks are missing: " + names;
}

Copy copy_among(const Run& run, const std::vector<JobPart>& parts) {
  std::vector<std::size_t> begins;
  for (const JobPart& part : parts) begins.push_back(part.first_slice);
  std::map<std::uint64_t, const JobPart*> first;
  const std::vector<std::uint64_t> contents = contents_of_slices(run, begins);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (contents[i] == 0) continue;  // counters, or captures
    const auto [known, is_new] = first.try_emplace(contents[i], &parts[i]);
    if (is_new) continue;
    return {.text = parts[i].path + ": holds the same recording as " + known->second->path +
                    " (the same work at the same times), so all of it counts twice; give each "
                    "recording once",
            .is_same_file = parts[i].path == known->second->path};
  }
  return {};
}

std::string why_perhaps_not_one_job(const Run& run, const std::vector<JobPart>& parts) {
  std::size_t traces = 0;
  std::set<std::int64_t> ranks;
  for (const JobPart& part : parts) {
    const Source& source = run.sources[part.source.value];
    if (source.is_capture || source.kind == "counters" || !part.has_slices) continue;
    ++traces;
    if (source.rank) ranks.insert(*source.rank);
  }
  if (traces < 2 || ranks.size() == traces) return {};
  return "nothing shows that the inputs are ranks of one job: " +
         std::string(ranks.empty() ? "no trace and no name of a file tells a rank"
                                   : "not each trace or name of a file tells its rank") +
         ". They are read as one job; if they are, --rank 0,1,... of tactus import tells the "
         "ranks; if not, give one at a time";
}

std::string why_not_one_job(const Run& run, const std::vector<JobPart>& parts) {
  std::vector<Described> all;
  for (const JobPart& part : parts) {
    const Source& source = run.sources[part.source.value];
    if (source.is_capture || source.kind == "counters") continue;
    all.push_back({&part, &source, device_names(run, part.source)});
  }
  if (all.size() < 2) return {};
  const std::string why = reason(all);
  if (why.empty()) return {};
  std::string text = "these are not the ranks of one job: " + why + "\n";
  for (std::size_t i = 0; i < std::min(all.size(), kMostListed); ++i) {
    text += line_about(all[i]) + "\n";
  }
  if (all.size() > kMostListed) {
    text += "  and " + std::to_string(all.size() - kMostListed) + " more\n";
  }
  return text +
         "Give the files of one job, or make one run of all of them: tactus import --merge "
         "INPUT... -o RUN.tact";
}

}  // namespace tactus
