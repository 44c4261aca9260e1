#include "sources/perfetto/events.h"

#include <algorithm>
#include <tuple>

#include "base/arithmetic.h"
#include "sources/perfetto/schema.h"
#include "sources/perfetto/wire.h"

namespace tactus::perfetto {
namespace {

/// Categories of rocprofv3, in the words of Kineto.
std::string_view kineto_category(std::string_view category) {
  if (category == "kernel_dispatch") return "kernel";
  if (category == "memory_copy") return "gpu_memcpy";
  if (category == "hip_api" || category == "hip_runtime_api") return "cuda_runtime";
  if (category == "hsa_api" || category == "hip_compiler_api") return "cuda_driver";
  if (category == "marker_api") return "user_annotation";
  return category;
}

std::int64_t end_of(std::int64_t start_ns, std::int64_t dur_ns) {
  return wrapping_add(start_ns, dur_ns);
}

/// A copy of a column's rows from `first` on, changed by f(row - first, value).
template <class F>
Column changed(const Column& column, std::size_t first, F&& f) {
  Column out;
  column.for_each_piece(0, column.size(),
                        [&](std::size_t at, std::span<const std::int64_t> values) {
                          for (std::size_t i = 0; i < values.size(); ++i) {
                            const std::size_t row = at + i;
                            out.append(row < first ? values[i] : f(row - first, values[i]));
                          }
                        });
  return out;
}

}  // namespace

/// What a TrackEvent says.
struct TrackEvents::Parts {
  std::uint64_t type = 0;
  std::uint64_t uuid = 0;
  std::uint32_t track = 0;
  std::optional<StringId> name;
  std::string category;
  std::vector<std::uint64_t> flows;
  std::vector<std::uint64_t> ended_flows;
  std::optional<Value> counter;
  std::vector<std::uint64_t> extra_tracks;
  std::vector<std::uint64_t> extra_values;
  std::vector<std::uint64_t> extra_double_tracks;
  std::vector<std::uint64_t> extra_double_values;
  std::string_view legacy;
};

void TrackEvents::begin() {
  const Run& run = builder_.run();
  first_slice_ = run.slices.size();
  first_instant_ = run.instants.size();
  first_sample_ = run.counters.rows;
}

TrackEvents::Parts TrackEvents::read(std::string_view track_event, const Sequence& sequence) {
  Parts parts;
  annotations_.begin_event();
  std::optional<std::uint64_t> uuid = sequence.defaults.track_uuid;
  if (!uuid) uuid = sequence.own_track;
  const auto add_category = [&](std::string_view text) {
    if (!parts.category.empty()) parts.category += ',';
    parts.category += text;
  };
  const auto collect = [](const Field& field, bool is_fixed, std::vector<std::uint64_t>& into) {
    for_each_number(field, is_fixed, [&](std::uint64_t value) { into.push_back(value); });
  };
  Message message(track_event);
  for (Field field; message.next(field);) {
    switch (field.number) {
      case event::kType: parts.type = field.value; break;
      case event::kTrackUuid: uuid = field.value; break;
      case event::kNameIid: parts.name = sequence.text(Sequence::kName, field.value); break;
      case event::kName:
        if (field.is_bytes) parts.name = builder_.intern_repaired(field.bytes);
        break;
      case event::kCategoryIids:
        for_each_number(field, false, [&](std::uint64_t iid) {
          const auto text = sequence.text(Sequence::kCategory, iid);
          if (text) add_category(builder_.run().strings[*text]);
        });
        break;
      case event::kCategories:
        if (field.is_bytes) add_category(field.bytes);
        break;
      case event::kDebugAnnotations:
        if (field.is_bytes) annotations_.add(field.bytes, sequence);
        break;
      case event::kFlowIds: collect(field, true, parts.flows); break;
      case event::kFlowIdsOld: collect(field, false, parts.flows); break;
      case event::kTerminatingFlowIds: collect(field, true, parts.ended_flows); break;
      case event::kTerminatingFlowIdsOld: collect(field, false, parts.ended_flows); break;
      case event::kCounterValue: parts.counter = Value{ValueType::kInt, field.as_signed()}; break;
      case event::kDoubleCounterValue:
        parts.counter = Value{ValueType::kDecimal,
                              Decimal::from_double(field.as_double(), builder_.run().strings)};
        break;
      case event::kExtraCounterTracks: collect(field, false, parts.extra_tracks); break;
      case event::kExtraCounterValues: collect(field, false, parts.extra_values); break;
      case event::kExtraDoubleCounterTracks:
        collect(field, false, parts.extra_double_tracks);
        break;
      case event::kExtraDoubleCounterValues: collect(field, true, parts.extra_double_values); break;
      case event::kLegacyEvent:
        if (field.is_bytes) parts.legacy = field.bytes;
        break;
      default: break;
    }
  }
  if (message.is_damaged()) builder_.drop("malformed_event");
  parts.uuid = uuid.value_or(0);
  return parts;
}

void TrackEvents::add(std::string_view track_event, std::int64_t time_ns,
                      const Sequence& sequence) {
  Parts parts = read(track_event, sequence);
  add_counters(parts, time_ns, sequence);
  switch (parts.type) {
    case kSliceBegin:
    case kInstant: break;
    case kSliceEnd: {
      const std::uint32_t track = tracks_.number(parts.uuid);
      if (track >= edges_.size()) edges_.resize(track + 1);
      edges_[track].push_back({time_ns, Edge::kEnd, order_++});
      latest_ns_ = std::max(latest_ns_, time_ns);
      if (!annotations_.values().empty()) builder_.drop("arguments_of_end");
      if (!parts.flows.empty() || !parts.ended_flows.empty()) builder_.drop("flow_of_end");
      return;
    }
    case kCounterSample:
      if (!parts.counter) builder_.drop("counter_without_number");
      return;
    default:
      if (parts.legacy.empty()) {
        builder_.drop("unsupported_event_type");
      } else {
        add_legacy(parts, time_ns);
      }
      return;
  }
  parts.track = tracks_.number(parts.uuid);
  if (!parts.name) builder_.repair("missing_name");
  if (parts.type == kSliceBegin) {
    if (parts.track >= edges_.size()) edges_.resize(parts.track + 1);
    edges_[parts.track].push_back(
        {time_ns, static_cast<std::uint32_t>(durations_.size()), order_++});
    add_slice(parts, time_ns, 0);
    return;
  }
  if (!parts.flows.empty() || !parts.ended_flows.empty()) builder_.drop("flow_of_instant");
  const CategoryId category = builder_.category(parts.category);
  const ShapeId shape = annotations_.shape();
  builder_.run().instants.append(time_ns, 0, parts.name.value_or(StringId(0)), parts.track * 2,
                                 category.value, shape, annotations_.values());
}

void TrackEvents::add_slice(const Parts& parts, std::int64_t time_ns, std::int64_t dur_ns) {
  const CategoryId category = builder_.category(
      tracks_.has_facts() ? std::string_view(parts.category) : kineto_category(parts.category));
  const bool on_device = runs_on_device(builder_.run().categories[category.value].kind);
  const auto row = static_cast<std::uint32_t>(durations_.size());
  for (const std::uint64_t id : parts.flows) flows_.push_back({id, time_ns, row, false});
  for (const std::uint64_t id : parts.ended_flows) flows_.push_back({id, time_ns, row, true});
  const ShapeId shape = annotations_.shape();
  builder_.run().slices.append(time_ns, 0, parts.name.value_or(StringId(0)),
                               parts.track * 2 + (on_device ? 1 : 0), category.value, shape,
                               annotations_.values());
  durations_.push_back(dur_ns);
  latest_ns_ = std::max(latest_ns_, end_of(time_ns, dur_ns));
}

void TrackEvents::add_counters(const Parts& parts, std::int64_t time_ns, const Sequence& sequence) {
  const auto category = [&] { return builder_.intern_repaired(parts.category); };
  if (parts.type == kCounterSample && parts.counter) {
    tracks_.add_sample(parts.uuid, time_ns, *parts.counter, category());
  }
  const auto add_extra = [&](const std::vector<std::uint64_t>& own,
                             const std::vector<std::uint64_t>& usual,
                             const std::vector<std::uint64_t>& values, bool is_double) {
    const std::vector<std::uint64_t>& uuids = own.empty() ? usual : own;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i >= uuids.size()) {
        builder_.drop("counter_without_track");
        continue;
      }
      Value value{ValueType::kInt, static_cast<std::int64_t>(values[i])};
      if (is_double) {
        value = {ValueType::kDecimal,
                 Decimal::from_double(std::bit_cast<double>(values[i]), builder_.run().strings)};
      }
      tracks_.add_sample(uuids[i], time_ns, value, category());
    }
  };
  if (!parts.extra_values.empty()) {
    add_extra(parts.extra_tracks, sequence.defaults.extra_counter_tracks, parts.extra_values,
              false);
  }
  if (!parts.extra_double_values.empty()) {
    add_extra(parts.extra_double_tracks, sequence.defaults.extra_double_counter_tracks,
              parts.extra_double_values, true);
  }
}

