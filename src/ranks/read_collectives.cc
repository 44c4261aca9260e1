#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "cycles/passes/loops.h"
#include "cycles/phases/op_dims.h"
#include "launches/launch_sites.h"
#include "measure/trace_work.h"
#include "ranks/collectives.h"
#include "run/args/arg_lookup.h"
#include "run/event_view.h"

namespace tactus {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;  // more is damage

/// A call before its arguments are read.
struct FoundCall {
  std::uint32_t row = 0;
  std::uint32_t name = 0;
  CollectiveCall call;
  bool on_device = true;
};

/// Bytes of an element by the names that PyTorch has for types.
std::optional<std::int64_t> element_bytes(std::string_view type) {
  static const std::map<std::string_view, std::int64_t> kBytes = {{"Float", 4},
                                                                  {"float", 4},
                                                                  {"Int", 4},
                                                                  {"int", 4},
                                                                  {"BFloat16", 2},
                                                                  {"c10::BFloat16", 2},
                                                                  {"Half", 2},
                                                                  {"c10::Half", 2},
                                                                  {"Double", 8},
                                                                  {"double", 8},
                                                                  {"Long", 8},
                                                                  {"long int", 8},
                                                                  {"long", 8},
                                                                  {"Byte", 1},
                                                                  {"unsigned char", 1},
                                                                  {"Char", 1},
                                                                  {"signed char", 1},
                                                                  {"Bool", 1},
                                                                  {"bool", 1},
                                                                  {"Float8_e4m3fn", 1},
                                                                  {"c10::Float8_e4m3fn", 1},
                                                                  {"Float8_e5m2", 1},
                                                                  {"c10::Float8_e5m2", 1}};
  const auto found = kBytes.find(type);
  return found == kBytes.end() ? std::nullopt : std::optional(found->second);
}

std::string_view text_of(const Run& run, const std::optional<Value>& value) {
  if (!value || (value->type != ValueType::kText && value->type != ValueType::kJson)) return {};
  return run.strings[StringId(static_cast<std::uint64_t>(value->raw))];
}

std::optional<std::int64_t> number_of(const std::optional<Value>& value) {
  if (!value || value->type != ValueType::kInt || value->raw < 0) return std::nullopt;
  return value->raw;
}

/// The bytes of an op's largest tensor: "[[[16, 2048]], [], []]" and ["TensorList", ...] or
/// "[[16, 2048]]" and ["c10::BFloat16"].
std::optional<std::int64_t> bytes_of_shapes(std::string_view dims, std::string_view types) {
  double most = 0;
  double product = 1;
  bool has_number = false;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const char c = dims[i];
    if (c >= '0' && c <= '9') {
      double number = 0;
      for (; i < dims.size() && dims[i] >= '0' && dims[i] <= '9'; ++i) {
        number = 10 * number + (dims[i] - '0');
      }
      --i;
      product *= number;
      has_number = true;
    } else if (c == ']') {
      if (has_number) most = std::max(most, product);
      product = 1;
      has_number = false;
    }
  }
  const std::size_t quote = types.find('"');
  const std::size_t end = quote == std::string_view::npos ? quote : types.find('"', quote + 1);
  if (most <= 0 || end == std::string_view::npos) return std::nullopt;
  const auto each = element_bytes(types.substr(quote + 1, end - quote - 1));
  // The list of tensors of c10d ops has no type: nothing is known then.
  if (!each || most * static_cast<double>(*each) > static_cast<double>(kMostBytes)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(most) * *each;
}

/// Whether a bandwidth is counted by what a rank gets in the end, not by what it gives.
bool counts_output(std::string_view name) {
  return name.find("all_gather") != std::string_view::npos;
}

/// The steps of the ranks, to ask which one a time belongs to.
bool is_in_steps(const RankMeasure& rank, std::int64_t time_ns) {
  const auto after = std::upper_bound(
      rank.steps.begin(), rank.steps.end(), time_ns,
      [](std::int64_t time, const MeasuredStep& step) { return time < step.start_ns; });
  return after != rank.steps.begin() && time_ns < std::prev(after)->end_ns;
}

class Reader {
 public:
  Reader(const Run& run, const Loops& loops, const Measurement& measurement)
      : run_(run), loops_(loops), measurement_(measurement), names_(run) {
    rank_of_process_.assign(run.processes.size(), kNoIndex);
    for (std::size_t i = 0; i < measurement.ranks.size(); ++i) {
      rank_of_process_[measurement.ranks[i].process] = static_cast<std::uint32_t>(i);
    }
  }

  Collectives read() {
    find_on_device();
    find_on_host();
    std::sort(found_.begin(), found_.end(),
              [](const FoundCall& a, const FoundCall& b) { return a.row < b.row; });
    describe();
    Collectives collectives;
    collectives.kinds = std::move(kinds_);
    collectives.of_rank.resize(measurement_.ranks.size());
    for (const FoundCall& one : found_) {
      collectives.of_rank[one.call.rank].push_back(one.call);
    }
    for (auto& calls : collectives.of_rank) {
      std::stable_sort(
          calls.begin(), calls.end(),
          [](const CollectiveCall& a, const CollectiveCall& b) { return a.start_ns < b.start_ns; });
    }
    return collectives;
  }

