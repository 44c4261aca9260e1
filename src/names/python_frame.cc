#include "names/python_frame.h"

#include <array>
#include <charconv>

namespace tactus {
namespace {

// Files between a program and its kernels that a reader does not look for.
constexpr std::array<std::string_view, 12> kPlumbing = {
    "torch/",    "triton/",  "threading.py", "contextlib.py",
    "<frozen ",  "<string>", "<eval_with_",  "functools.py",
    "<unknown>", "asyncio/", "concurrent/",  "multiprocessing/"};

bool is_plumbing(std::string_view file) {
  for (const std::string_view start : kPlumbing) {
    if (file.starts_with(start)) return true;
  }
  for (const std::string_view part : {"/site-packages/torch/", "/dist-packages/torch/",
                                      "/site-packages/triton/", "/lib/python3"}) {
    // Packages are below lib/python3 too; only files outside packages are Python's own.
    const std::size_t at = file.find(part);
    if (at == std::string_view::npos) continue;
    if (part != "/lib/python3" || file.find("-packages/", at) == std::string_view::npos)
      return true;
  }
  return false;
}

}  // namespace

PythonFrame read_python_frame(std::string_view name) {
  PythonFrame frame;
  constexpr std::string_view kModule = "nn.Module: ";
  if (name.starts_with(kModule)) {
    frame.kind = PythonFrame::Kind::kModule;
    frame.function = name.substr(kModule.size());
    return frame;
  }
  frame.function = name;
  const std::size_t close = name.rfind("): ");
  if (close == std::string_view::npos) return frame;
  const std::size_t open = name.rfind('(', close);
  if (open == std::string_view::npos) return frame;
  std::int64_t line = 0;
  const char* const end = name.data() + close;
  const auto [stop, error] = std::from_chars(name.data() + open + 1, end, line);
  if (error != std::errc() || stop != end) return frame;
  frame.file = name.substr(0, open);
  frame.line = line;
  frame.function = name.substr(close + 3);
  frame.kind = kind_of_file(frame.file);
  return frame;
}

PythonFrame::Kind kind_of_file(std::string_view file) {
  return is_plumbing(file) ? PythonFrame::Kind::kPlumbing : PythonFrame::Kind::kProgram;
}

}  // namespace tactus