/// Events of Chrome inside of track events: the phase says what they are.
void TrackEvents::add_legacy(const Parts& event_parts, std::int64_t time_ns) {
  Parts parts = event_parts;
  char phase = 0;
  std::int64_t duration_us = 0;
  Message message(parts.legacy);
  for (Field field; message.next(field);) {
    if (field.is_bytes) continue;
    if (field.number == legacy::kPhase && field.value < 128) phase = static_cast<char>(field.value);
    if (field.number == legacy::kDurationUs) duration_us = field.as_signed();
  }
  parts.track = tracks_.number(parts.uuid);
  if (parts.track >= edges_.size()) edges_.resize(parts.track + 1);
  switch (phase) {
    case 'X': {
      const bool fits = duration_us >= 0 && duration_us < kLatestTime / 1000;
      if (!fits) builder_.repair("negative_duration");
      add_slice(parts, time_ns, fits ? duration_us * 1000 : 0);
      return;
    }
    case 'B':
      edges_[parts.track].push_back(
          {time_ns, static_cast<std::uint32_t>(durations_.size()), order_++});
      add_slice(parts, time_ns, 0);
      return;
    case 'E':
      edges_[parts.track].push_back({time_ns, Edge::kEnd, order_++});
      latest_ns_ = std::max(latest_ns_, time_ns);
      return;
    case 'I':
    case 'i':
    case 'R': {
      const ShapeId shape = annotations_.shape();
      builder_.run().instants.append(time_ns, 0, parts.name.value_or(StringId(0)), parts.track * 2,
                                     builder_.category(parts.category).value, shape,
                                     annotations_.values());
      return;
    }
    default: builder_.drop(phase > ' ' ? "unsupported_phase_" + std::string(1, phase) : "no_phase");
  }
}

