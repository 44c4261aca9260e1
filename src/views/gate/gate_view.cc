#include "views/gate/gate_view.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "views/common/json.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

using gate::ClassStatus;
using gate::ClientStatus;
using gate::GateStatus;

std::string gate_json(const GateStatus& status) {
  Json document;
  document["pid"] = status.pid;
  document["policy"] = status.policy;
  document["max_hold_ns"] = status.max_hold_ns;
  document["changes"] = status.changes;
  document["refused"] = status.refused;
  document["classes"] = Json::array();
  for (const ClassStatus& one : status.classes) {
    document["classes"].push_back({{"name", one.name},
                                   {"closed", one.is_closed},
                                   {"admitted", value_or_null(one.admitted)},
                                   {"held", one.held},
                                   {"held_ns", one.held_ns},
                                   {"expired", one.expired},
                                   {"rested", one.rested},
                                   {"longest_ns", one.longest_ns},
                                   {"latest_ns", one.latest_ns},
                                   {"queued", one.queued},
                                   {"queued_ns", one.queued_ns},
                                   {"cost_ns", value_or_null(one.cost_ns)},
                                   {"waiting", one.waiting},
                                   {"unfinished", value_or_null(one.unfinished)}});
  }
  document["clients"] = Json::array();
  for (const ClientStatus& one : status.clients) {
    document["clients"].push_back({{"pid", one.pid},
                                   {"tag", text_or_null(one.tag)},
                                   {"rank", value_or_null(one.rank)},
                                   {"world_size", value_or_null(one.world_size)},
                                   {"may_be_held", one.may_be_held}});
  }
  document["dropped"] = Json::object();
  document["warnings"] = Json::array();
  return to_text(document);
}

std::string count_or_unknown(const std::optional<std::uint64_t>& count) {
  return count ? format_count(*count) : "unknown";
}

std::string milliseconds(std::uint64_t ns) {
  return fmt::format("{:.1f} ms", static_cast<double>(ns) / 1e6);
}

TextTable class_table(const GateStatus& status) {
  TextTable table({"Gate", "Admitted", "Held", "Held time", "Longest", "Late", "Expired", "Rested",
                   "Queued", "Unfinished", "Class"});
  table.set_ranks({0, 1, 0, 2, 3, 6, 5, 8, 7, 4, 0});
  for (const ClassStatus& one : status.classes) {
    table.add({one.is_closed ? "closed" : "open", count_or_unknown(one.admitted),
               format_count(one.held), milliseconds(one.held_ns), milliseconds(one.longest_ns),
               milliseconds(one.latest_ns), format_count(one.expired), format_count(one.rested),
               format_count(one.queued), count_or_unknown(one.unfinished), one.name});
  }
  return table;
}

}  // namespace

std::string show_gate(const GateStatus& status, bool as_json, std::size_t width) {
  if (as_json) return gate_json(status);
  std::string text =
      paragraph("gate:",
                fmt::format("process {}, policy {}, a launch is held for {} at most; {} changes",
                            status.pid, printable(status.policy),
                            milliseconds(static_cast<std::uint64_t>(status.max_hold_ns)),
                            format_count(status.changes)),
                width, 6) +
      "\n" + class_table(status).to_text(width);
  text += status.clients.empty() ? "\nno process takes part\n" : "\n";
  for (const ClientStatus& one : status.clients) {
    text += fmt::format(
        "process {}{}{}{}\n", one.pid, one.tag.empty() ? "" : ", tag " + printable(one.tag),
        one.rank ? fmt::format(", rank {}", *one.rank) : "", one.may_be_held ? "" : ": never held");
  }
  return text;
}

}  // namespace tactus
