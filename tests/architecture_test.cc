// A module may include only itself and the modules above it (docs/architecture.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "support/paths.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

constexpr auto kOrder = std::to_array<std::string_view>(
    {"base",     "wire",      "http",    "run",       "sources",  "stats",  "names",
     "launches", "cycles",    "kernels", "counters",  "measure",  "sql",    "patterns",
     "judge",    "explain",   "classic", "catalogue", "hardware", "bounds", "ranks",
     "page",     "operators", "bench",   "check",     "record",   "gate",   "watch",
     "inject",   "drill",     "views",   "serve",     "cli"});

/// The place of a module in the order, or of nothing.
std::size_t place(std::string_view module) {
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), module) - kOrder.begin());
}

TEST(Architecture, modules_include_only_those_above_them) {
  const fs::path source = fs::path(TACTUS_ROOT) / "src";
  const std::regex include(R"re(^\s*#include\s+"([a-z_]+)/)re");
  std::size_t includes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cc" && extension != ".cu" && extension != ".cuh")
      continue;
    const std::string file = fs::relative(entry.path(), source).string();
    const std::string module = file.substr(0, file.find('/'));
    ASSERT_LT(place(module), kOrder.size()) << file << ": src/" << module << " is in no order";
    std::ifstream text(entry.path());
    int line_number = 0;
    for (std::string line; std::getline(text, line);) {
      ++line_number;
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      ++includes;
      if (match[1] == "tactus") {  // include/: what is shared with kernels of others
        EXPECT_GE(place(module), place("operators")) << file << ":" << line_number;
        continue;
      }
      EXPECT_LT(place(match[1].str()), kOrder.size()) << file << ":" << line_number << ": " << line;
      EXPECT_LE(place(match[1].str()), place(module))
          << file << ":" << line_number << ": " << module << " may not include " << match[1];
    }
  }
  EXPECT_GT(includes, 100U);
}

TEST(Architecture, every_module_is_in_the_order_and_on_the_page) {
  std::ifstream page(fs::path(TACTUS_ROOT) / "docs/architecture.md");
  const std::string text((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
  for (const std::string_view module : kOrder) {
    EXPECT_TRUE(fs::is_directory(fs::path(TACTUS_ROOT) / "src" / module)) << module;
    EXPECT_NE(text.find("`src/" + std::string(module) + "`"), std::string::npos) << module;
  }
  for (const auto& entry : fs::directory_iterator(fs::path(TACTUS_ROOT) / "src")) {
    if (!entry.is_directory()) continue;
    EXPECT_LT(place(entry.path().filename().string()), kOrder.size()) << entry.path();
  }
}

TEST(Architecture, every_folder_is_in_the_tree_of_the_page) {
  std::ifstream page(fs::path(TACTUS_ROOT) / "docs/architecture.md");
  std::set<std::string> shown;  // "names/rules"
  std::vector<std::string> path;
  for (std::string line; std::getline(page, line);) {
    // "        rules/           the rules, ...": two spaces per level, below "    src/"
    const std::size_t indent = line.find_first_not_of(' ');
    const std::size_t end = line.find('/');
    if (indent == std::string::npos || indent < 6 || indent % 2 != 0 || end == std::string::npos)
      continue;
    path.resize(std::min(path.size(), (indent - 6) / 2));
    path.push_back(line.substr(indent, end - indent));
    std::string whole;
    for (const std::string& part : path) whole += (whole.empty() ? "" : "/") + part;
    shown.insert(whole);
  }
  const fs::path source = fs::path(TACTUS_ROOT) / "src";
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    if (!entry.is_directory()) continue;
    const std::string folder = fs::relative(entry.path(), source).string();
    EXPECT_TRUE(shown.contains(folder)) << "docs/architecture.md does not show src/" << folder;
  }
}

TEST(Architecture, a_folder_holds_about_twenty_five_files_at_most) {
  constexpr std::size_t kMost = 28;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(TACTUS_ROOT) / "src")) {
    if (!entry.is_directory()) continue;
    const auto files =
        std::count_if(fs::directory_iterator(entry), fs::directory_iterator(),
                      [](const fs::directory_entry& file) { return file.is_regular_file(); });
    EXPECT_LE(static_cast<std::size_t>(files), kMost) << entry.path();
  }
}

/// Names with their namespaces of the types that a file defines, without those only it can see.
std::vector<std::string> types_of(const fs::path& file) {
  static const std::regex kOpens(R"(^(?:inline )?namespace ?([\w:]*) ?\{.*)");
  static const std::regex kType(
      R"(^(?:struct|class|enum class) (\w+)(?: final)?(?: :[^:].*)? ?\{.*)");
  std::vector<std::string> scopes;
  std::vector<std::string> found;
  std::ifstream text(file);
  std::smatch match;
  for (std::string line; std::getline(text, line);) {
    if (std::regex_match(line, match, kOpens)) {
      scopes.push_back(match[1]);
    } else if (line.starts_with("}  // namespace") && !scopes.empty()) {
      scopes.pop_back();
    } else if (std::regex_match(line, match, kType) &&
               std::find(scopes.begin(), scopes.end(), "") == scopes.end()) {
      std::string name;
      for (const std::string& scope : scopes) name += scope + "::";
      found.push_back(name + match[1].str());
    }
  }
  return found;
}

// Two types of one name in one namespace break each other at link time, without a word.
TEST(Architecture, a_type_has_its_name_for_itself) {
  std::map<std::string, std::string> file_of;
  for (const std::string_view folder : {"src", "include", "tests/support"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TACTUS_ROOT) / folder)) {
      if (!entry.is_regular_file()) continue;
      for (const std::string& type : types_of(entry.path())) {
        const auto [known, is_new] = file_of.emplace(type, entry.path().string());
        EXPECT_TRUE(is_new) << type << " is in " << known->second << " and in " << entry.path();
      }
    }
  }
}

TEST(Architecture, library_code_neither_prints_nor_exits) {
  const fs::path source = fs::path(TACTUS_ROOT) / "src";
  const std::regex talking(R"(std::c(out|err)|printf\(|std::exit|std::puts|fputs)");
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    const std::string file = fs::relative(entry.path(), source).string();
    if (!entry.is_regular_file() || file.starts_with("cli/") || file == "base/check.h") continue;
    std::ifstream text(entry.path());
    for (std::string line; std::getline(text, line);) {
      EXPECT_FALSE(std::regex_search(line, talking)) << file << ": " << line;
    }
  }
}

}  // namespace
}  // namespace tactus
