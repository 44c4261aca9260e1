#include "cli/commands/compare/compared_names.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/shell_word.h"

namespace tactus::cli {
namespace {

namespace fs = std::filesystem;

/// The last `parts` parts of a path.
std::string end_of(const std::string& path, std::size_t parts) {
  fs::path end;
  fs::path rest = fs::path(path).lexically_normal();
  if (!rest.has_filename()) rest = rest.parent_path();  // a folder that ends in a slash
  for (std::size_t i = 0; i < parts && rest.has_filename(); ++i) {
    end = end.empty() ? rest.filename() : rest.filename() / end;
    rest = rest.parent_path();
  }
  return end.string();
}

/// NORMAL in a command, as a word of its own.
void replace_word(std::string_view word, const std::string& by, std::string& command) {
  for (std::size_t at = 0; (at = command.find(word, at)) != std::string::npos;) {
    const std::size_t end = at + word.size();
    const bool is_word =
        (at == 0 || command[at - 1] == ' ') && (end == command.size() || command[end] == ' ');
    if (is_word) command.replace(at, word.size(), by);
    at += is_word ? by.size() : word.size();
  }
}

}  // namespace

std::array<std::string, 2> labels_of(const ComparedFiles& files) {
  constexpr std::size_t kMostFolders = 8;
  std::array<std::string, 2> labels;
  for (std::size_t parts = 1; parts <= kMostFolders; ++parts) {
    for (std::size_t side = 0; side < 2; ++side) {
      labels[side] =
          files[side].front() == "-" ? "standard input" : end_of(files[side].front(), parts);
    }
    if (labels[0] != labels[1]) break;
  }
  for (std::size_t side = 0; side < 2; ++side) {
    if (files[side].size() > 1) labels[side] += fmt::format(" and {} more", files[side].size() - 1);
  }
  return labels;
}

void name_files(const ComparedFiles& files, bool are_patterns, std::vector<NextStep>& next) {
  for (NextStep& step : next) {
    if (!step.command.starts_with("tactus ")) continue;
    if (are_patterns) step.command.clear();
    replace_word("NORMAL", shell_word(files[0].front()), step.command);
    replace_word("ABNORMAL", shell_word(files[1].front()), step.command);
    replace_word("RUN", shell_word(files[1].front()), step.command);
  }
}

}  // namespace tactus::cli
