#include "cli/command.h"

#include <cerrno>
#include <cstdio>

#include "base/file.h"
#include "base/parallel.h"
#include "base/printable.h"
#include "cli/terminal.h"
#include "views/common/text_table.h"

namespace tactus::cli {

unsigned thread_count(const CommonOptions& common) {
  return common.threads == 0 ? usable_threads() : common.threads;
}

Status print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    return broke_error("standard output: cannot write: " + error_text(errno));
  }
  return {};
}

void print_error(const std::string& message) {
  std::string text = "tactus: ";
  const std::vector<std::string> lines = printable_lines(message);
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "" : "\n  ") + lines[i];
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_warning(const std::string& warning) {
  constexpr std::size_t kIndent = 8;  // as long as "tactus: "
  const std::size_t width = error_columns();
  if (width == 0) return print_error("warning: " + warning);
  const std::string text = paragraph("tactus:", "warning: " + warning, width, kIndent);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_warnings(const Run& run, const CommonOptions& common) {
  if (common.quiet) return;
  for (const std::string& warning : run.warnings) print_warning(warning);
}

}  // namespace tactus::cli
