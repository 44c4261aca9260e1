#include <set>

#include "views/classic/classic_view.h"
#include "views/common/json.h"
#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kRolesFields[] = {
    {"roles", "list", "", "processes that were compared"},
    {"roles[]", "object", "", "one of them"},
    {"roles[].label", "text", "", "its name in reports"},
    {"roles[].pid", "integer", "", "its process"},
    {"roles[].compared", "bool", "", "false: no row of it names a metric"},
    {"clusters", "list", "", "roles that behave alike"},
    {"clusters[]", "object", "", "one such group"},
    {"clusters[].representative", "text", "", "the role whose cycles vary least"},
    {"clusters[].members", "list", "", "its roles"},
    {"clusters[].members[]", "text", "", "one of them"},
    {"pairs", "list", "", "representatives that differ, most first"},
    {"pairs[]", "object", "", "one pair"},
    {"pairs[].first", "text", "", "a role"},
    {"pairs[].second", "text", "", "another role"},
    {"pairs[].suspicion", "number", "", "the highest score of their report"},
    {"pairs[].alert", "bool", "", "the score is above the threshold of alerts"},
    {"threshold", "number", "", "roles whose score is below it are alike"},
    {"dropped", "object", "", "what was left out, by reason"},
    {"dropped.*", "integer", "", "how many", kSometimes},
    {"repaired", "object", "", "what was repaired, by reason"},
    {"repaired.*", "integer", "", "how many", kSometimes},
    {"warnings", "list", "", "sentences about the recordings"},
    {"warnings[]", "text", "", "one of them"},
};

}  // namespace

std::string roles_json(const RolesComparison& comparison, std::span<const Run* const> runs) {
  const auto label = [&](std::size_t role) { return comparison.roles[role].label; };
  Json json;
  const std::set<std::size_t> without(comparison.without_metrics.begin(),
                                      comparison.without_metrics.end());
  json["roles"] = Json::array();
  for (std::size_t i = 0; i < comparison.roles.size(); ++i) {
    const ClassicRole& role = comparison.roles[i];
    json["roles"].push_back(
        {{"label", role.label}, {"pid", role.pid}, {"compared", !without.contains(i)}});
  }
  json["clusters"] = Json::array();
  for (const RoleCluster& cluster : comparison.clusters) {
    Json members = Json::array();
    for (const std::size_t member : cluster.members) members.push_back(label(member));
    json["clusters"].push_back(
        {{"representative", label(cluster.representative)}, {"members", std::move(members)}});
  }
  json["pairs"] = Json::array();
  for (const RolePair& pair : comparison.pairs) {
    json["pairs"].push_back({{"first", label(pair.normal)},
                             {"second", label(pair.abnormal)},
                             {"suspicion", pair.suspicion},
                             {"alert", pair.suspicion > comparison.warning_threshold}});
  }
  json["threshold"] = comparison.threshold;
  add_account(json, runs);
  return to_text(json);
}

std::span<const JsonField> roles_fields() {
  return kRolesFields;
}

}  // namespace tactus
