#include "gate/status.h"

#include "base/arithmetic.h"
#include "base/json.h"
#include "gate/broker.h"

namespace tactus::gate {

std::string status_text(const GateStatus& status) {
  Json classes = Json::array();
  for (const ClassStatus& one : status.classes) {
    classes.push_back({{"name", one.name},
                       {"closed", one.is_closed},
                       {"admitted", one.admitted},
                       {"held", one.held},
                       {"held_ns", one.held_ns},
                       {"expired", one.expired},
                       {"rested", one.rested},
                       {"longest_ns", one.longest_ns},
                       {"latest_ns", one.latest_ns},
                       {"queued", one.queued},
                       {"queued_ns", one.queued_ns},
                       {"cost_ns", one.cost_ns},
                       {"waiting", one.waiting},
                       {"unfinished", one.unfinished}});
  }
  Json clients = Json::array();
  for (const ClientStatus& one : status.clients) {
    clients.push_back({{"pid", one.pid},
                       {"tag", one.tag},
                       {"rank", one.rank},
                       {"world_size", one.world_size},
                       {"may_be_held", one.may_be_held}});
  }
  const Json document = {
      {"pid", status.pid},         {"policy", status.policy},   {"max_hold_ns", status.max_hold_ns},
      {"changes", status.changes}, {"refused", status.refused}, {"classes", classes},
      {"clients", clients}};
  return document.dump();
}

namespace {

std::uint64_t count_at(const Json& json, std::string_view key) {
  const Json* found = json.find(key);
  return found != nullptr && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::optional<std::uint64_t> known_count_at(const Json& json, std::string_view key) {
  const Json* found = json.find(key);
  if (found == nullptr || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

std::optional<std::int32_t> number_at(const Json& json, std::string_view key) {
  const std::optional<double> found = json.number_at(key);
  if (!found || *found < -1e9 || *found > 1e9) return std::nullopt;
  return static_cast<std::int32_t>(*found);
}

bool flag_at(const Json& json, std::string_view key) {
  const Json* found = json.find(key);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

}  // namespace

std::optional<GateStatus> read_status(const std::string& text) {
  const Json document = Json::parse(text);
  const Json* classes = document.is_object() ? document.find("classes") : nullptr;
  const Json* clients = document.is_object() ? document.find("clients") : nullptr;
  if (classes == nullptr || clients == nullptr) return std::nullopt;
  GateStatus status;
  status.pid = whole_number(document.number_at("pid").value_or(0));
  status.policy = document.text_at("policy");
  status.max_hold_ns = whole_number(document.number_at("max_hold_ns").value_or(0));
  status.changes = count_at(document, "changes");
  status.refused = count_at(document, "refused");
  for (const Json& one : *classes) {
    status.classes.push_back({.name = one.text_at("name"),
                              .is_closed = flag_at(one, "closed"),
                              .admitted = known_count_at(one, "admitted"),
                              .held = count_at(one, "held"),
                              .held_ns = count_at(one, "held_ns"),
                              .expired = count_at(one, "expired"),
                              .rested = count_at(one, "rested"),
                              .longest_ns = count_at(one, "longest_ns"),
                              .latest_ns = count_at(one, "latest_ns"),
                              .queued = count_at(one, "queued"),
                              .queued_ns = count_at(one, "queued_ns"),
                              .cost_ns = known_count_at(one, "cost_ns"),
                              .waiting = static_cast<std::uint32_t>(count_at(one, "waiting")),
                              .unfinished = known_count_at(one, "unfinished")});
  }
  for (const Json& one : *clients) {
    status.clients.push_back({.pid = whole_number(one.number_at("pid").value_or(0)),
                              .tag = one.text_at("tag"),
                              .rank = number_at(one, "rank"),
                              .world_size = number_at(one, "world_size"),
                              .may_be_held = flag_at(one, "may_be_held")});
  }
  return status;
}

}  // namespace tactus::gate
