#include "sources/nsys/database/events/call_chains.h"

#include <charconv>
#include <string>

namespace tactus::nsys {
namespace {

enum Column : int { kId, kStackDepth, kSymbol, kUnresolved, kOriginalIp };
constexpr std::string_view kColumns[] = {"id", "stackDepth", "symbol", "unresolved", "originalIP"};

std::string address_text(std::int64_t address) {
  char digits[18] = {'0', 'x'};
  const auto end =
      std::to_chars(digits + 2, digits + sizeof digits, static_cast<std::uint64_t>(address), 16);
  return {digits, end.ptr};
}

}  // namespace

CallChains::CallChains(Reading& reading, std::string_view table) : reading_(reading) {
  TableRows rows(reading.tables, table, kColumns, {"id", "stackDepth"});
  std::vector<StringId> frames;
  std::int64_t id = 0;
  const auto flush = [&] {
    if (!frames.empty()) stacks_.try_emplace(id, add(frames));
    frames.clear();
  };
  while (rows.next()) {
    if (rows.integer(kId) != id) flush();
    id = rows.integer(kId);
    frames.push_back(frame_of(rows));
  }
  flush();
}

StringId CallChains::frame_of(const TableRows& rows) {
  const bool unresolved = rows.integer(kUnresolved) != 0;
  if (!unresolved || rows.is_null(kOriginalIp)) {
    if (const StringId symbol = reading_.names.find(rows, kSymbol); symbol.valid()) return symbol;
  }
  return reading_.builder.intern(address_text(rows.integer(kOriginalIp)));
}

StackId CallChains::add(const std::vector<StringId>& innermost_first) {
  // Neighbouring chains mostly differ only in their last few calls.
  std::size_t depth = 0;
  auto frame = innermost_first.rbegin();
  for (; frame != innermost_first.rend() && depth < path_.size(); ++frame, ++depth) {
    if (path_[depth].frame != *frame) break;
  }
  path_.resize(depth);
  for (; frame != innermost_first.rend(); ++frame) {
    const std::int64_t parent = path_.empty() ? -1 : std::int64_t{path_.back().stack.value};
    path_.push_back({*frame, reading_.builder.stack(parent, *frame)});
  }
  return path_.back().stack;
}

}  // namespace tactus::nsys
