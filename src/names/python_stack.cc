#include "names/python_stack.h"

#include <charconv>
#include <vector>

#include "names/python_frame.h"

namespace tactus {
namespace {

/// Takes frames from the innermost to the outermost until one is the program's own.
class InnermostLine {
 public:
  bool is_found() const { return is_programs_; }

  void take(const PythonFrame& frame) {
    if (is_programs_ || !frame.line || frame.file.empty()) return;
    is_programs_ = frame.kind == PythonFrame::Kind::kProgram;
    if (is_programs_ || !line_) line_ = {frame.file, *frame.line, frame.function};
  }
  std::optional<PythonLine> line() const { return line_; }

 private:
  std::optional<PythonLine> line_;
  bool is_programs_ = false;
};

/// The frame in a line of a traceback: File "model.py", line 217, in forward
PythonFrame traceback_frame(std::string_view text) {
  constexpr std::string_view kFile = "File \"";
  constexpr std::string_view kLine = "\", line ";
  constexpr std::string_view kIn = ", in ";
  PythonFrame frame;
  const std::size_t file = text.find(kFile);
  if (file == std::string_view::npos) return frame;
  text.remove_prefix(file + kFile.size());
  const std::size_t line = text.find(kLine);
  if (line == std::string_view::npos) return frame;
  std::int64_t number = 0;
  const char* const begin = text.data() + line + kLine.size();
  const auto [stop, error] = std::from_chars(begin, text.data() + text.size(), number);
  if (error != std::errc()) return frame;
  frame.file = text.substr(0, line);
  frame.line = number;
  const std::string_view rest = text.substr(static_cast<std::size_t>(stop - text.data()));
  if (rest.starts_with(kIn)) frame.function = rest.substr(kIn.size());
  frame.kind = kind_of_file(frame.file);
  return frame;
}

}  // namespace

std::optional<PythonLine> line_of_traceback(std::string_view text) {
  InnermostLine innermost;
  while (!text.empty() && !innermost.is_found()) {
    const std::size_t newline = text.rfind('\n');
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    innermost.take(traceback_frame(text.substr(begin)));
    text = text.substr(0, begin == 0 ? 0 : newline);
  }
  return innermost.line();
}

std::optional<PythonLine> line_of_call_stack(std::string_view text) {
  std::vector<PythonFrame> frames;
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    const std::string_view entry = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (entry.empty()) continue;
    frames.push_back(read_python_frame(entry));
    const PythonFrame::Kind kind = frames.back().kind;
    if (kind == PythonFrame::Kind::kModule || entry.starts_with("<built-in ")) return std::nullopt;
  }
  // A program starts in <module>: if that comes first, the stack is not of the old form.
  if (frames.size() > 1 && frames.front().function == "<module>") return std::nullopt;
  InnermostLine innermost;
  for (const PythonFrame& frame : frames) innermost.take(frame);
  return innermost.line();
}

}  // namespace tactus
