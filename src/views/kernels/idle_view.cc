#include "views/kernels/idle_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "names/python_frame.h"
#include "views/common/numbers.h"

namespace tactus {
namespace {

constexpr double kShownShare = 0.005;  // of the time
constexpr std::size_t kPlacesInText = 5;
constexpr std::size_t kPlacesInJson = 50;

double share_of(std::int64_t ns, const IdleTime& idle) {
  return idle.span_ns > 0 ? static_cast<double>(ns) / static_cast<double>(idle.span_ns) : 0;
}

/// "llama.py(123): forward" without the folders.
std::string short_frame(const std::string& frame) {
  const PythonFrame read = read_python_frame(frame);
  const std::size_t slash = read.file.rfind('/');
  if (read.file.empty() || slash == std::string_view::npos) return printable(frame);
  return printable(frame.substr(slash + 1));
}

/// What tells a reader most about a place: the op, else the Python function, else the call.
std::string label(const IdlePlace& place) {
  if (!place.op.empty()) return printable(place.op);
  if (!place.python.empty()) return short_frame(place.python);
  return place.call.empty() ? "code outside any op" : printable(place.call);
}

/// Time by a text, longest first.
std::vector<std::pair<std::string, std::int64_t>> sorted(
    const std::map<std::string, std::int64_t>& times) {
  std::vector<std::pair<std::string, std::int64_t>> list(times.begin(), times.end());
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return list;
}

std::string listed(const std::vector<std::pair<std::string, std::int64_t>>& times,
                   const IdleTime& idle, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(times.size(), most); ++i) {
    if (share_of(times[i].second, idle) < kShownShare) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", times[i].first,
                        percent_text(share_of(times[i].second, idle)));
  }
  return text;
}

/// "host code" instead of "idle: host code"
std::string_view cause_name(Part part) {
  if (part == Part::kUnknownIdle) return "unknown, the host was not recorded";
  std::string_view name = part_name(part);
  if (name.starts_with("idle: ")) name.remove_prefix(6);
  return name;
}

std::map<std::string, std::int64_t> places_by_label(const IdleTime& idle) {
  std::map<std::string, std::int64_t> times;
  for (const IdleCause& cause : idle.causes) {
    if (!is_host_part(cause.part) || cause.part == Part::kUnknownIdle) continue;
    for (const IdlePlace& place : cause.places) times[label(place)] += place.ns;
  }
  return times;
}

/// What helps against a cause.
std::string_view remedy(const IdleCause& cause) {
  const bool graphs =
      !cause.places.empty() && cause.places.front().call.find("GraphLaunch") != std::string::npos;
  if (graphs) return "The launch of a graph takes long: launch the next while this one still runs.";
  switch (cause.part) {
    case Part::kCopyCall: return "Copies from pinned memory do not hold the host up.";
    case Part::kLock: return "Look at the thread that holds the lock.";
    case Part::kDisk: return "Read and write files in another thread.";
    case Part::kNotOnCore: return "Give the process cores of its own.";
    default: return "CUDA graphs, torch.compile or fewer, larger kernels close the gaps.";
  }
}

}  // namespace

std::string idle_summary(const IdleTime& idle) {
  if (idle.share() < kShownShare) return {};
  std::vector<std::pair<std::string, std::int64_t>> causes;
  for (const IdleCause& cause : idle.causes) {
    causes.emplace_back(std::string(cause_name(cause.part)), cause.ns);
  }
  return fmt::format("The device idles {} of {}, in {}, the longest {}: {}.",
                     percent_text(idle.share()), format_duration(idle.span_ns),
                     count_of(idle.gaps, "gap", "gaps"), format_duration(idle.longest_ns),
                     listed(causes, idle, causes.size()));
}

std::string idle_places(const IdleTime& idle) {
  if (idle.share() < kShownShare) return {};
  const std::string places = listed(sorted(places_by_label(idle)), idle, kPlacesInText);
  return places.empty() ? "" : "The host was meanwhile in " + places + ".";
}

std::string idle_advice(const IdleTime& idle) {
  const double share = share_of(idle.host_ns(), idle);
  if (share < 2 * kShownShare) return {};
  const auto most =
      std::find_if(idle.causes.begin(), idle.causes.end(), [](const IdleCause& cause) {
        return is_host_part(cause.part) && cause.part != Part::kUnknownIdle;
      });
  return fmt::format("The device waits for the host {} of the time. {}", percent_text(share),
                     remedy(*most));
}

Json idle_json(const IdleTime& idle) {
  Json causes = Json::array();
  for (const IdleCause& cause : idle.causes) {
    Json places = Json::array();
    for (std::size_t i = 0; i < std::min(cause.places.size(), kPlacesInJson); ++i) {
      const IdlePlace& place = cause.places[i];
      const auto text_or_null = [](const std::string& text) {
        return text.empty() ? Json() : Json(text);
      };
      places.push_back({{"op", text_or_null(place.op)},
                        {"python", text_or_null(place.python)},
                        {"call", text_or_null(place.call)},
                        {"total_ns", place.ns},
                        {"gaps", place.gaps}});
    }
    causes.push_back({{"cause", cause_name(cause.part)},
                      {"total_ns", cause.ns},
                      {"share", share_of(cause.ns, idle)},
                      {"gaps", cause.gaps},
                      {"of_host", is_host_part(cause.part) && cause.part != Part::kUnknownIdle},
                      {"places", std::move(places)},
                      {"places_in_all", cause.places.size()}});
  }
  return {{"total_ns", idle.idle_ns},      {"share", idle.share()},
          {"span_ns", idle.span_ns},       {"gaps", idle.gaps},
          {"longest_ns", idle.longest_ns}, {"causes", std::move(causes)}};
}

}  // namespace tactus
