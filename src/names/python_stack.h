#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus {

/// The line of code that runs: a frame in the middle of its function.
struct PythonLine {
  std::string_view file;
  std::int64_t line = 0;
  std::string_view function;
};

/// The innermost frame of the program in a traceback; of PyTorch's own if there is no other.
///
///   File "model.py", line 217, in forward
///     hidden = self.mlp(hidden)
std::optional<PythonLine> line_of_traceback(std::string_view text);

/// The same of a "Call stack" that PyTorch 1.8 to 1.11 noted at ops, the innermost frame first:
///
///   torch/nn/functional.py(1753): linear;model.py(217): forward;main.py(40): <module>
///
/// Later versions write the text from frames that they recorded when those began, and put modules
/// and built-in functions between them. Its lines are those of `def`, so the answer is none.
std::optional<PythonLine> line_of_call_stack(std::string_view text);

}  // namespace tactus
