#include "views/page/page_json.h"

#include <algorithm>

#include "base/utf8.h"
#include "launches/launch_sites.h"
#include "run/args/arg_json.h"

namespace tactus {
namespace {

constexpr std::size_t kMostLaunches = 1000;
constexpr std::size_t kMostFound = 200;

void add_texts(JsonText& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key).open_array();
  for (const std::string& text : texts) json.text(text);
  json.close_array();
}

void add_number(JsonText& json, std::string_view key, std::int64_t value) {
  json.key(key).raw(std::to_string(value));
}

void add_number(JsonText& json, std::string_view key, const std::optional<std::int64_t>& value) {
  json.key(key).raw(value ? std::to_string(*value) : "null");
}

void add_track(JsonText& json, const page::TimelineTrack& track, std::size_t id) {
  json.open_object();
  add_number(json, "id", static_cast<std::int64_t>(id));
  json.key("kind").text(track.on_device ? "stream" : "thread");
  json.key("label").text(track.label);
  json.key("group").text(track.group);
  json.key("host").text_or_null(track.host);
  add_number(json, "rank", track.rank);
  add_number(json, "device", track.device);
  add_number(json, "pid", track.pid);
  add_number(json, "tid", track.tid);
  add_number(json, "depth", static_cast<std::int64_t>(track.depth));
  add_number(json, "count", static_cast<std::int64_t>(track.count));
  json.close_object();
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

Json args_json(const Run& run, std::uint32_t row) {
  Json args = Json::object();
  const auto shape = static_cast<std::size_t>(run.slices.shape()[row]);
  const std::optional<std::size_t> place = run.slices.arg_row(row);
  if (shape >= run.shapes.size() || !place || shape >= run.slices.args().size()) return args;
  const ArgTable& table = run.slices.args()[shape];
  for (std::size_t i = 0; i < run.shapes[shape].size() && i < table.columns.size(); ++i) {
    const ArgField& field = run.shapes[shape][i];
    if (*place >= table.columns[i].get().size()) continue;
    std::string text;
    append_json_value(text, run.strings, {field.type, table.columns[i].get()[*place]});
    Json value = Json::parse(text);
    args[run.strings[field.key]] = value.is_discarded() ? Json(text) : std::move(value);
  }
  return args;
}

/// The work that a row launched, or the call that launched it.
struct LaunchLinks {
  std::optional<std::int64_t> launched_by;
  std::vector<std::int64_t> launches;
};
LaunchLinks links_of(const Run& run, std::uint32_t row) {
  LaunchLinks found;
  const auto kind = static_cast<std::int64_t>(LinkKind::kLaunch);
  std::vector<std::int64_t> from(Column::kBlockRows), kinds(Column::kBlockRows);
  run.links.to().for_each_piece(0, run.links.rows,
                                [&](std::size_t first, std::span<const std::int64_t> to) {
                                  run.links.from().read(first, std::span(from).first(to.size()));
                                  run.links.kind().read(first, std::span(kinds).first(to.size()));
                                  for (std::size_t i = 0; i < to.size(); ++i) {
                                    if (kinds[i] != kind) continue;
                                    if (to[i] == row) found.launched_by = from[i];
                                    if (from[i] == row && found.launches.size() < kMostLaunches) {
                                      found.launches.push_back(to[i]);
                                    }
                                  }
                                });
  return found;
}

Json name_or_null(const Run& run, std::uint32_t row) {
  if (row == kNoRow) return nullptr;
  return text_or_null(run.strings[StringId(static_cast<std::uint64_t>(run.slices.name()[row]))]);
}

Json holds_name(PageHolds holds) {
  switch (holds) {
    case PageHolds::kKernels: return "kernels";
    case PageHolds::kLaunches: return "launches";
    case PageHolds::kNothing: break;
  }
  return nullptr;
}

}  // namespace

std::string show_page_runs(const std::vector<PageRun>& runs) {
  Json list = Json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    list.push_back({{"index", i},
                    {"name", runs[i].name},
                    {"kind", runs[i].kind},
                    {"holds", holds_name(runs[i].holds)},
                    {"rows", runs[i].rows},
                    {"span_ns", value_or_null(runs[i].span_ns)},
                    {"live", runs[i].live},
                    {"generation", runs[i].generation}});
  }
  return to_text(list);
}

