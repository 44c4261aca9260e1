#include "sources/kineto/assembler.h"

#include <algorithm>
#include <charconv>

#include "run/args/arg_json.h"
#include "run/args/usable_number.h"

namespace tactus::kineto {
namespace {

constexpr std::string_view kLaunchArrow = "ac2g";  // Kineto's name for host call -> device work

}  // namespace

Translation& Assembler::translation(const std::shared_ptr<const Dictionary>& dictionary) {
  for (const auto& known : translations_) {
    if (known->dictionary() == dictionary.get()) return *known;
  }
  // Scanners that have started again do not need these any more.
  std::erase_if(translations_, [](const auto& known) { return known->is_last_user(); });
  translations_.push_back(std::make_unique<Translation>(dictionary, builder_));
  return *translations_.back();
}

void Assembler::take(EventBatch& batch) {
  current_ = &translation(batch.dictionary);
  current_->learn(batch);
  builder_.drop("malformed_event", batch.malformed);
  builder_.drop("not_an_event", batch.not_objects);
  std::size_t document = 0;
  std::size_t members_taken = 0;
  const auto start_documents = [&](std::size_t event) {
    for (; document < batch.documents.size() && batch.documents[document].event <= event;
         ++document) {
      const std::size_t until = batch.documents[document].metadata;
      for (; members_taken < until; ++members_taken) {
        metadata_.push_back(std::move(batch.metadata[members_taken]));
      }
      begin_document();
    }
  };
  Values values = batch.values.data();
  for (std::size_t event = 0; event < batch.layouts.size(); ++event) {
    if (document < batch.documents.size()) start_documents(event);
    Plan& plan = current_->plan(batch.layouts[event]);
    take_event(plan, values);
    values += plan.values;
  }
  start_documents(batch.layouts.size());
  for (; members_taken < batch.metadata.size(); ++members_taken) {
    metadata_.push_back(std::move(batch.metadata[members_taken]));
  }
}

void Assembler::begin_document() {
  if (documents_ > 0) end_document(0);
  ++documents_;
  builder_.begin_source(documents_ == 1 ? path_ : path_ + " #" + std::to_string(documents_),
                        "kineto");
  open_ = std::make_unique<OpenSlices>(builder_);
  stack_frames_ = std::make_unique<StackFrames>(builder_);
  xla_ = std::make_unique<XlaEvents>(builder_);
  rocprof_ = std::make_unique<RocprofEvents>(builder_);
  latest_.reset();
  last_slice_ = {};
  // Tracks belong to a source, so they are not kept.
  for (const auto& known : translations_) known->forget_tracks();
}

void Assembler::end_document(std::uint64_t disk_bytes) {
  open_->close_all(latest_.value_or(0));
  std::string frames;
  for (const auto& [name, text] : metadata_) {
    if (name == "stackFrames") frames = text;
  }
  stack_frames_->resolve(frames);
  const std::int64_t base_ns = take_document_facts(builder_, metadata_);
  metadata_.clear();
  builder_.end_source(base_ns, disk_bytes);
}

void Assembler::finish(std::uint64_t disk_bytes) {
  if (documents_ == 0) begin_document();
  end_document(disk_bytes);
  if (documents_ > 1) {
    builder_.warn(path_ + ": holds " + std::to_string(documents_) +
                  " documents in a row; they were read as parts of one run");
  }
}

void Assembler::take_event(Plan& plan, Values values) {
  switch (plan.action) {
    case Action::kSlice: take_slice(plan, values); return;
    case Action::kMetadata: take_metadata(plan, values); return;
    case Action::kUnsupported: builder_.drop(plan.drop_reason); return;
    case Action::kNothing: return;
    default: break;
  }
  if (plan.time == Plan::kAbsent) {
    builder_.drop(plan.bad_time ? "bad_timestamp" : "no_timestamp");
    return;
  }
  switch (plan.action) {
    case Action::kBegin:
    case Action::kEnd: take_begin_or_end(plan, values); return;
    case Action::kInstant: take_instant(plan, values, values[plan.time]); return;
    case Action::kFlow: take_flow(plan, values); return;
    default: take_counter(plan, values); return;
  }
}

/// A slice of a profiler that writes Chrome's JSON in its own words; false if it is not one.
bool Assembler::take_foreign_slice(Plan& plan, Values values) {
  ForeignSlice slice;
  slice.process = builder_.process(ident(plan.pid, plan.pid_hole, values));
  const bool has_time = plan.time != Plan::kAbsent && !plan.bad_time;
  if (!plan.has_begin_ns && !(has_time && xla_->knows(slice.process))) return false;
  slice.thread = builder_.thread(slice.process, ident(plan.tid, plan.tid_hole, values));
  slice.name = plan.name == Plan::kAbsent ? StringId(0) : current_->text(values[plan.name]);
  for (const Plan::Pick& pick : plan.picks) {
    slice.args.push_back(
        {pick.key, {value_type(pick.hole), current_->value(pick.hole, values[pick.value])}});
  }
  last_slice_.valid = false;
  if (plan.has_begin_ns) {
    return rocprof_->add(std::move(slice),
                         has_time ? std::optional(values[plan.time]) : std::nullopt);
  }
  slice.start_ns = values[plan.time];
  slice.dur_ns = plan.duration == Plan::kAbsent ? 0 : values[plan.duration];
  if (slice.dur_ns < 0) return false;
  note_time(slice.start_ns + slice.dur_ns);
  xla_->add(std::move(slice));
  return true;
}

void Assembler::take_slice(Plan& plan, Values values) {
  if ((plan.has_begin_ns || xla_->is_active()) && take_foreign_slice(plan, values)) return;
  if (plan.time == Plan::kAbsent || plan.bad_time) {
    builder_.drop(plan.bad_time ? "bad_timestamp" : "no_timestamp");
    return;
  }
  const std::int64_t start = values[plan.time];
  std::int64_t dur = 0;
  if (plan.duration == Plan::kAbsent) {
    builder_.repair("missing_duration");
  } else {
    dur = values[plan.duration];
    if (dur < 0) {
      builder_.repair("negative_duration");
      dur = 0;
    }
  }
  note_time(start + dur);
  const TrackId on = track(plan, values, plan.on_device);
  EventTable& slices = builder_.run().slices;
  if (plan.table != nullptr || plan.shape.value == 0) {
    slices.append(start, dur, name(plan, values), on.value, plan.category.value, plan.shape);
    for (std::size_t i = 0; i < plan.picks.size(); ++i) {
      const Plan::Pick& pick = plan.picks[i];
      plan.table->columns[i].appendable().append(current_->value(pick.hole, values[pick.value]));
    }
    if (plan.table != nullptr) ++plan.table->rows;
  } else {
    slices.append(start, dur, name(plan, values), on.value, plan.category.value, plan.shape,
                  args(plan, values));
  }
  last_slice_.valid = plan.correlation != Plan::kAbsent;
  if (last_slice_.valid) {
    last_slice_.pid = ident(plan.pid, plan.pid_hole, values);
    last_slice_.tid = ident(plan.tid, plan.tid_hole, values);
    last_slice_.start = start;
    last_slice_.correlation = values[plan.correlation];
  }
}

void Assembler::take_begin_or_end(Plan& plan, Values values) {
  OpenSlice slice;
  slice.start = values[plan.time];
  slice.name = name(plan, values);
  slice.category = plan.category;
  slice.fields = builder_.run().shapes[plan.shape.value];
  const std::span<const std::int64_t> arguments = args(plan, values);
  slice.values.assign(arguments.begin(), arguments.end());
  note_time(slice.start);
  last_slice_.valid = false;
  const TrackId on = track(plan, values, plan.on_device);
  if (plan.action == Action::kBegin) {
    open_->begin(on, std::move(slice));
  } else {
    open_->end(on, std::move(slice));
  }
}

void Assembler::take_instant(Plan& plan, Values values, std::int64_t time) {
  builder_.run().instants.append(time, 0, name(plan, values), track(plan, values, false).value,
                                 plan.category.value, plan.shape, args(plan, values));
}

/// Kineto writes the end of the arrow directly after its slice, with the slice's correlation as its
/// id. Then two flags of the slice are enough.
bool Assembler::is_launch_arrow(const Plan& plan, Values values, bool& starts) {
  if (!last_slice_.valid || !plan.only_flow_fields || plan.id == Plan::kAbsent) return false;
  const StringPool& strings = builder_.run().strings;
  const std::string_view phase = strings[plan.phase];
  starts = phase == "s";
  const bool binds_right = starts ? plan.binding == Plan::kAbsent
                                  : phase == "f" && plan.binding != Plan::kAbsent &&
                                        strings[current_->text(values[plan.binding])] == "e";
  return binds_right && plan.name != Plan::kAbsent && plan.id_hole == Hole::kInt &&
         values[plan.time] == last_slice_.start && values[plan.id] == last_slice_.correlation &&
         ident(plan.pid, plan.pid_hole, values) == last_slice_.pid &&
         ident(plan.tid, plan.tid_hole, values) == last_slice_.tid &&
         strings[name(plan, values)] == kLaunchArrow &&
         strings[builder_.run().categories[plan.category.value].name] == kLaunchArrow;
}

void Assembler::take_flow(Plan& plan, Values values) {
  EventTable& slices = builder_.run().slices;
  bool starts = false;
  if (is_launch_arrow(plan, values, starts)) {
    const EventFlag flag = starts ? kFlowOut : kFlowIn;
    if (!slices.last_has(flag)) {
      slices.flag_last(flag);
      return;
    }
  }
  builder_.run().flows.append(values[plan.time], 0, name(plan, values),
                              track(plan, values, false).value, plan.category.value, plan.shape,
                              args(plan, values));
}

/// The number of a counter's value; unknown if it is not a number.
std::int64_t Assembler::counter_number(const Plan::Pick& pick, std::int64_t raw) {
  StringPool& strings = builder_.run().strings;
  switch (pick.hole) {
    case Hole::kInt: return Decimal::from_text(std::to_string(raw), strings);
    case Hole::kDecimal: return raw;
    case Hole::kNumber:
    case Hole::kText: return Decimal::from_text(current_->raw_text(raw), strings);
    default: return Decimal::unknown();
  }
}

void Assembler::take_counter(Plan& plan, Values values) {
  CounterSeries series;
  series.source = builder_.source_id();
  if (plan.pid != Plan::kAbsent) {
    series.process = builder_.process(ident(plan.pid, plan.pid_hole, values));
  }
  series.name = name(plan, values);
  series.category = builder_.run().categories[plan.category.value].name;
  // Profilers that sample many devices name the device where a thread would be named.
  series.place = plan.tid_hole == Hole::kText ? current_->text(values[plan.tid]) : StringId(0);
  series.unit = StringId(0);
  bool any = false;
  for (const Plan::Pick& pick : plan.picks) {
    const std::string_view key = builder_.run().strings[pick.key];
    if (key == "@unit" && pick.hole == Hole::kText)
      series.unit = current_->text(values[pick.value]);
    if (key.starts_with('@')) continue;
    const std::int64_t number = counter_number(pick, values[pick.value]);
    if (!is_usable_number(number, builder_.run().strings)) continue;
    series.field = key == "value" ? StringId(0) : pick.key;  // the key of a single value
    builder_.run().counters.append({values[plan.time], builder_.series(series).value, number});
    any = true;
  }
  if (!any) builder_.drop("counter_without_number");
}

void Assembler::take_metadata(Plan& plan, Values values) {
  const std::string_view what = builder_.run().strings[name(plan, values)];
  const auto argument = [&](std::string_view key) -> const Plan::Pick* {
    for (const Plan::Pick& pick : plan.picks) {
      if (builder_.run().strings[pick.key] == key) return &pick;
    }
    return nullptr;
  };
  const auto text = [&](std::string_view key, StringId& into) {
    const Plan::Pick* pick = argument(key);
    if (pick == nullptr || pick->hole != Hole::kText) return false;
    into = current_->text(values[pick->value]);
    return true;
  };
  const auto number = [&](std::string_view key, std::optional<std::int64_t>& into) {
    const Plan::Pick* pick = argument(key);
    if (pick == nullptr || pick->hole != Hole::kInt) return false;
    into = values[pick->value];
    return true;
  };
  const ProcessId pid = builder_.process(ident(plan.pid, plan.pid_hole, values));
  Process& process = builder_.run().processes[pid.value];
  if (what == "process_name" && text("name", process.name)) {
    xla_->note_process(pid, builder_.run().strings[process.name]);
    rocprof_->note_process(pid, builder_.run().strings[process.name]);
    return;
  }
  if (what == "process_labels" && text("labels", process.labels)) return;
  if (what == "process_sort_index" && number("sort_index", process.sort_index)) return;
  const ThreadId tid = builder_.thread(pid, ident(plan.tid, plan.tid_hole, values));
  Thread& thread = builder_.run().threads[tid.value];
  if (what == "thread_name" && text("name", thread.name)) return;
  if (what == "thread_sort_index" && number("sort_index", thread.sort_index)) return;
  // Any other event is kept as an instant that remembers its phase.
  take_instant(plan, values, plan.time == Plan::kAbsent ? 0 : values[plan.time]);
}

StringId Assembler::name(const Plan& plan, Values values) {
  if (plan.name == Plan::kAbsent) {
    builder_.repair("missing_name");
    return StringId(0);
  }
  return current_->text(values[plan.name]);
}

Ident Assembler::ident(int index, Hole hole, Values values) {
  if (index == Plan::kAbsent) return {.value = 0, .is_text = true};
  if (hole != Hole::kText) return {.value = values[index], .is_text = false};
  const StringId id = current_->text(values[index]);
  // Some writers put all numbers into quotes.
  const std::string_view text = builder_.run().strings[id];
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    return {.value = number, .is_text = false};
  }
  return {.value = id.value, .is_text = true};
}