void TrackEvents::match(std::vector<Edge>& edges) {
  const auto before = [](const Edge& a, const Edge& b) {
    return std::tuple(a.time_ns, a.order) < std::tuple(b.time_ns, b.order);
  };
  if (!std::is_sorted(edges.begin(), edges.end(), before)) {
    std::sort(edges.begin(), edges.end(), before);
  }
  std::vector<const Edge*> running;
  for (const Edge& edge : edges) {
    if (edge.slice != Edge::kEnd) {
      running.push_back(&edge);
    } else if (running.empty()) {
      builder_.drop("begin_missing");
    } else {
      durations_[running.back()->slice] = edge.time_ns - running.back()->time_ns;
      running.pop_back();
    }
  }
  for (const Edge* edge : running) {
    builder_.repair("end_missing");
    durations_[edge->slice] = latest_ns_ - edge->time_ns;
    open_.push_back(edge->slice);
  }
  edges = {};
}

/// Durations, flags and tracks were not known when the slices were appended.
void TrackEvents::rewrite_slices() {
  EventTable& slices = builder_.run().slices;
  std::span<LazyColumn> columns = slices.columns();
  columns[EventTable::kDur].writable() = changed(
      slices.dur(), first_slice_, [&](std::size_t row, std::int64_t) { return durations_[row]; });
  std::sort(open_.begin(), open_.end());
  if (!open_.empty()) {
    columns[EventTable::kFlags].writable() =
        changed(slices.flags(), first_slice_, [&](std::size_t row, std::int64_t flags) {
          const bool is_open = std::binary_search(open_.begin(), open_.end(), row);
          return is_open ? flags | kOpenEnd : flags;
        });
  }
}

void TrackEvents::place_points() {
  Run& run = builder_.run();
  std::vector<TrackId> places(2 * tracks_.size());
  const auto place = [&](std::size_t, std::int64_t number) -> std::int64_t {
    const auto index = static_cast<std::size_t>(number);
    if (!places[index].valid()) {
      places[index] = tracks_.place(static_cast<std::uint32_t>(index / 2), index % 2 == 1);
    }
    return places[index].value;
  };
  run.slices.columns()[EventTable::kTrack].writable() =
      changed(run.slices.track(), first_slice_, place);
  run.instants.columns()[EventTable::kTrack].writable() =
      changed(run.instants.track(), first_instant_, place);
  std::vector<SeriesId> series(tracks_.size());
  run.counters.columns[Counters::kSeries].writable() =
      changed(run.counters.series(), first_sample_, [&](std::size_t, std::int64_t number) {
        SeriesId& id = series[static_cast<std::size_t>(number)];
        if (!id.valid()) id = tracks_.place_counter(static_cast<std::uint32_t>(number));
        return std::int64_t{id.value};
      });
}

/// Slices with one id are linked in the order of time, up to one that ends the arrow.
void TrackEvents::link() {
  std::stable_sort(flows_.begin(), flows_.end(), [](const FlowEnd& a, const FlowEnd& b) {
    return std::tuple(a.id, a.time_ns) < std::tuple(b.id, b.time_ns);
  });
  for (std::size_t i = 1; i < flows_.size(); ++i) {
    const FlowEnd* from = &flows_[i - 1];
    const FlowEnd* to = &flows_[i];
    if (from->id != to->id) continue;
    if (from->is_target) {
      // An arrow that ends before it starts: clocks of host and device may differ a little.
      const bool is_new = i == 1 || flows_[i - 2].id != from->id;
      if (to->is_target || !is_new) continue;
      std::swap(from, to);
    }
    builder_.add_link(first_slice_ + from->slice, first_slice_ + to->slice);
  }
  flows_ = {};
}

void TrackEvents::finish() {
  for (std::vector<Edge>& edges : edges_) match(edges);
  rewrite_slices();
  place_points();
  link();
}

}  // namespace tactus::perfetto
