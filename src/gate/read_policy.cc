// A policy is checked key by key: a typing error must not silently change who is held.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "base/toml/toml_text.h"
#include "gate/groups.h"
#include "gate/policy.h"

namespace tactus::gate {
namespace {

constexpr std::string_view kKind = "a policy";
constexpr std::array<std::string_view, 5> kNames = {"open", "priority", "share", "slo", "window"};

// What is meant if only a name is given. Decode replays a graph or says so; the rest is prefill.
constexpr std::string_view kTwoClasses = R"(
[[class]]
name = "decode"
phase = "decode"
[[class]]
name = "prefill"
phase = "prefill"
[[class]]
name = "decode"
tag = "decode"
[[class]]
name = "prefill"
tag = "prefill"
[[class]]
name = "decode"
kind = "graph"
[[class]]
name = "prefill"
)";

std::string quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

constexpr std::array<std::string_view, 5> kBuiltIn = {
    "policy = \"open\"\n",
    "policy = \"priority\"\nfirst = \"decode\"\nsecond = \"prefill\"\n"
    "depth = { prefill = 16 }\nqueue_ms = 1\n",
    "policy = \"share\"\nshare = { prefill = 0.5 }\n",
    "policy = \"slo\"\nfirst = \"decode\"\nsecond = \"prefill\"\ntarget_ms = 20\n"
    "depth = { prefill = 16 }\nqueue_ms = 1\n",
    "policy = \"window\"\nfirst = \"prefill\"\nhold_ms = 100\nevery_ms = 1000\n",
};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  Result<Policy> read(const toml::table& file) {
    constexpr std::array<std::string_view, 16> kKeys = {
        "policy",   "max_hold_ms",   "class",     "first",   "second",  "floor",
        "slice_ms", "unit_limit_ms", "target_ms", "share",   "hold_ms", "every_ms",
        "members",  "depth",         "turns",     "queue_ms"};
    const bool is_good = known_keys(file, kKeys) && kind(file) && classes(file) &&
                         time(file, "max_hold_ms", 0, 100, policy_.max_hold_ns) &&
                         time(file, "slice_ms", 0.01, 1000, policy_.slice_ns) &&
                         time(file, "unit_limit_ms", 0.01, 10'000, policy_.unit_limit_ns) &&
                         time(file, "target_ms", 0.01, 60'000, policy_.target_ns) &&
                         time(file, "hold_ms", 0, 500, policy_.hold_ns) &&
                         time(file, "queue_ms", 0, 1000, policy_.queue_ns) &&
                         time(file, "every_ms", 0, 3'600'000, policy_.every_ns) && floor(file) &&
                         flag(file, "turns", policy_.turns) && shares(file) && depths(file) &&
                         members(file) && who(file);
    if (!is_good) return error_;
    return policy_;
  }

 private:
  bool fail(const toml::node& where, std::string message) {
    const auto line = where.source().begin.line;
    error_ = input_error(path_ + ": " + (line > 0 ? "line " + std::to_string(line) + ": " : "") +
                         std::move(message));
    return false;
  }

  bool known_keys(const toml::table& table, std::span<const std::string_view> keys) {
    for (const auto& [key, node] : table) {
      const std::string_view typed = key.str();
      if (std::find(keys.begin(), keys.end(), typed) != keys.end()) continue;
      const std::string_view near = nearest(typed, keys);
      return fail(node, "unknown key " + quoted(typed) +
                            (near.empty() ? "" : "; did you mean " + quoted(near) + "?"));
    }
    return true;
  }

  bool kind(const toml::table& file) {
    const toml::node* node = file.get("policy");
    if (node == nullptr) return fail(file, "there is no policy = \"NAME\"");
    const auto text = node->value<std::string_view>();
    const auto found = text ? std::find(kNames.begin(), kNames.end(), *text) : kNames.end();
    if (found == kNames.end()) {
      return fail(*node, "policy must be one of open, priority, share, slo, window");
    }
    policy_.kind = static_cast<PolicyKind>(found - kNames.begin());
    return true;
  }

  bool text(const toml::table& table, std::string_view key, std::string& into) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return true;
    const auto value = node->value<std::string_view>();
    if (!node->is_string() || value->empty() || value->size() > 60) {
      return fail(*node, std::string(key) + " must be a text of 1 to 60 bytes");
    }
    into = *value;
    return true;
  }

  bool number(const toml::table& table, std::string_view key, double low, double high,
              std::optional<double>& into) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return true;
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value || !(*value >= low) || !(*value <= high)) {
      return fail(*node, std::string(key) + " must be a number from " + short_number(low) + " to " +
                             short_number(high));
    }
    into = *value;
    return true;
  }

  static std::string short_number(double value) {
    std::string digits = std::to_string(value);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
    return digits;
  }

  bool time(const toml::table& table, std::string_view key, double low, double high,
            std::int64_t& into_ns) {
    std::optional<double> ms;
    if (!number(table, key, low, high, ms)) return false;
    if (ms) into_ns = static_cast<std::int64_t>(*ms * 1e6);
    return true;
  }

  bool flag(const toml::table& table, std::string_view key, bool& into) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return true;
    if (!node->is_boolean()) return fail(*node, std::string(key) + " must be true or false");
    into = *node->value<bool>();
    return true;
  }

  bool floor(const toml::table& file) {
    std::optional<double> value;
    if (!number(file, "floor", 0, 0.9, value)) return false;
    if (value) policy_.floor = *value;
    return true;
  }

  template <class Int>
  bool whole(const toml::table& table, const std::string& key, std::int64_t low, std::int64_t high,
             std::optional<Int>& into) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return true;
    const auto value = node->is_integer() ? node->value<std::int64_t>() : std::nullopt;
    if (!value || *value < low || *value > high) {
      return fail(*node, key + " must be a whole number from " + std::to_string(low) + " to " +
                             std::to_string(high));
    }
    into = static_cast<Int>(*value);
    return true;
  }

  /// "least_rows" and "most_rows"
  template <class Int>
  bool range(const toml::table& table, const std::string& what, std::int64_t low, std::int64_t high,
             std::optional<Int>& least, std::optional<Int>& most) {
    if (!whole(table, "least_" + what, low, high, least) ||
        !whole(table, "most_" + what, low, high, most)) {
      return false;
    }
    if (!least || !most || *least <= *most) return true;
    return fail(*table.get("most_" + what),
                "nothing fits: most_" + what + " is less than least_" + what);
  }

  bool add_class(const toml::table& table) {
    constexpr std::array<std::string_view, 8> kKeys = {
        "name",           "tag",           "phase",      "kind",
        "least_priority", "most_priority", "least_rows", "most_rows"};
    ClassRule rule;
    if (!known_keys(table, kKeys) || !text(table, "name", rule.name) ||
        !text(table, "tag", rule.tag) || !text(table, "phase", rule.phase) ||
        !text(table, "kind", rule.kind)) {
      return false;
    }
    if (rule.name.empty()) return fail(table, "a class needs a name");
    if (!rule.kind.empty() && rule.kind != "kernel" && rule.kind != "graph") {
      return fail(*table.get("kind"), "kind must be \"kernel\" or \"graph\"");
    }
    if (!range(table, "priority", -100, 100, rule.least_priority, rule.most_priority) ||
        !range(table, "rows", 1, kMostRows, rule.least_rows, rule.most_rows)) {
      return false;
    }
    if (rule.kind == "graph" && rule.asks_rows()) {
      return fail(table, "a graph has no rows: least_rows and most_rows are for kernels");
    }
    if (std::find(policy_.classes.begin(), policy_.classes.end(), rule.name) ==
        policy_.classes.end()) {
      if (policy_.classes.size() == kClasses) {
        return fail(table, "there can be 8 classes at most");
      }
      policy_.classes.push_back(rule.name);
    }
    if (policy_.rules.size() == wire::kGateRules) {
      return fail(table, "there can be 32 entries [[class]] at most");
    }
    policy_.rules.push_back(std::move(rule));
    return true;
  }

  bool classes(const toml::table& file) {
    const toml::node* node = file.get("class");
    if (node == nullptr) return fail(file, "there is no [[class]]");
    const toml::array* list = node->as_array();
    if (list == nullptr) return fail(*node, "class must be a list: [[class]]");
    for (const toml::node& entry : *list) {
      const toml::table* table = entry.as_table();
      if (table == nullptr) return fail(entry, "class must be a list of tables: [[class]]");
      if (!add_class(*table)) return false;
    }
    return !list->empty() || fail(*node, "there is no [[class]]");
  }

  bool class_named(const toml::node& where, std::string_view name, std::size_t& into) {
    const auto found = std::find(policy_.classes.begin(), policy_.classes.end(), name);
    if (found == policy_.classes.end()) {
      return fail(where, "there is no [[class]] with the name " + quoted(name));
    }
    into = static_cast<std::size_t>(found - policy_.classes.begin());
    return true;
  }

  bool shares(const toml::table& file) {
    const toml::node* node = file.get("share");
    if (node == nullptr) {
      return policy_.kind != PolicyKind::kShare ||
             fail(file, "policy share needs share = { CLASS = 0.5 }");
    }
    const toml::table* table = node->as_table();
    if (table == nullptr) return fail(*node, "share must be a table: { CLASS = 0.5 }");
    for (const auto& [key, value] : *table) {
      std::size_t place = 0;
      std::optional<double> share;
      if (!class_named(value, key.str(), place) || !number(*table, key.str(), 0.01, 1, share)) {
        return false;
      }
      policy_.share[place] = *share;
    }
    return true;
  }

  bool depths(const toml::table& file) {
    const toml::node* node = file.get("depth");
    if (node == nullptr) return true;
    const toml::table* table = node->as_table();
    if (table == nullptr) return fail(*node, "depth must be a table: { CLASS = 16 }");
    for (const auto& [key, value] : *table) {
      std::size_t place = 0;
      std::optional<double> depth;
      if (!class_named(value, key.str(), place) ||
          !number(*table, key.str(), 0, wire::kMostDepth, depth)) {
        return false;
      }
      policy_.depth[place] = static_cast<std::uint32_t>(*depth);
    }
    return true;
  }

  bool members(const toml::table& file) {
    const toml::node* node = file.get("members");
    if (node == nullptr) return true;
    const toml::array* list = node->as_array();
    if (list == nullptr) return fail(*node, "members must be a list of kernel names");
    for (const toml::node& entry : *list) {
      const auto name = entry.value<std::string_view>();
      if (!entry.is_string() || name->empty()) return fail(entry, "a member must be a kernel name");
      if (policy_.members.size() == wire::kGateMembers) {
        return fail(entry, "there can be 1024 members at most");
      }
      if (const Status status = check_member(*name); !status) {
        return fail(entry, status.error().message);
      }
      policy_.members.push_back(wire::gate_hash(name->data(), name->size()));
    }
    std::sort(policy_.members.begin(), policy_.members.end());
    return true;
  }

  bool who(const toml::table& file) {
    const bool needs_two =
        policy_.kind == PolicyKind::kPriority || policy_.kind == PolicyKind::kSlo;
    const bool needs_first = needs_two || policy_.kind == PolicyKind::kWindow;
    for (const std::string_view key : {"first", "second"}) {
      const toml::node* node = file.get(key);
      const bool is_needed = key == "first" ? needs_first : needs_two;
      if (node == nullptr) {
        if (is_needed) return fail(file, "this policy needs " + std::string(key) + " = \"CLASS\"");
        continue;
      }
      const auto name = node->value<std::string_view>();
      if (!node->is_string()) return fail(*node, std::string(key) + " must be the name of a class");
      if (!class_named(*node, *name, key == "first" ? policy_.first : policy_.second)) return false;
    }
    if (needs_two && policy_.first == policy_.second) {
      return fail(*file.get("second"), "first and second must be two classes");
    }
    return true;
  }

  std::string path_;
  Policy policy_;
  Error error_;
};

}  // namespace

std::string_view name_of(PolicyKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<std::string> policy_names() {
  return {kNames.begin(), kNames.end()};
}

Result<Policy> read_policy(std::string_view text, const std::string& path) {
  const Result<toml::table> table = read_toml(text, path, kKind);
  if (!table) return table.error();
  return Reader(path).read(*table);
}

Result<Policy> find_policy(const std::string& name_or_path) {
  const auto found = std::find(kNames.begin(), kNames.end(), name_or_path);
  if (found != kNames.end()) {
    const std::string_view keys = kBuiltIn[static_cast<std::size_t>(found - kNames.begin())];
    return read_policy(std::string(keys) + std::string(kTwoClasses), name_or_path);
  }
  const Result<std::string> text = read_toml_text(name_or_path, kKind);
  if (!text) {
    return input_error(text.error().message +
                       "; a policy is a file, or one of open, priority, share, slo, window");
  }
  return read_policy(*text, name_or_path);
}

}  // namespace tactus::gate
