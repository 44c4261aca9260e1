#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "run/builder.h"
#include "sources/perfetto/sequence.h"

namespace tactus::perfetto {

/// Reads the debug annotations of an event into arguments.
class Annotations {
 public:
  explicit Annotations(RunBuilder& builder) : builder_(builder) {}

  void begin_event() {
    shape_.clear();
    values_.clear();
  }
  void add(std::string_view annotation, const Sequence& sequence);
  /// An argument that is not an annotation.
  void add(std::string_view key, Value value);

  /// All arguments of the event; in one JSON text if the run has very many shapes already.
  ShapeId shape();
  const std::vector<std::int64_t>& values() const { return values_; }

 private:
  struct Parts;

  Parts parts_of(std::string_view annotation, const Sequence& sequence) const;
  Value value_of(const Parts& parts, const Sequence& sequence);
  std::optional<Value> stack_of(const Parts& parts, const Sequence& sequence);
  void append_json(std::string& json, const Parts& parts, const Sequence& sequence, int depth);

  RunBuilder& builder_;
  ArgShape shape_;
  std::vector<std::int64_t> values_;
  ArgShape last_shape_;  ///< of the event before: mostly that of this one, too
  ShapeId last_id_ = ShapeId(0);
};

}  // namespace tactus::perfetto
