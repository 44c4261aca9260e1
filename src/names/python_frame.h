#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus {

/// A Python frame as profilers write it:
///
///   vllm/model_executor/models/llama.py(123): forward
///   <built-in function linear>
///   nn.Module: LlamaDecoderLayer_3
struct PythonFrame {
  enum class Kind : std::uint8_t {
    kBuiltIn,   ///< no file; a C function
    kModule,    ///< a torch.nn.Module
    kPlumbing,  ///< a file of PyTorch, Triton or Python itself
    kProgram,   ///< any other file: the program's own code, or a library that computes
  };
  Kind kind = Kind::kBuiltIn;
  std::string_view file;
  std::optional<std::int64_t> line;
  std::string_view function;  ///< the module's name for modules, the whole text for built-ins
};

PythonFrame read_python_frame(std::string_view name);

/// kPlumbing or kProgram.
PythonFrame::Kind kind_of_file(std::string_view file);

}  // namespace tactus