 private:
  void add(std::size_t row, std::uint32_t name, std::uint32_t rank, std::int64_t start_ns,
           std::int64_t end_ns, bool on_device) {
    if (rank == kNoIndex || !is_in_steps(measurement_.ranks[rank], start_ns)) return;
    found_.push_back({static_cast<std::uint32_t>(row),
                      name,
                      {.start_ns = start_ns, .end_ns = end_ns, .rank = rank},
                      on_device});
  }

  void find_on_device() {
    const Column& names = run_.slices.name();
    for (const DeviceItem& item : loops_.work) {
      if (!item.is_kernel) continue;
      const auto name = static_cast<std::uint32_t>(names[item.row]);
      if (names_.of(name).family != Family::kCollective) continue;
      add(item.row, name, rank_of_process_[loops_.loops[item.loop].process], item.start_ns,
          item.end_ns, true);
    }
  }

  void find_on_host() {
    const EventTable& slices = run_.slices;
    for_each_slice(
        run_, Captures::kLeaveOut, may_be_host_collective,
        std::array{&slices.name(), &slices.track(), &slices.start(), &slices.dur()},
        [&](std::size_t row, SliceKind, const auto& values) {
          const auto [name, track, start, dur] = values;
          if (static_cast<std::size_t>(track) >= run_.tracks.size()) return;
          if (!is_host_collective(run_.strings[StringId(static_cast<std::uint64_t>(name))])) {
            return;
          }
          const std::uint32_t process = process_of_track(run_, static_cast<std::uint32_t>(track));
          add(row, static_cast<std::uint32_t>(name), rank_of_process_[process], start,
              wrapping_add(start, dur), false);
        });
  }

  /// Reads what the recording says about each call.
  void describe() {
    std::vector<std::uint32_t> rows;
    rows.reserve(found_.size());
    for (const FoundCall& one : found_) rows.push_back(one.row);
    const auto groups = args_of_slices(run_, rows, "Process Group Name");
    const auto members = args_of_slices(run_, rows, "Process Group Ranks");
    const auto sequence = args_of_slices(run_, rows, "Seq");
    const auto sizes = args_of_slices(run_, rows, "Group size");
    const auto in = args_of_slices(run_, rows, "In msg nelems");
    const auto out = args_of_slices(run_, rows, "Out msg nelems");
    const auto types = args_of_slices(run_, rows, "dtype");
    const std::vector<std::optional<std::int64_t>> shapes = bytes_by_shapes(rows);
    std::map<std::string, std::uint32_t> group_numbers;
    const auto ranks = static_cast<std::int64_t>(measurement_.ranks.size());
    for (std::size_t i = 0; i < found_.size(); ++i) {
      FoundCall& one = found_[i];
      one.call.number = number_of(sequence[i]).value_or(-1);
      const std::string group =
          std::string(text_of(run_, groups[i])) + '\n' + std::string(text_of(run_, members[i]));
      one.call.group =
          group_numbers.try_emplace(group, static_cast<std::uint32_t>(group_numbers.size()))
              .first->second;
      CollectiveKind kind;
      kind.on_device = one.on_device;
      const KernelName& decoded = names_.of(one.name);
      kind.name = one.on_device && !decoded.op.empty()
                      ? decoded.op
                      : std::string(run_.strings[StringId(one.name)]);
      kind.group_size = number_of(sizes[i]).value_or(ranks);
      const auto elements = number_of(counts_output(kind.name) ? out[i] : in[i]);
      const auto each = element_bytes(text_of(run_, types[i]));
      kind.bytes = elements && each && *elements < kMostBytes / *each
                       ? std::optional(*elements * *each)
                       : shapes[i];
      one.call.kind = number_kind(std::move(kind));
    }
  }

  /// By the shapes of the range itself, or of the op that launched the kernel.
  std::vector<std::optional<std::int64_t>> bytes_by_shapes(std::span<const std::uint32_t> rows) {
    std::vector<std::uint32_t> sources(rows.begin(), rows.end());
    const std::vector<LaunchSite> sites = launch_sites(run_, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (found_[i].on_device && sites[i].op != kNoRow) sources[i] = sites[i].op;
    }
    std::vector<std::uint32_t> wanted = sources;
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    const auto dims = args_of_slices(run_, wanted, "Input Dims");
    const auto types = args_of_slices(run_, wanted, "Input type");
    std::vector<std::optional<std::int64_t>> bytes(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto at = static_cast<std::size_t>(
          std::lower_bound(wanted.begin(), wanted.end(), sources[i]) - wanted.begin());
      bytes[i] = bytes_of_shapes(text_of(run_, dims[at]), text_of(run_, types[at]));
    }
    return bytes;
  }

  std::uint32_t number_kind(CollectiveKind kind) {
    const auto key = std::tuple(kind.name, kind.bytes, kind.group_size, kind.on_device);
    const auto [at, is_new] =
        kind_numbers_.try_emplace(key, static_cast<std::uint32_t>(kinds_.size()));
    if (is_new) kinds_.push_back(std::move(kind));
    return at->second;
  }

  const Run& run_;
  const Loops& loops_;
  const Measurement& measurement_;
  DecodedNames names_;
  std::vector<std::uint32_t> rank_of_process_;
  std::vector<FoundCall> found_;
  std::vector<CollectiveKind> kinds_;
  std::map<std::tuple<std::string, std::optional<std::int64_t>, std::int64_t, bool>, std::uint32_t>
      kind_numbers_;
};

}  // namespace

Collectives read_collectives(const Run& run, const Loops& loops, const Measurement& measurement) {
  return Reader(run, loops, measurement).read();
}

}  // namespace tactus
