#include "run/builder.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/arithmetic.h"
#include "base/utf8.h"
#include "run/identity.h"

namespace tactus {
namespace {

bool is_host_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == '-' || c == '_';
}

/// "host-3(4711)" and "rank 0 host-3(4711)" name a host and a process; "(9)" only a process and
/// "123" too, written as text.
struct PidText {
  std::string_view host;
  std::optional<std::int64_t> pid;
};

PidText read_pid_text(std::string_view text) {
  PidText out;
  const auto number = [](std::string_view digits) -> std::optional<std::int64_t> {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  if (const auto plain = number(text)) return {.host = {}, .pid = plain};
  if (!text.empty() && text.back() == ')') {
    const std::size_t open = text.rfind('(');
    if (open == std::string_view::npos) return out;
    out.pid = number(text.substr(open + 1, text.size() - open - 2));
    if (!out.pid) return {};
    text = text.substr(0, open);
    std::size_t begin = text.size();
    while (begin > 0 && is_host_character(text[begin - 1])) --begin;
    out.host = text.substr(begin);
  }
  return out;
}

std::int64_t smallest(const Column& column, std::size_t rows) {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  column.for_each_piece(0, rows, [&](std::size_t, std::span<const std::int64_t> values) {
    low = std::min(low, *std::min_element(values.begin(), values.end()));
  });
  return low;
}

std::vector<std::uint64_t> shape_key(const ArgShape& fields) {
  std::vector<std::uint64_t> key;
  key.reserve(fields.size());
  for (const ArgField& field : fields) {
    key.push_back(std::uint64_t{field.key.value} << 8 | static_cast<std::uint64_t>(field.type));
  }
  return key;
}

/// Sorts links by the group of slices that they lead to, so that a file can keep them with it.
void group_links(Links& links) {
  const auto group_of = [](std::int64_t row) { return static_cast<std::size_t>(row) / kGroupRows; };
  std::vector<std::size_t> place;  // of the next link of each group
  for (std::size_t i = 0; i < links.rows; ++i) {
    const std::size_t group = group_of(links.to()[i]);
    if (group + 1 >= place.size()) place.resize(group + 2, 0);
    ++place[group + 1];
  }
  if (place.size() <= 2) return;
  for (std::size_t group = 1; group < place.size(); ++group) place[group] += place[group - 1];
  std::vector<std::uint32_t> order(links.rows);
  for (std::size_t i = 0; i < links.rows; ++i) {
    order[place[group_of(links.to()[i])]++] = static_cast<std::uint32_t>(i);
  }
  for (LazyColumn& column : links.columns) {
    std::vector<std::int64_t> values;
    values.reserve(order.size());
    for (const std::uint32_t from : order) values.push_back(column.get()[from]);
    Column sorted;
    sorted.append(values);
    column.writable() = std::move(sorted);
  }
}

}  // namespace

SourceId RunBuilder::begin_source(std::string_view path, std::string_view kind) {
  first_ = {.slices = run_.slices.size(),
            .instants = run_.instants.size(),
            .flows = run_.flows.size(),
            .counters = run_.counters.rows};
  if (in_captures_ && !own_) own_ = {run_.slices.size(), run_.instants.size()};
  Source source;
  source.path = intern(path);
  source.kind = kind;
  source.is_capture = in_captures_;
  run_.sources.push_back(std::move(source));
  return source_id();
}

void RunBuilder::end_source(std::int64_t base_ns, std::uint64_t bytes) {
  if (base_ns < 0 || base_ns > kLatestTime) {
    warn("the source's base time of " + std::to_string(base_ns) +
         " ns is not usable; 0 is used instead");
    base_ns = 0;
  }
  source().base_ns = base_ns;
  source().bytes = bytes;
  if (!base_ns_) base_ns_ = base_ns;
  if (base_ns != *base_ns_) shift(base_ns - *base_ns_, first_);
}

void RunBuilder::shift(std::int64_t delta, const FirstRows& first) {
  run_.slices.columns()[EventTable::kStart].writable().add(delta, first.slices);
  run_.instants.columns()[EventTable::kStart].writable().add(delta, first.instants);
  run_.flows.columns()[EventTable::kStart].writable().add(delta, first.flows);
  run_.counters.columns[Counters::kTime].writable().add(delta, first.counters);
}

StringId RunBuilder::intern_repaired(std::string_view text) {
  if (is_ascii(text)) return intern(text);
  bool repaired = false;
  const std::string valid = to_valid_utf8(text, repaired);
  if (repaired) repair("invalid_text");
  return intern(valid);
}

ProcessId RunBuilder::process(SourceId source, Ident pid) {
  const auto [at, is_new] = processes_.try_emplace({source, pid}, run_.processes.size());
  if (!is_new) return at->second;
  Process process;
  process.source = source;
  process.pid = pid;
  process.host_name = process.name = process.labels = StringId(0);
  if (pid.is_text) {
    const PidText text =
        read_pid_text(run_.strings[StringId(static_cast<std::uint64_t>(pid.value))]);
    process.os_pid = text.pid;
    process.host_name = intern(text.host);
  } else {
    process.os_pid = pid.value;
  }
  run_.processes.push_back(process);
  return at->second;
}

ThreadId RunBuilder::thread(ProcessId process, Ident tid) {
  const auto [at, is_new] = threads_.try_emplace({process, tid}, run_.threads.size());
  if (is_new) {
    run_.threads.push_back({.process = process, .tid = tid, .name = StringId(0), .sort_index = {}});
  }
  return at->second;
}

TrackId RunBuilder::track(ThreadId thread, bool on_device) {
  const auto [at, is_new] = tracks_.try_emplace({thread, on_device}, run_.tracks.size());
  if (is_new) {
    run_.tracks.push_back(
        {.thread = thread, .on_device = on_device, .device_index = {}, .stream = {}});
  }
  return at->second;
}

CategoryId RunBuilder::category(std::string_view name) {
  const auto [at, is_new] =
      categories_[in_captures_ ? 1 : 0].try_emplace(std::string(name), run_.categories.size());
  if (is_new) run_.categories.push_back({intern(name), kind_of_category(name), in_captures_});
  return at->second;
}

bool RunBuilder::has_shape(const ArgShape& fields) const {
  return fields.empty() || shapes_.contains(shape_key(fields));
}

ShapeId RunBuilder::shape(const ArgShape& fields) {
  if (fields.empty()) return ShapeId(0);
  const auto [at, is_new] = shapes_.try_emplace(shape_key(fields), run_.shapes.size());
  if (is_new) run_.shapes.push_back(fields);
  return at->second;
}

SeriesId RunBuilder::series(const CounterSeries& series) {
  const auto [at, is_new] = series_.try_emplace(series, run_.series.size());
  if (is_new) run_.series.push_back(series);
  return at->second;
}

StackId RunBuilder::stack(std::int64_t parent, StringId frame) {
  const auto [at, is_new] = stacks_.try_emplace({parent, frame}, run_.stacks.rows);
  if (is_new) run_.stacks.append({parent, frame.value});
  return at->second;
}

void RunBuilder::drop(std::string_view reason, std::uint64_t count) {
  if (count != 0) run_.dropped[std::string(reason)] += count;
}

void RunBuilder::repair(std::string_view reason, std::uint64_t count) {
  if (count != 0) run_.repaired[std::string(reason)] += count;
}

void RunBuilder::warn(std::string message) {
  run_.warnings.push_back(std::move(message));
}

void RunBuilder::remark(std::string message) {
  run_.remarks.push_back(std::move(message));
}

Run RunBuilder::finish() {
  const auto [slices, instants] =
      own_.value_or(std::pair(run_.slices.size(), run_.instants.size()));
  std::int64_t first =
      std::min(smallest(run_.slices.start(), slices), smallest(run_.instants.start(), instants));
  if (slices == 0 && instants == 0) first = smallest(run_.counters.time(), run_.counters.rows);
  if (first == std::numeric_limits<std::int64_t>::max()) first = 0;
  shift(wrapping_subtract(0, first), {});
  run_.origin_ns = wrapping_add(base_ns_.value_or(0), first);

  resolve_identity(run_);
  build_links(run_, std::move(given_links_));
  group_links(run_.links);
  run_.for_each_column([](const ColumnKey&, LazyColumn& column) { column.writable().shrink(); });
  return std::move(run_);
}

}  // namespace tactus
