#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "kernels/trace/trace_analysis.h"
#include "names/short_name.h"

namespace tactus {
namespace {

constexpr std::size_t kLongestGroup = 64;

/// Ids of the roles of kernels; kernels of one role can replace each other in a group.
class Roles {
 public:
  explicit Roles(DecodedNames& names) : names_(names) {}

  std::uint32_t of(std::uint32_t name) {
    const auto [at, is_new] = of_name_.try_emplace(name);
    if (is_new) at->second = look_up(names_.of(name), name);
    return at->second;
  }

 private:
  std::uint32_t look_up(const KernelName& decoded, std::uint32_t name) {
    // An unknown kernel has its own role.
    const std::string own = decoded.family == Family::kOther ? std::to_string(name) : "";
    const std::string key = fmt::format("{}|{}|{}|{}|{}", family_name(decoded.family), decoded.op,
                                        decoded.split_k, decoded.kv_split, own);
    return ids_.try_emplace(key, static_cast<std::uint32_t>(ids_.size())).first->second;
  }

  DecodedNames& names_;
  std::unordered_map<std::uint32_t, std::uint32_t> of_name_;
  std::map<std::string, std::uint32_t> ids_;
};

using NameCounts = std::map<std::uint32_t, std::int64_t>;

/// All instances of one form: what was called, and which roles it launched in which order.
struct Form {
  std::vector<std::uint32_t> roles;
  std::vector<NameCounts> names;  ///< by place
  std::int64_t instances = 0;
  std::int64_t total_ns = 0;
  LaunchSite site;  ///< of the first instance
};

struct FormKey {
  std::uint32_t caller = 0;  ///< StringId of the op or the frame
  std::vector<std::uint32_t> roles;

  auto operator<=>(const FormKey&) const = default;
};

class FormFinder {
 public:
  FormFinder(const Run& run, const KernelInstances& kernels, std::span<const LaunchSite> sites,
             Roles& roles)
      : run_(run), kernels_(kernels), sites_(sites), roles_(roles) {}

  void add(const KernelStream& stream) {
    std::size_t first = 0;
    while (first < stream.size()) {
      const LaunchSite& site = site_of(stream.rows[first]);
      const std::uint32_t caller = caller_row(site);
      std::size_t end = first + 1;
      while (end < stream.size() && caller != kNoRow &&
             caller_row(site_of(stream.rows[end])) == caller) {
        ++end;
      }
      if (caller != kNoRow && end - first <= kLongestGroup) add(stream, first, end, site, caller);
      first = end;
    }
  }

  std::map<FormKey, Form>& forms() { return forms_; }

 private:
  const LaunchSite& site_of(std::uint32_t row) const {
    const auto at = std::lower_bound(kernels_.rows.begin(), kernels_.rows.end(), row);
    static const LaunchSite kNone;
    if (at == kernels_.rows.end() || *at != row) return kNone;
    return sites_[static_cast<std::size_t>(at - kernels_.rows.begin())];
  }

  /// Kernels with an equal key come from one call.
  static std::uint32_t caller_row(const LaunchSite& site) {
    return site.op != kNoRow ? site.op : site.frame;
  }

  void add(const KernelStream& stream, std::size_t first, std::size_t end, const LaunchSite& site,
           std::uint32_t caller) {
    FormKey key{.caller = static_cast<std::uint32_t>(run_.slices.name()[caller]), .roles = {}};
    for (std::size_t i = first; i < end; ++i) key.roles.push_back(roles_.of(stream.names[i]));
    Form& form = forms_[key];
    if (form.instances == 0) {
      form.roles = key.roles;
      form.names.resize(end - first);
      form.site = site;
    }
    ++form.instances;
    for (std::size_t i = first; i < end; ++i) {
      ++form.names[i - first][stream.names[i]];
      form.total_ns += stream.durs[i];
    }
  }

