#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "catalogue/number_type.h"

namespace tactus {

/// `count` sequences of `length` tokens each.
struct SequenceRun {
  std::int64_t length = 0;
  std::int64_t count = 0;

  bool operator==(const SequenceRun&) const = default;
};

/// What an operator is called with: "tokens" 4096, "hidden" 7168, ...
struct ShapeParameters {
  std::vector<std::pair<std::string, std::int64_t>> values;
  std::vector<SequenceRun> sequences;  ///< of attention over sequences of different length
  NumberType dtype = NumberType::kBf16;

  std::optional<std::int64_t> find(std::string_view name) const;
  bool operator==(const ShapeParameters&) const = default;
};

/// The time of a kernel that someone runs in production.
struct DeployedTime {
  std::string hardware;   ///< name of a hardware profile
  std::string framework;  ///< whose kernel it is
  double t_ns = 0;
};

struct Shape {
  std::string id;
  std::string label;
  std::string framework;  ///< where the shape was seen; empty if unknown
  std::optional<std::int64_t> tensor_parallel;
  std::string phase;  ///< "prefill", "decode" or "prefill/decode"; empty if unknown
  ShapeParameters parameters;
  /// The result of one random draw of the inputs, if published figures depend on it.
  std::vector<std::pair<std::string, std::int64_t>> draw;
  std::vector<DeployedTime> deployed;
  std::optional<std::int64_t> calls;  ///< how often it was seen
};

/// An operator and its frequent shapes.
struct Operator {
  std::string name;
  std::string id;
  NumberType dtype = NumberType::kBf16;  ///< the precision it is mostly computed in
  double importance = 0;                 ///< share of GPU time; need not add up to 1
  std::optional<std::int64_t> profiles;  ///< the number of profiles in which it occurs
  std::string phase;
  std::string origin;  ///< frameworks it comes from
  std::vector<Shape> shapes;
};

struct Catalogue {
  std::string source;                    ///< where the figures come from
  std::string method;                    ///< how importance was found; empty if unknown
  std::optional<std::int64_t> profiles;  ///< that it was made from
  std::vector<Operator> operators;       ///< by descending importance
};

/// Reads data/operators.json or a mined catalogue; `path` is for messages.
Result<Catalogue> read_catalogue(std::string_view text, std::string_view path);

/// In the form that read_catalogue reads; one line per shape.
std::string catalogue_text(const Catalogue& catalogue);

/// The built-in operators and their shapes.
Catalogue built_in_catalogue();

/// Operators that any model has (gemm, softmax) in some typical shapes. They are in a catalogue of
/// their own, because the other one is published.
Catalogue generic_catalogue();

/// The exact name, else an error that names the nearest.
Result<const Operator*> find_operator(const Catalogue& catalogue, std::string_view name);
Result<const Shape*> find_shape(const Operator& op, std::string_view id);

/// Ids of shapes count as numbers where they are numbers: "9" comes before "10".
bool shape_id_before(std::string_view a, std::string_view b);

}  // namespace tactus
