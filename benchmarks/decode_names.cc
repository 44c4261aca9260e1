// Kernel names decoded, each one different from all others, so that nothing could be remembered.
// usage: decode_names NAMES COUNT      NAMES: a file, one name a line
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "names/kernel_name.h"

namespace {

std::vector<std::string> read_lines(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

/// The name with another number in it: as a template argument of a new word at its end, or as one
/// more piece of a word with underscores.
std::string variant(const std::string& name, std::size_t number) {
  if (name.starts_with("_Z")) return name + "." + std::to_string(number);
  const std::size_t args = name.find('<');
  if (args == std::string::npos) return name + "_" + std::to_string(number);
  std::string other = name;
  return other.insert(args + 1, std::to_string(number) + ", ");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tactus;
  CHECK(argc == 3);
  const std::vector<std::string> lines = read_lines(argv[1]);
  const std::size_t count = std::strtoul(argv[2], nullptr, 10);
  CHECK(!lines.empty());
  std::vector<std::string> names;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(variant(lines[i % lines.size()], i));
    bytes += names.back().size();
  }
  decode_kernel_name("warm");  // makes the index of rules

  const std::clock_t cpu_begin = std::clock();
  const auto begin = std::chrono::steady_clock::now();
  std::array<std::size_t, kFamilies> families{};
  for (const std::string& name : names) {
    ++families[static_cast<std::size_t>(decode_kernel_name(name).family)];
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const double cpu_seconds =
      static_cast<double>(std::clock() - cpu_begin) / static_cast<double>(CLOCKS_PER_SEC);
  fmt::print(
      "{{\"seconds\": {:.6f}, \"cpu_seconds\": {:.6f}, \"names\": {}, \"bytes\": {}, "
      "\"names_per_second\": {:.0f}, \"names_per_cpu_second\": {:.0f}, \"gemms\": {}, "
      "\"unknown\": {}}}\n",
      seconds.count(), cpu_seconds, count, bytes, static_cast<double>(count) / seconds.count(),
      static_cast<double>(count) / cpu_seconds, families[static_cast<std::size_t>(Family::kGemm)],
      families[static_cast<std::size_t>(Family::kOther)]);
}