  const Run& run_;
  const KernelInstances& kernels_;
  std::span<const LaunchSite> sites_;
  Roles& roles_;
  std::map<FormKey, Form> forms_;
};

/// The places in `whole` that `part` has, if `part` is `whole` with something missing after the
/// first member; empty otherwise.
std::vector<std::size_t> places_in(const std::vector<std::uint32_t>& part,
                                   const std::vector<std::uint32_t>& whole) {
  if (part.size() >= whole.size() || part.front() != whole.front()) return {};
  std::vector<std::size_t> places;
  std::size_t next = 0;
  for (const std::uint32_t role : part) {
    while (next < whole.size() && whole[next] != role) ++next;
    if (next == whole.size()) return {};
    places.push_back(next++);
  }
  return places;
}

/// Of kernels that were seen equally often, the one whose name comes first.
void set_kernels(const NameCounts& counts, DecodedNames& names, GroupMember& member) {
  std::vector<std::tuple<std::int64_t, std::string_view, std::uint32_t>> sorted;
  for (const auto& [name, count] : counts) sorted.emplace_back(-count, names.text(name), name);
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [count, text, name] : sorted) {
    member.kernels.emplace_back(text);
    member.launches.push_back(-count);
  }
  const auto& [count, text, name] = sorted.front();
  member.short_name = short_kernel_name(text, names.of(name));
}

std::string text_at(const Run& run, std::uint32_t row) {
  if (row == kNoRow) return {};
  return std::string(run.strings[StringId(static_cast<std::uint64_t>(run.slices.name()[row]))]);
}

/// The name of a group with these families; the caller's name if none is typical.
std::string group_name(const Form& form, DecodedNames& names, std::string caller) {
  for (const NameCounts& place : form.names) {
    switch (names.of(place.begin()->first).family) {
      case Family::kSplitKReduce: return "split-K GEMM";
      case Family::kAttention: return "attention";
      case Family::kScan: return "scan";
      case Family::kMoe: return "mixture of experts";
      default: break;
    }
  }
  return caller;
}

/// Merges `part` into the form of which it is a shorter version.
void merge(Form& whole, const Form& part, const std::vector<std::size_t>& places,
           LaunchGroup& group) {
  std::vector<bool> present(whole.roles.size(), false);
  for (std::size_t i = 0; i < places.size(); ++i) {
    present[places[i]] = true;
    for (const auto& [name, count] : part.names[i]) whole.names[places[i]][name] += count;
  }
  for (std::size_t i = 0; i < present.size(); ++i) {
    if (!present[i]) group.members[i].optional = true;
  }
  group.instances += part.instances;
  group.tail_absent += part.instances;
  group.total_ns += part.total_ns;
}

/// Groups of one caller. Longer forms come first; each absorbs the shorter ones that it explains.
void add_groups(const Run& run, std::vector<Form>& forms, const std::string& caller,
                DecodedNames& names, std::vector<LaunchGroup>& groups) {
  std::stable_sort(forms.begin(), forms.end(),
                   [](const Form& a, const Form& b) { return a.roles.size() > b.roles.size(); });
  std::vector<bool> taken(forms.size(), false);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    Form& whole = forms[i];
    if (taken[i] || whole.roles.size() < 2) continue;
    LaunchGroup group;
    group.members.resize(whole.roles.size());
    group.instances = whole.instances;
    group.total_ns = whole.total_ns;
    for (std::size_t j = i + 1; j < forms.size(); ++j) {
      if (taken[j]) continue;
      const std::vector<std::size_t> places = places_in(forms[j].roles, whole.roles);
      if (places.empty()) continue;
      merge(whole, forms[j], places, group);
      taken[j] = true;
    }
    for (std::size_t place = 0; place < group.members.size(); ++place) {
      set_kernels(whole.names[place], names, group.members[place]);
    }
    group.name = group_name(whole, names, caller);
    group.call = LaunchCall{.api = text_at(run, whole.site.call),
                            .op = text_at(run, whole.site.op),
                            .python = text_at(run, whole.site.frame)};
    group.intercept_as_one = true;
    group.evidence = GroupEvidence::kTrace;
    group.why = fmt::format(
        "in {} of {} instances one call of {} launched them on one stream, one right after the "
        "other{}",
        group.instances, group.instances, caller,
        group.tail_absent == 0 ? ""
                               : fmt::format("; {} lack an optional member", group.tail_absent));
    groups.push_back(std::move(group));
  }
}

/// The layer that most passes repeat, as a group of its own.
void add_layer(const StreamPasses& of, DecodedNames& names, std::vector<LaunchGroup>& groups) {
  const KernelStream& stream = of.stream;
  struct Layer {
    std::int64_t instances = 0;
    std::int64_t total_ns = 0;
    std::size_t passes = 0;
  };
  std::map<std::vector<std::uint32_t>, Layer> layers;
  for (const Pass& pass : of.passes) {
    const auto first = stream.names.begin() + static_cast<std::ptrdiff_t>(pass.layers_first);
    Layer& layer = layers[{first, first + static_cast<std::ptrdiff_t>(pass.kernels_per_layer)}];
    layer.instances += static_cast<std::int64_t>(pass.layers);
    ++layer.passes;
    for (std::size_t i = pass.layers_first; i < pass.layers_end; ++i)
      layer.total_ns += stream.durs[i];
  }
  const auto most = std::max_element(
      layers.begin(), layers.end(),
      [](const auto& a, const auto& b) { return a.second.instances < b.second.instances; });
  if (most == layers.end()) return;
  LaunchGroup group;
  group.name = "layer";
  for (const std::uint32_t name : most->first) {
    set_kernels({{name, 1}}, names, group.members.emplace_back());
  }
  group.instances = most->second.instances;
  group.total_ns = most->second.total_ns;
  group.intercept_as_one = false;
  group.evidence = GroupEvidence::kTrace;
  group.why = fmt::format(
      "the same {} kernels follow each other {} times in {} passes; many calls launch them, so "
      "they cannot be held back as one",
      most->first.size(), group.instances, most->second.passes);
  groups.push_back(std::move(group));
}

}  // namespace

std::vector<LaunchGroup> groups_of_trace(const Run& run, const KernelInstances& kernels,
                                         std::span<const LaunchSite> sites,
                                         std::span<const StreamPasses> streams,
                                         DecodedNames& names) {
  Roles roles(names);
  FormFinder finder(run, kernels, sites, roles);
  for (const StreamPasses& of : streams) finder.add(of.stream);

  std::map<std::uint32_t, std::vector<Form>> by_caller;
  for (auto& [key, form] : finder.forms()) by_caller[key.caller].push_back(std::move(form));
  std::vector<LaunchGroup> groups;
  for (auto& [caller, forms] : by_caller) {
    add_groups(run, forms, std::string(run.strings[StringId(caller)]), names, groups);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const LaunchGroup& a, const LaunchGroup& b) {
    return a.total_ns > b.total_ns;
  });
  if (!streams.empty()) add_layer(streams.front(), names, groups);
  return groups;
}

}  // namespace tactus
