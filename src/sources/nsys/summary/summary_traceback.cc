#include "sources/nsys/summary/summary_traceback.h"

#include "sources/text/number.h"

namespace tactus::nsys {
namespace {

/// torchrun puts "[rank0]:" in front of what a rank writes.
bool has_rank(std::string_view line) {
  return line.starts_with("[rank") && line.find("]:") != std::string_view::npos;
}

std::string_view without_rank(std::string_view line) {
  return has_rank(line) ? line.substr(line.find("]:") + 2) : line;
}

}  // namespace

bool starts_traceback(std::string_view line) {
  const std::string_view said = trim(without_rank(line));
  return said.starts_with("Traceback (most recent call last)") ||
         (said.starts_with("File \"") && said.find("\", line ") != std::string_view::npos);
}

bool continues_traceback(std::string_view line) {
  return has_rank(line) || line.starts_with(' ') || line.starts_with('\t');
}

bool ends_traceback(std::string_view line) {
  const std::string_view kind = line.substr(0, line.find(':'));
  return kind.find(' ') == std::string_view::npos &&
         (kind.ends_with("Error") || kind.ends_with("Exception") || kind.ends_with("Interrupt"));
}

}  // namespace tactus::nsys
