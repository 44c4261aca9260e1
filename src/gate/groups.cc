#include "gate/groups.h"

#include <algorithm>
#include <set>

#include "wire/gate.h"

namespace tactus::gate {

std::string function_name(std::string_view kernel) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  std::string name(kernel);
  for (std::size_t at = name.find(kUnnamed); at != std::string::npos; at = name.find(kUnnamed)) {
    name.erase(at, kUnnamed.size());
  }
  name.resize(std::min(name.find_first_of("<("), name.size()));
  if (const std::size_t at = name.rfind("::"); at != std::string::npos) name.erase(0, at + 2);
  if (const std::size_t at = name.rfind(' '); at != std::string::npos) name.erase(0, at + 1);
  return name;
}

std::vector<std::string> group_members(const std::vector<LaunchGroup>& groups) {
  std::set<std::string> heads;
  std::set<std::string> members;
  for (const LaunchGroup& group : groups) {
    // "decoder layer" is a group for readers; only what one call launches is one unit.
    if (!group.intercept_as_one) continue;
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      for (const std::string& kernel : group.members[i].kernels) {
        (i == 0 ? heads : members).insert(function_name(kernel));
      }
    }
  }
  std::vector<std::string> out;
  std::set_difference(members.begin(), members.end(), heads.begin(), heads.end(),
                      std::back_inserter(out));
  std::erase(out, "");
  return out;
}

std::string groups_text(const std::vector<std::string>& members, const std::string& input) {
  std::string text = "# kernels that follow the head of their launch group in " + input +
                     "; the gate never holds them\n";
  for (const std::string& member : members) text += member + "\n";
  return text;
}

Result<std::vector<std::uint64_t>> read_groups(std::string_view text, const std::string& path) {
  constexpr std::size_t kLongest = 4096;
  std::vector<std::uint64_t> out;
  std::size_t line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const std::string where = path + ": line " + std::to_string(line_number) + ": ";
    if (line.size() > kLongest) return input_error(where + "a name has 4096 bytes at most");
    if (out.size() == wire::kGateMembers) {
      return input_error(where + "there can be 1024 members at most");
    }
    out.push_back(wire::gate_hash(line.data(), line.size()));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace tactus::gate
