#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "run/builder.h"

namespace tactus::kineto {

/// Chrome's table of stack frames: an event names a frame (`sf`). The document's `stackFrames`,
/// which may come after the events, give its name and the frame that called it.
class StackFrames {
 public:
  explicit StackFrames(RunBuilder& builder)
      : builder_(builder), first_(builder.run().stacks.rows) {}

  StackId id(const std::string& frame);
  /// Adds the named frames to the Run's stacks. `json` is empty if the document had no table.
  void resolve(const std::string& json);

 private:
  RunBuilder& builder_;
  std::size_t first_;  ///< row of the first frame in the Run's stacks
  std::vector<std::string> frames_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

using DocumentMembers = std::vector<std::pair<std::string, std::string>>;  // name, JSON text

/// Stores what a document says about the whole recording: device properties, rank, versions.
/// Returns its base time in ns.
std::int64_t take_document_facts(RunBuilder& builder, const DocumentMembers& members);

}  // namespace tactus::kineto
