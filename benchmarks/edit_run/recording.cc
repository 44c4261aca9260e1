#include "edit_run/recording.h"

#include <algorithm>

#include "run/event_view.h"

namespace tactus::edit_run {
namespace {

WorkKind work_kind(SliceKind kind) {
  if (kind == SliceKind::kMemcpy) return WorkKind::kCopy;
  return kind == SliceKind::kMemset ? WorkKind::kSet : WorkKind::kKernel;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// cudaMemcpy waits for its copy. cudaMemcpyAsync returns at once, unless it copies to memory of
/// the host that is not pinned: "Memcpy DtoH (Device -> Pageable)".
bool waits_for_copy(std::string_view call, std::string_view copy) {
  if (!has(call, "Memcpy")) return false;
  if (!has(call, "Async")) return true;
  return (has(copy, "DtoH") || has(copy, "DeviceToHost")) && !has(copy, "Pinned");
}

class Reader {
 public:
  explicit Reader(const Run& run) : run_(run) {}

  Recording read() {
    const Loops loops = find_loops(run_, {});
    read_slices();
    for (const Loop& loop : loops.loops) {
      out_.loops.push_back({.process = loop.process, .main_track = loop.track.value_or(kNone)});
    }
    out_.loop_of_main_track.assign(run_.tracks.size(), kNone);
    for (std::uint32_t i = 0; i < out_.loops.size(); ++i) {
      const std::uint32_t track = out_.loops[i].main_track;
      if (track != kNone) out_.loop_of_main_track[track] = i;
    }
    read_work(loops);
    read_roles();
    for (std::uint32_t place = 0; place < out_.work.size(); ++place) add_work(place);
    for (RecordedLoop& loop : out_.loops) sort_by_end(loop);
    make_events();
    return std::move(out_);
  }

 private:
  void read_slices() {
    const std::size_t rows = run_.slices.size();
    out_.start_ns.resize(rows);
    out_.end_ns.resize(rows);
    run_.slices.start().read(0, out_.start_ns);
    run_.slices.dur().read(0, out_.end_ns);
    for (std::size_t row = 0; row < rows; ++row) {
      // Time that a damaged file counts backwards is no time.
      out_.end_ns[row] = out_.start_ns[row] + std::max<std::int64_t>(0, out_.end_ns[row]);
    }
    out_.roles.assign(rows, 0);
    out_.track.reserve(rows);
    run_.slices.track().for_each_piece(
        0, rows, [&](std::size_t, std::span<const std::int64_t> tracks) {
          for (const std::int64_t track : tracks) {
            const bool is_known = static_cast<std::uint64_t>(track) < run_.tracks.size();
            out_.track.push_back(is_known ? static_cast<std::uint32_t>(track) : 0);
          }
        });
  }

  /// Work by due time, which keeps the order of each stream and comes after the launch.
  void read_work(const Loops& loops) {
    std::vector<std::uint32_t> call_of(run_.slices.size(), kNone);
    for_each_launch(run_, [&](std::uint32_t call, std::uint32_t work) { call_of[work] = call; });
    for (const DeviceItem& item : loops.work) {
      const std::uint32_t call = call_of[item.row];
      const bool is_call = call != kNone && out_.track[call] != out_.track[item.row];
      out_.work.push_back({.row = item.row,
                           .loop = item.loop,
                           .stream = out_.track[item.row],
                           .call = is_call ? call : kNone,
                           .kind = work_kind(run_.kind_of(run_.slices.category()[item.row])),
                           .start_ns = item.start_ns,
                           .end_ns = out_.end_ns[item.row]});
    }
    std::vector<Work>& work = out_.work;
    std::stable_sort(work.begin(), work.end(),
                     [](const Work& a, const Work& b) { return a.start_ns < b.start_ns; });
    std::vector<std::int64_t> last_due(run_.tracks.size(), INT64_MIN);
    for (Work& one : work) {
      std::int64_t& last = last_due[one.stream];
      one.due_ns = std::max(one.start_ns, last);
      if (one.call != kNone) one.due_ns = std::max(one.due_ns, out_.start_ns[one.call]);
      last = one.due_ns;
    }
    std::stable_sort(work.begin(), work.end(),
                     [](const Work& a, const Work& b) { return a.due_ns < b.due_ns; });
  }

  void read_roles() {
    const auto is_call = [](SliceKind kind) {
      return kind == SliceKind::kRuntime || kind == SliceKind::kDriver;
    };
    std::vector<std::uint8_t> role_of_name(run_.strings.size(), 0);
    for (std::size_t name = 0; name < role_of_name.size(); ++name) {
      const std::string_view text = run_.strings[StringId(name)];
      role_of_name[name] = kCall;
      if (has(text, "Synchronize")) role_of_name[name] |= kWait;
      if (has(text, "Launch")) role_of_name[name] |= kLaunch;
    }
    for_each_slice(run_, Captures::kLeaveOut, is_call, std::array{&run_.slices.name()},
                   [&](std::size_t row, SliceKind, const auto& values) {
                     const auto name = static_cast<std::size_t>(values[0]);
                     out_.roles[row] = name < role_of_name.size() ? role_of_name[name] : 0;
                   });
  }

  void add_work(std::uint32_t place) {
    Work& work = out_.work[place];
    if (last_of_stream_.empty()) last_of_stream_.resize(run_.tracks.size(), kNone);
    std::uint32_t& last = last_of_stream_[work.stream];
    RecordedLoop& loop = out_.loops[work.loop];
    if (last == kNone) loop.streams.push_back(work.stream);
    work.before = last;
    if (last == kNone || work.end_ns >= out_.work[last].end_ns) last = place;

    if (work.call == kNone || out_.track[work.call] == loop.main_track) {
      loop.by_end.push_back(place);
    }
    if (work.call == kNone) return;
    std::uint8_t& roles = out_.roles[work.call];
    const auto name_of = [&](std::uint32_t row) {
      return run_.strings[StringId(static_cast<std::uint64_t>(run_.slices.name()[row]))];
    };
    if (work.kind == WorkKind::kCopy && work.end_ns <= out_.end_ns[work.call] &&
        waits_for_copy(name_of(work.call), name_of(work.row))) {
      work.kind = WorkKind::kWaitedCopy;
      roles |= kWait;
      out_.copy_of_call[work.call] = place;
    } else if ((roles & kWait) == 0) {
      roles |= kLaunch;
    }
  }

  void sort_by_end(RecordedLoop& loop) const {
    std::stable_sort(loop.by_end.begin(), loop.by_end.end(), [&](std::uint32_t a, std::uint32_t b) {
      return out_.work[a].end_ns < out_.work[b].end_ns;
    });
  }

  void make_events() {
    for_each_slice(
        run_, Captures::kLeaveOut, [](SliceKind) { return true; }, std::array<const Column*, 0>{},
        [&](std::size_t row, SliceKind, const auto&) {
          if (out_.loop_of_main_track[out_.track[row]] == kNone) return;
          const auto index = static_cast<std::uint32_t>(row);
          out_.events.push_back({out_.start_ns[row], index, Event::kSliceBegins});
          if (out_.end_ns[row] == out_.start_ns[row]) return;
          const bool waits = (out_.roles[row] & kWait) != 0;
          out_.events.push_back(
              {out_.end_ns[row], index, waits ? Event::kWaitEnds : Event::kSliceEnds});
        });
    for (std::uint32_t place = 0; place < out_.work.size(); ++place) {
      out_.events.push_back({out_.work[place].due_ns, place, Event::kWorkStarts});
    }
    std::sort(out_.events.begin(), out_.events.end(), [](const Event& a, const Event& b) {
      if (a.time_ns != b.time_ns) return a.time_ns < b.time_ns;
      return a.what != b.what ? a.what < b.what : a.index < b.index;
    });
  }

  const Run& run_;
  Recording out_;
  std::vector<std::uint32_t> last_of_stream_;  ///< place of the work that ended last
};

}  // namespace

bool Recording::has_host() const {
  return std::any_of(loops.begin(), loops.end(),
                     [](const RecordedLoop& loop) { return loop.main_track != kNone; });
}

Recording read_recording(const Run& run) {
  return Reader(run).read();
}

}  // namespace tactus::edit_run