TrackId Assembler::track(Plan& plan, Values values, bool on_device) {
  const std::int64_t pid = plan.pid == Plan::kAbsent ? 0 : values[plan.pid];
  const std::int64_t tid = plan.tid == Plan::kAbsent ? 0 : values[plan.tid];
  if (plan.last_track.valid() && plan.last_pid == pid && plan.last_tid == tid) {
    return plan.last_track;
  }
  const Ident process_ident = ident(plan.pid, plan.pid_hole, values);
  const Ident thread_ident = ident(plan.tid, plan.tid_hole, values);
  const ProcessId process = builder_.process(process_ident);
  const ThreadId thread = builder_.thread(process, thread_ident);
  plan.last_pid = pid;
  plan.last_tid = tid;
  plan.last_track = builder_.track(thread, on_device);
  Track& track = builder_.run().tracks[plan.last_track.value];
  if (on_device && !track.device_index) {
    if (plan.device != Plan::kAbsent) {
      track.device_index = values[plan.device];
    } else if (!process_ident.is_text) {
      track.device_index = process_ident.value;
    }
  }
  if (on_device && !track.stream) {
    if (plan.stream != Plan::kAbsent) {
      track.stream = values[plan.stream];
    } else if (!thread_ident.is_text) {
      track.stream = thread_ident.value;
    }
  }
  return plan.last_track;
}

std::span<const std::int64_t> Assembler::args(const Plan& plan, Values values) {
  arg_values_.clear();
  for (const Plan::Pick& pick : plan.picks) {
    const std::int64_t raw = values[pick.value];
    arg_values_.push_back(pick.is_stack ? stack(pick, raw).value : current_->value(pick.hole, raw));
  }
  if (plan.phase.valid()) arg_values_.push_back(plan.phase.value);
  if (!plan.as_json) return arg_values_;

  std::string json = "{";
  for (std::size_t i = 0; i < plan.picks.size(); ++i) {
    if (i != 0) json.push_back(',');
    append_json_string(json, builder_.run().strings[plan.picks[i].key]);
    json.push_back(':');
    append_json_value(json, builder_.run().strings,
                      {value_type(plan.picks[i].hole), arg_values_[i]});
  }
  json.push_back('}');
  arg_values_.assign({builder_.intern(json).value});
  return arg_values_;
}

StackId Assembler::stack(const Plan::Pick& pick, std::int64_t raw) {
  const std::string frame = pick.hole == Hole::kText
                                ? std::string(builder_.run().strings[current_->text(raw)])
                                : std::to_string(raw);
  return stack_frames_->id(frame);
}

}  // namespace tactus::kineto
