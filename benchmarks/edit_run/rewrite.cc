#include "edit_run/rewrite.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "edit_run/ids.h"
#include "run/event_view.h"
#include "run/identity.h"

namespace tactus::edit_run {
namespace {

bool is_shape_key(std::string_view key) {
  return key.starts_with("Input ") || key.starts_with("Output ") || key == "Concrete Inputs";
}

bool replace_all(const Rename& rename, std::string& text) {
  bool is_found = false;
  for (std::size_t at = text.find(rename.from); at != std::string::npos;
       at = text.find(rename.from, at + rename.to.size())) {
    text.replace(at, rename.from.size(), rename.to);
    is_found = true;
  }
  return is_found;
}

/// The rate of a copy, which its duration decides.
constexpr std::string_view kRateKey = "memory bandwidth (GB/s)";

/// The arguments that are left of each shape, and what is added to them.
class ArgPlan {
 public:
  ArgPlan(const Edits& edits, Run& run) : of_shape_(run.shapes.size()) {
    std::map<std::vector<std::pair<std::uint32_t, ValueType>>, std::uint32_t> known;
    const std::size_t old_shapes = run.shapes.size();
    for (std::size_t shape = 0; shape < old_shapes; ++shape) {
      const ArgShape fields = run.shapes[shape];
      ArgShape left;
      std::vector<std::pair<std::uint32_t, ValueType>> key;
      for (std::size_t field = 0; field < fields.size(); ++field) {
        const std::string_view name = run.strings[fields[field].key];
        if (edits.drops_shapes && is_shape_key(name)) continue;
        const bool is_id = edits.has_new_ids && fields[field].type == ValueType::kInt;
        const bool is_rate = name == kRateKey && fields[field].type == ValueType::kDecimal;
        of_shape_[shape].fields.push_back({field, is_id ? id_shift(name) : 0, is_rate});
        left.push_back(fields[field]);
        key.emplace_back(fields[field].key.value, fields[field].type);
      }
      if (left.size() == fields.size()) {
        of_shape_[shape].shape = ShapeId(shape);
        known.try_emplace(key, shape);
        continue;
      }
      const auto [at, is_new] = known.try_emplace(key, run.shapes.size());
      if (is_new) run.shapes.push_back(left);
      of_shape_[shape].shape = ShapeId(left.empty() ? 0 : at->second);
    }
  }

  void append(const EventTable& events, const EventView& event, std::int64_t start_ns,
              std::int64_t dur_ns, StringId name, std::uint32_t flags, Run& run, EventTable& into) {
    values_.clear();
    const Plan& plan = of_shape_[event.shape];
    for (const Field& field : plan.fields) {
      const std::int64_t raw = field_value(run, events, event, field.place).raw;
      if (field.is_rate && dur_ns != event.dur_ns && dur_ns > 0) {
        const double rate = Decimal::to_double(raw, run.strings);
        values_.push_back(Decimal::from_double(
            rate * static_cast<double>(event.dur_ns) / static_cast<double>(dur_ns), run.strings));
      } else {
        values_.push_back(raw > 0 ? raw + field.shift : raw);
      }
    }
    const ShapeId shape = event.shape == 0 ? ShapeId(0) : plan.shape;
    into.append(start_ns, dur_ns, name, event.track, event.category, shape, values_);
    into.columns()[EventTable::kFlags].writable().last() = flags;
  }

 private:
  struct Field {
    std::size_t place = 0;
    std::int64_t shift = 0;
    bool is_rate = false;
  };
  struct Plan {
    ShapeId shape;
    std::vector<Field> fields;
  };
  std::vector<Plan> of_shape_;
  std::vector<std::int64_t> values_;
};

class Rewriter {
 public:
  Rewriter(const Recording& recording, const Steps& steps, const NewTimes& times,
           const Edits& edits, Run& run)
      : recording_(recording),
        steps_(steps),
        times_(times),
        edits_(edits),
        run_(run),
        args_(edits, run) {}

  Status rewrite() {
    find_window();
    if (Status status = find_names(); !status) return status;
    rewrite_slices();
    for (EventTable* events : {&run_.instants, &run_.flows}) rewrite_points(*events);
    rewrite_links();
    if (Status status = rewrite_counters(); !status) return status;
    rewrite_facts();
    return rename_texts();
  }