std::string show_page_timeline(const page::Timeline& timeline, const ShownTimeline& shown) {
  JsonText json;
  json.open_object();
  json.key("origin_ns").text(std::to_string(timeline.origin_ns));
  add_number(json, "start_ns", timeline.span.begin_ns);
  add_number(json, "span_ns", timeline.span.end_ns - timeline.span.begin_ns);
  add_texts(json, "names", timeline.names);
  add_texts(json, "short_names", timeline.short_names);
  add_texts(json, "families", timeline.families);
  json.key("family_of_name").open_array();
  for (const std::int32_t family : timeline.family_of_name) json.raw(std::to_string(family));
  json.close_array();
  json.key("tracks").open_array();
  for (std::size_t i = 0; i < timeline.tracks.size(); ++i) add_track(json, timeline.tracks[i], i);
  json.close_array();
  json.key("counters").open_array();
  for (const page::TimelineCounter& counter : timeline.counters) {
    json.open_object();
    add_number(json, "id", static_cast<std::int64_t>(counter.id));
    json.key("name").text(counter.name);
    json.key("unit").text_or_null(counter.unit);
    json.key("device").text_or_null(counter.device);
    add_number(json, "count", static_cast<std::int64_t>(counter.count));
    json.close_object();
  }
  json.close_array();
  json.key("tiles").boolean(shown.tiles);
  add_number(json, "whole_from_ns", shown.whole.begin_ns);
  add_number(json, "whole_to_ns", shown.whole.end_ns);
  add_texts(json, "warnings", shown.warnings);
  json.close_object();
  return std::move(json).take() + "\n";
}

std::string show_page_flame(const page::Flame& flame) {
  JsonText json;
  json.open_object();
  json.key("kind").text(page::flame_kind_name(flame.kind));
  json.key("nodes").open_array();
  for (const page::FlameNode& node : flame.nodes) {
    json.open_object();
    json.key("name").text(node.name);
    add_number(json, "parent", node.parent);
    add_number(json, "launches", node.launches);
    add_number(json, "device_ns", node.device_ns);
    json.close_object();
  }
  json.close_array();
  std::vector<std::string> warnings;
  if (flame.is_cut) {
    warnings.emplace_back(
        "There are more stacks than the flame graph shows; the rest is summed up "
        "in the function that is shown last.");
  }
  add_texts(json, "warnings", warnings);
  json.close_object();
  return std::move(json).take() + "\n";
}

std::string show_page_slice(const Run& run, std::uint32_t row, std::optional<std::size_t> place,
                            std::optional<LaunchSite> known) {
  const SliceKind kind = run.kind_of(run.slices.category()[row]);
  const LaunchLinks links = links_of(run, row);
  const std::uint32_t rows[] = {row};
  const LaunchSite site = known                  ? *known
                          : runs_on_device(kind) ? launch_sites(run, rows).front()
                                                 : enclosing_slices(run, rows).front();
  Json shapes = nullptr;
  if (site.op != kNoRow) {
    if (const auto dims = run.arg(run.slices, site.op, "Input Dims")) {
      std::string text;
      append_json_value(text, run.strings, *dims);
      shapes = Json::parse(text);
      if (shapes.is_discarded()) shapes = nullptr;
    }
  }
  Json document = {{"row", row},
                   {"name", name_or_null(run, row).is_null() ? Json("") : name_or_null(run, row)},
                   {"kind", kind_name(kind)},
                   {"track", value_or_null(place)},
                   {"start_ns", run.slices.start()[row]},
                   {"dur_ns", run.slices.dur()[row]},
                   {"args", args_json(run, row)},
                   {"op", name_or_null(run, site.op)},
                   {"shapes", std::move(shapes)},
                   {"python", name_or_null(run, site.frame)},
                   {"module", name_or_null(run, site.module)},
                   {"launched_by", value_or_null(links.launched_by)},
                   {"launches", Json(links.launches)}};
  return to_text(document);
}

std::string show_page_search(const page::Timeline& timeline, const std::vector<std::size_t>& counts,
                             std::string_view text) {
  const std::string wanted = lower(text);
  Json document = {{"names", Json::array()}, {"total", 0}};
  std::size_t total = 0;
  Json list = Json::array();
  for (std::size_t i = 0; i < timeline.names.size(); ++i) {
    if (lower(timeline.names[i]).find(wanted) == std::string::npos) continue;
    if (++total <= kMostFound) {
      list.push_back({{"name", i}, {"count", i < counts.size() ? counts[i] : 0}});
    }
  }
  document["names"] = std::move(list);
  document["total"] = total;
  return to_text(document);
}

}  // namespace tactus
