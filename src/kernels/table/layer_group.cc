#include <fmt/format.h>

#include <algorithm>

#include "kernels/table/table_reading.h"
#include "names/short_name.h"

namespace tactus {
namespace {

/// One place in a layer, in the usual order: a pre-norm decoder with fused projections.
enum class Place {
  kNorm,
  kGemm,
  kRope,
  kKvWrite,
  kCopy,
  kPrepare,
  kAttention,
  kCombine,
  kCollective,
  kMoe,
  kActivation,
  kSplitKReduce,
};
constexpr Place kOrder[] = {Place::kNorm,         Place::kGemm,       Place::kRope,
                            Place::kKvWrite,      Place::kCopy,       Place::kPrepare,
                            Place::kAttention,    Place::kCombine,    Place::kGemm,
                            Place::kCollective,   Place::kNorm,       Place::kGemm,
                            Place::kMoe,          Place::kActivation, Place::kGemm,
                            Place::kSplitKReduce, Place::kCollective};

Family family_at(Place place) {
  switch (place) {
    case Place::kNorm: return Family::kNorm;
    case Place::kGemm: return Family::kGemm;
    case Place::kRope: return Family::kRope;
    case Place::kKvWrite: return Family::kKvWrite;
    case Place::kCopy: return Family::kCopy;
    case Place::kPrepare: return Family::kAttentionPrepare;
    case Place::kAttention: return Family::kAttention;
    case Place::kCombine: return Family::kAttentionCombine;
    case Place::kCollective: return Family::kCollective;
    case Place::kMoe: return Family::kMoe;
    case Place::kActivation: return Family::kActivation;
    case Place::kSplitKReduce: return Family::kSplitKReduce;
  }
  return Family::kOther;
}

/// Many GEMM kernels share the places of a layer, and a table does not say which is where.
constexpr std::size_t kMostNames = 8;

/// Rows of a place: counts that divide by the layers. This leaves out kernels that run once per
/// pass.
TableRows rows_at(Place place, const TableReading& reading) {
  return rows_where(reading.rows, [&](const TableRow& row) {
    const bool here = place == Place::kGemm ? is_gemm(row) : row.family() == family_at(place);
    return here && row.instances() % reading.counts->layers == 0;
  });
}

}  // namespace

GroupMember member_of(TableRows rows, bool optional) {
  std::stable_sort(rows.begin(), rows.end(), [](const TableRow& a, const TableRow& b) {
    return a.instances() > b.instances();
  });
  GroupMember member{.optional = optional};
  for (const TableRow& row : rows) {
    member.kernels.push_back(row.row->name);
    member.launches.push_back(row.instances());
  }
  member.short_name = short_kernel_name(rows.front().row->name, *rows.front().name);
  return member;
}

std::optional<LaunchGroup> decoder_layer(const TableReading& reading) {
  if (!reading.counts) return std::nullopt;
  const std::int64_t layer_passes = reading.counts->layer_passes();
  LaunchGroup group;
  group.name = "decoder layer";
  group.instances = layer_passes;
  group.evidence = GroupEvidence::kCounts;
  double total = 0;
  std::vector<Place> seen;
  std::int64_t gemms_left = reading.gemms.per_layer.value_or(4);
  for (const Place place : kOrder) {
    if (place == Place::kGemm && gemms_left-- <= 0) continue;
    const TableRows rows = rows_at(place, reading);
    if (rows.empty()) continue;
    // Only some GEMMs are split, however many reduces there are.
    const bool optional = place == Place::kSplitKReduce || instances_of(rows) < layer_passes;
    group.members.push_back(member_of(rows, optional));
    GroupMember& member = group.members.back();
    if (member.kernels.size() > kMostNames) {
      member.kernels.resize(kMostNames);
      member.launches.resize(kMostNames);
    }
    if (std::find(seen.begin(), seen.end(), place) != seen.end()) continue;
    seen.push_back(place);
    total += total_ns_of(rows);
  }
  group.total_ns = whole_ns(total);
  group.why = fmt::format(
      "Counts are multiples of {} = {} layers x {} passes; the order is that of the usual decoder "
      "layer, because a table has no order, and one place holds all rows of its kind. Many calls "
      "launch a layer: gate it at the first kernel of each call.",
      layer_passes, reading.counts->layers, reading.counts->passes);
  return group;
}

}  // namespace tactus