 private:
  /// Ids stay what they are.
  Status rename_texts() {
    if (edits_.text_renames.empty()) return {};
    std::vector<bool> is_found(edits_.text_renames.size(), false);
    StringPool renamed;
    for (std::size_t i = 0; i < run_.strings.size(); ++i) {
      std::string text(run_.strings[StringId(i)]);
      for (std::size_t r = 0; r < is_found.size(); ++r) {
        if (replace_all(edits_.text_renames[r], text)) is_found[r] = true;
      }
      if (renamed.intern(text).value != i) {
        return usage_error("rename_text: two texts would be one: " + text);
      }
    }
    const auto missing = std::find(is_found.begin(), is_found.end(), false);
    if (missing != is_found.end()) {
      const auto at = static_cast<std::size_t>(missing - is_found.begin());
      return usage_error("rename_text: no text has " + edits_.text_renames[at].from);
    }
    run_.strings = std::move(renamed);
    return {};
  }

  /// The time of the block of steps, before and after the edits.
  void find_window() {
    if (!edits_.block) return;
    window_ = {INT64_MAX, INT64_MIN};
    first_ns_ = INT64_MAX;
    for (std::size_t row = 0; row < recording_.start_ns.size(); ++row) {
      const Step* step = steps_.of_slice(row);
      if (step == nullptr || !step->is_kept) continue;
      window_.begin_ns = std::min(window_.begin_ns, recording_.start_ns[row]);
      window_.end_ns = std::max(window_.end_ns, recording_.end_ns[row]);
      first_ns_ = std::min(first_ns_, times_.start_ns(row));
    }
  }
  bool is_in_window(std::int64_t time_ns) const {
    return time_ns >= window_.begin_ns && time_ns < window_.end_ns;
  }
  /// In a recording of the block alone, time 0 is its first slice.
  std::int64_t since_first(std::int64_t new_ns) const { return new_ns - first_ns_; }

  Status find_names() {
    std::vector<bool> is_kernel(run_.strings.size(), false);
    for_each_slice(
        run_, Captures::kLeaveOut, [](SliceKind kind) { return kind == SliceKind::kKernel; },
        std::array{&run_.slices.name()},
        [&](std::size_t, SliceKind, const auto& values) {
          const auto name = static_cast<std::size_t>(values[0]);
          if (name < is_kernel.size()) is_kernel[name] = true;
        });
    for (std::size_t i = 0; i < is_kernel.size(); ++i) new_name_.emplace_back(i);
    for (const Rename& rename : edits_.renames) {
      bool is_found = false;
      for (std::size_t i = 0; i < is_kernel.size(); ++i) {
        if (!is_kernel[i]) continue;
        std::string text(run_.strings[new_name_[i]]);
        if (!replace_all(rename, text)) continue;
        new_name_[i] = run_.strings.intern(text);
        is_found = true;
      }
      if (!is_found) return usage_error("rename_kernel: no kernel has " + rename.from);
    }
    return {};
  }

  bool keeps(const EventView& slice, SliceKind kind) const {
    if (edits_.drops_host && !runs_on_device(kind)) return false;
    if (!edits_.block || run_.is_captured(slice.category)) return true;
    if (const Step* step = steps_.of_slice(slice.row)) return step->is_kept;
    // Work of no step was launched before or after all of them.
    return !is_device_work(kind) && is_in_window(recording_.start_ns[slice.row]) &&
           recording_.end_ns[slice.row] <= window_.end_ns;
  }

  void rewrite_slices() {
    EventTable rewritten;
    new_row_.assign(run_.slices.size(), kNone);
    for_each_event(run_, run_.slices, [&](const EventView& slice) {
      const SliceKind kind = run_.kind_of(slice.category);
      if (!keeps(slice, kind)) return;
      new_row_[slice.row] = static_cast<std::uint32_t>(rewritten.size());
      const bool is_captured = run_.is_captured(slice.category);
      const std::int64_t start_ns = times_.start_ns(slice.row);
      const bool is_renamed = kind == SliceKind::kKernel && slice.name.value < new_name_.size();
      std::uint32_t flags = slice.flags;
      if (edits_.drops_host) flags &= ~std::uint32_t{kFlowIn};
      args_.append(run_.slices, slice, is_captured ? start_ns : since_first(start_ns),
                   times_.end_ns(slice.row) - start_ns,
                   is_renamed ? new_name_[slice.name.value] : slice.name, flags, run_, rewritten);
    });
    run_.slices = std::move(rewritten);
  }

