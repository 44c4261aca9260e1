#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue/catalogue.h"

namespace tactus {

/// How the numbers of a tensor are drawn. Each kind makes every part of a computation matter: see
/// docs/operators.md.
enum class Draw : std::uint8_t {
  kNone,        ///< an output: poisoned before each call
  kNormal,      ///< a + b * standard normal
  kUniform,     ///< from a to b
  kLogUniform,  ///< exp of uniform from ln a to ln b: scales
  kOperator,    ///< by the operator's own function: ids, tables, lengths, positions
};

/// How a tensor changes from one timed call to the next, without leaving what may be drawn.
enum class Refresh : std::uint8_t {
  kByDraw,          ///< as its draw allows: see refresh.cc
  kNothing,         ///< it follows from the shape: where sequences begin
  kNumbers,         ///< a ring of numbers turns: each was drawn like the others
  kRows,            ///< a ring of rows turns
  kColumns,         ///< each number is any one of its line of the last dimension
  kRowsAndColumns,  ///< both
  kSigns,           ///< rows turn, and each number changes its sign or not
  kIds,             ///< rows turn, and all ids from 0 to `b` are renamed
  kFreeIds,         ///< each id is any one of them, and all are renamed
};

struct TensorSpec {
  std::string name;
  NumberType dtype = NumberType::kBf16;
  std::vector<std::int64_t> shape;
  Draw draw = Draw::kNone;
  double a = 0;
  double b = 1;
  Refresh refresh = Refresh::kByDraw;

  std::int64_t elements() const;
  std::int64_t bytes() const;
};

/// One operator in one shape, as it is called: its tensors and scalar parameters. An output with a
/// draw changes in place (a cache, a state): it holds drawn values at the call.
struct Problem {
  std::string operator_name;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  std::vector<std::pair<std::string, double>> parameters;  ///< the values that the kernel gets:
                                                           ///< "eps"
  ShapeParameters shape;

  std::int64_t at(std::string_view name) const;  ///< of the shape; must exist
  double value(std::string_view name) const;     ///< of the parameters; must exist
  std::int64_t bytes() const;                    ///< of all tensors
};

/// A tensor in host memory.
struct HostTensor {
  const TensorSpec* spec = nullptr;
  std::byte* data = nullptr;

  std::int64_t elements() const { return spec->elements(); }
  double get(std::int64_t index) const;
  void set(std::int64_t index, double value) const;  ///< rounded to the nearest
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

/// The tensors of a problem, in the order of its inputs and outputs.
struct HostTensors {
  std::vector<HostTensor> inputs;
  std::vector<HostTensor> outputs;

  const HostTensor& input(std::string_view name) const;
  const HostTensor& output(std::string_view name) const;
};

}  // namespace tactus
