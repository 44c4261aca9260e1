#include "gate/replay/explain_policy.h"

#include <fmt/format.h>

#include <algorithm>

namespace tactus::gate {
namespace {

std::string milliseconds(std::int64_t ns) {
  return fmt::format("{:g} ms", static_cast<double>(ns) / 1e6);
}

std::string says(const Policy& policy) {
  const std::string& first = policy.classes[policy.first];
  const std::string& second = policy.classes[policy.second];
  switch (policy.kind) {
    case PolicyKind::kOpen: return "holds nothing";
    case PolicyKind::kPriority:
      return fmt::format(
          "holds {} while {} has unfinished launches, but leaves it open for {:g}% of "
          "the time",
          second, first, 100 * policy.floor);
    case PolicyKind::kShare: {
      std::string text = "holds a class that has used up its share while another has work:";
      for (std::size_t i = 0; i < policy.classes.size(); ++i) {
        if (policy.share[i] <= 0) continue;
        text += fmt::format(" {} {:g}%", policy.classes[i], 100 * policy.share[i]);
      }
      return text;
    }
    case PolicyKind::kSlo:
      return fmt::format("holds {} when the next unit of {} could end later than {} after the last",
                         second, first, milliseconds(policy.target_ns));
    case PolicyKind::kWindow:
      return fmt::format("holds {} for {}", first, milliseconds(policy.hold_ns)) +
             (policy.every_ns > 0 ? " every " + milliseconds(policy.every_ns) : ", once");
  }
  return "";
}

PolicyExplained begin(const Policy& policy) {
  PolicyExplained out;
  out.policy = name_of(policy.kind);
  out.says = says(policy);
  out.max_hold_ns = policy.max_hold_ns;
  for (std::size_t i = 0; i < policy.classes.size(); ++i) {
    ClassExplained& one = out.classes.emplace_back();
    one.name = policy.classes[i];
    one.depth = policy.depth[i];
  }
  const bool asks_priority =
      std::any_of(policy.rules.begin(), policy.rules.end(),
                  [](const ClassRule& rule) { return rule.asks_priority(); });
  if (asks_priority) {
    out.notes.emplace_back(
        "a recording does not have the priorities of streams: rules that ask for one fit nothing "
        "here");
  }
  return out;
}

void add_kernels(ClassExplained& one, std::string_view name, bool passes, std::int64_t count) {
  if (is_collective_name(name)) {
    one.collectives += count;
  } else if (passes) {
    one.members += count;
  } else {
    one.heads += count;
  }
}

void see_longest(ClassExplained& one, std::int64_t ns, std::string name) {
  if (ns <= one.longest_ns) return;
  one.longest_ns = ns;
  one.longest = std::move(name);
}

void bound(PolicyExplained& out, bool knows_units) {
  for (ClassExplained& one : out.classes) {
    if (one.depth > 0 && one.longest_ns > 0) {
      one.residual_ns = static_cast<std::int64_t>(one.depth) * one.longest_ns;
      if (knows_units) one.residual_ns = std::min(*one.residual_ns, one.longest_unit_ns);
    } else if (knows_units && one.units > 0) {
      one.residual_ns = one.longest_unit_ns;
    }
  }
}

}  // namespace

PolicyExplained explain_policy(const Run& run, const LaunchTrace& trace, const Policy& policy) {
  PolicyExplained out = begin(policy);
  for (const TracedThread& thread : trace.threads) {
    std::vector<std::int64_t> in_unit(policy.classes.size(), 0);
    const auto end_unit = [&] {
      for (std::size_t c = 0; c < in_unit.size(); ++c) {
        ClassExplained& one = out.classes[c];
        if (in_unit[c] > 0) ++one.units;
        one.longest_unit_ns = std::max(one.longest_unit_ns, in_unit[c]);
        in_unit[c] = 0;
      }
    };
    for (const ThreadStep& step : thread.steps) {
      if (step.kind == ThreadStep::kWait) {
        end_unit();
        continue;
      }
      const TracedLaunch& launch = trace.launches[step.launch];
      if (launch.class_number >= out.classes.size()) {
        ++out.unclassified;
        continue;
      }
      ClassExplained& one = out.classes[launch.class_number];
      std::int64_t took = 0;
      for (std::size_t k = 0; k < launch.kernels; ++k) {
        took += trace.kernels[launch.first_kernel + k].dur_ns;
      }
      const std::string name(run.strings[trace.kernels[launch.first_kernel].name]);
      ++one.launches;
      one.gpu_ns += took;
      in_unit[launch.class_number] += took;
      if (launch.is_graph) {
        ++one.graphs;
        see_longest(one, took, fmt::format("a graph of {} kernels", launch.kernels));
      } else {
        add_kernels(one, name, launch.passes, 1);
        see_longest(one, took, name);
      }
    }
    end_unit();
  }
  bound(out, true);
  return out;
}

PolicyExplained explain_policy(const KernelTable& table, const Policy& policy) {
  PolicyExplained out = begin(policy);
  out.notes.emplace_back(
      "this is a table of kernels: every one is taken as a launch without tag, phase and rows");
  const std::size_t number = class_of(policy, {});
  for (const KernelRow& row : table.rows) {
    if (number >= out.classes.size()) {
      out.unclassified += row.instances;
      continue;
    }
    ClassExplained& one = out.classes[number];
    one.launches += row.instances;
    one.gpu_ns += row.total_ns;
    add_kernels(one, row.name, is_never_held(policy, row.name), row.instances);
    see_longest(one, row.max_ns.value_or(row.avg_ns), row.name);
  }
  bound(out, false);
  return out;
}

}  // namespace tactus::gate
