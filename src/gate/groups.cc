#include "gate/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "names/tokens/qualified_name.h"
#include "names/wrappers.h"
#include "wire/gate.h"

namespace tactus::gate {
namespace {

/// Launches by the word of the kernel, as far as it is known which call made them: what a graph
/// launches is held as one anyway.
std::map<std::string, std::int64_t> launches_by_word(const KernelReport& report) {
  std::map<std::string, std::int64_t> out;
  const bool is_table = report.kernels.rows.empty();
  std::vector<std::int64_t> of_row(report.table.rows.size(), 0);
  for (std::size_t i = 0; i < report.sites.size() && i < report.kernels.rows.size(); ++i) {
    const LaunchSite& site = report.sites[i];
    const std::uint32_t name = report.kernels.names[i];
    if (site.op == kNoRow && site.frame == kNoRow) continue;
    if (name < report.row_of_name.size() && report.row_of_name[name] < of_row.size()) {
      ++of_row[report.row_of_name[name]];
    }
  }
  for (std::size_t row = 0; row < report.table.rows.size(); ++row) {
    const KernelRow& kernel = report.table.rows[row];
    out[kernel_word(kernel.name)] += is_table ? kernel.instances : of_row[row];
  }
  return out;
}

}  // namespace

std::string kernel_word(std::string_view kernel) {
  // A name in C is one word, whatever letters it has.
  if (!kernel.starts_with("_Z") && kernel.find_first_of(":<( ") == std::string_view::npos) {
    return std::string(kernel);
  }
  names::NameTokens tokens;
  names::tokenise(kernel, tokens);
  return std::string(names::called_name(tokens).own);
}

GroupMembers group_members(const KernelReport& report) {
  std::map<std::string, MemberWord> words;
  for (const LaunchGroup& group : report.groups) {
    // "decoder layer" is a group for readers; only what one call launches is one unit.
    if (!group.intercept_as_one) continue;
    for (std::size_t place = 0; place < group.members.size(); ++place) {
      const GroupMember& member = group.members[place];
      for (std::size_t i = 0; i < member.kernels.size(); ++i) {
        MemberWord& word = words[kernel_word(member.kernels[i])];
        if (place == 0) {
          word.is_head = true;
          continue;
        }
        word.following += member.launches[i];
        if (std::find(word.kernels.begin(), word.kernels.end(), member.kernels[i]) ==
            word.kernels.end()) {
          word.kernels.push_back(member.kernels[i]);
        }
      }
    }
  }
  std::map<std::string, std::int64_t> launches = launches_by_word(report);
  GroupMembers out;
  for (auto& [text, word] : words) {
    if (text.empty() || word.kernels.empty()) continue;
    word.word = text;
    word.launches = std::max(launches[text], word.following);
    const bool is_listed =
        !word.is_head && check_member(text) && word.following > word.launches - word.following;
    (is_listed ? out.members : out.left_out).push_back(std::move(word));
  }
  return out;
}

std::string why_left_out(const MemberWord& word) {
  if (word.is_head) return "other groups begin with it";
  if (const Status status = check_member(word.word); !status) return status.error().message;
  return fmt::format("only {} of its {} launches follow the head of a group", word.following,
                     word.launches);
}

std::string groups_text(const GroupMembers& members, const std::string& input) {
  std::string text = "# kernels that follow the head of their launch group in " + input +
                     "; the gate never holds them\n";
  for (const MemberWord& member : members.members) text += member.word + "\n";
  for (const MemberWord& word : members.left_out) {
    text += "# not " + word.word + ": " + why_left_out(word) + "\n";
  }
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
    if (const Status status = check_member(line); !status) {
      return input_error(where + status.error().message + "; tactus gate groups writes such files");
    }
    if (out.size() == wire::kGateMembers) {
      return input_error(where + "there can be 1024 members at most");
    }
    out.push_back(wire::gate_hash(line.data(), line.size()));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::uint64_t> member_hashes(const GroupMembers& members) {
  std::vector<std::uint64_t> out;
  for (const MemberWord& member : members.members) {
    out.push_back(wire::gate_hash(member.word.data(), member.word.size()));
  }
  std::sort(out.begin(), out.end());
  if (out.size() > wire::kGateMembers) out.resize(wire::kGateMembers);
  return out;
}

Status check_member(std::string_view word) {
  if (!names::is_wrapper(word)) return {};
  return input_error(std::string(word) +
                     " is a wrapper around kernels of all kinds: name the class inside it");
}

}  // namespace tactus::gate