  void rewrite_points(EventTable& events) {
    EventTable rewritten;
    for_each_event(run_, events, [&](const EventView& point) {
      if (edits_.block && !is_in_window(point.start_ns)) return;
      if (edits_.drops_host && !run_.tracks[point.track].on_device) return;
      const std::int64_t start_ns = times_.at_track(point.track, point.start_ns);
      args_.append(events, point, since_first(start_ns), point.dur_ns, point.name, point.flags,
                   run_, rewritten);
    });
    events = std::move(rewritten);
  }

  void rewrite_links() {
    struct Link {
      std::int64_t kind, from, to;
      auto order() const {
        return std::tuple(to / static_cast<std::int64_t>(kGroupRows), kind, to);
      }
    };
    std::vector<Link> links;
    for (std::size_t i = 0; i < run_.links.rows; ++i) {
      const auto from = static_cast<std::size_t>(run_.links.from()[i]);
      const auto to = static_cast<std::size_t>(run_.links.to()[i]);
      if (from >= new_row_.size() || to >= new_row_.size()) continue;
      if (new_row_[from] == kNone || new_row_[to] == kNone) continue;
      links.push_back({run_.links.kind()[i], new_row_[from], new_row_[to]});
    }
    std::stable_sort(links.begin(), links.end(),
                     [](const Link& a, const Link& b) { return a.order() < b.order(); });
    Links rewritten;
    for (const Link& link : links) rewritten.append({link.kind, link.from, link.to});
    run_.links = std::move(rewritten);
  }

  /// By series: the factor on its values.
  Result<std::vector<double>> counter_factors() const {
    std::vector<double> factors(run_.series.size(), 1);
    for (const CounterEdit& edit : edits_.counters) {
      bool is_known = false;
      for (std::size_t i = 0; i < factors.size(); ++i) {
        if (run_.strings[run_.series[i].name] != edit.name) continue;
        factors[i] *= edit.factor;
        is_known = true;
      }
      if (!is_known) return usage_error("counter: the run has no counter " + edit.name);
    }
    return factors;
  }

  Status rewrite_counters() {
    const Result<std::vector<double>> factors = counter_factors();
    if (!factors) return factors.error();
    Counters rewritten;
    for (std::size_t i = 0; i < run_.counters.rows && !edits_.drops_counters; ++i) {
      const std::int64_t time_ns = run_.counters.time()[i];
      if (edits_.block && !is_in_window(time_ns)) continue;
      const std::int64_t series = run_.counters.series()[i];
      const auto which = static_cast<std::size_t>(series);
      if (which >= run_.series.size()) continue;
      std::int64_t value = run_.counters.value()[i];
      if ((*factors)[which] != 1) {
        value = Decimal::from_double(Decimal::to_double(value, run_.strings) * (*factors)[which],
                                     run_.strings);
      }
      rewritten.append({since_first(times_.at_series(which, time_ns)), series, value});
    }
    run_.counters = std::move(rewritten);
    return {};
  }

  void rewrite_facts() {
    if (edits_.drops_counters) {
      run_.series.clear();
      while (!run_.sources.empty() && run_.sources.back().kind == "counters") {
        run_.sources.pop_back();
      }
    }
    for (Source& source : run_.sources) source.clock = {};  // times are those of the run now
    run_.origin_ns += edits_.offset_ns + first_ns_;
    if (edits_.has_new_ids) change_ids(run_);
    resolve_identity(run_);
  }

  const Recording& recording_;
  const Steps& steps_;
  const NewTimes& times_;
  const Edits& edits_;
  Run& run_;
  ArgPlan args_;
  TimeSpan window_{INT64_MIN, INT64_MAX};  ///< old times
  std::int64_t first_ns_ = 0;              ///< new time
  std::vector<StringId> new_name_;
  std::vector<std::uint32_t> new_row_;
};

}  // namespace

Status rewrite(const Recording& recording, const Steps& steps, const NewTimes& times,
               const Edits& edits, Run& run) {
  return Rewriter(recording, steps, times, edits, run).rewrite();
}

}  // namespace tactus::edit_run
