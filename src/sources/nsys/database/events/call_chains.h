#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sources/nsys/database/reading.h"

namespace tactus::nsys {

/// The stacks of one table of call chains, by the id that events refer to.
class CallChains {
 public:
  CallChains(Reading& reading, std::string_view table);

  /// Not valid if there is no such chain.
  StackId find(std::int64_t id) const {
    const auto at = stacks_.find(id);
    return at == stacks_.end() ? StackId() : at->second;
  }

 private:
  struct Node {
    StringId frame;
    StackId stack;
  };

  StringId frame_of(const TableRows& rows);
  StackId add(const std::vector<StringId>& innermost_first);

  Reading& reading_;
  std::unordered_map<std::int64_t, StackId> stacks_;
  std::vector<Node> path_;  ///< the last added chain, outermost frame first
};

}  // namespace tactus::nsys
