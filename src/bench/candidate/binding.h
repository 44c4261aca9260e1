#pragma once

#include <string>

#include "base/result.h"
#include "tactus/operator.h"

namespace tactus {

/// A source that calls the functions of a library as a binding says, a candidate like any other:
///
///     {"library": "libmine.so", "operators": [
///       {"name": "rms_norm", "symbol": "launch_rms_norm", "returns": "int",
///        "arguments": ["out", "x", "weight", "f32 eps", "i32 x.shape[0]", "stream"]}]}
///
/// An argument is the memory of a tensor, `stream` or `workspace`, or a number with its type (i32,
/// i64, u32, u64, f32, f64): a parameter, a size of a tensor, or a constant. What is returned is
/// "int" (not 0: an error) or "void", the default. `path` is the binding; the library lies beside
/// it. An error says what is wrong with which operator.
Result<std::string> source_of_binding(const std::string& path, tactus_device device);

}  // namespace tactus
