#include "cli/inputs/roofline_inputs.h"

#include "base/file.h"

namespace tactus::cli {
namespace {

constexpr std::uint64_t kLargestFile = 256 << 20;  // [bytes] of a catalogue or result

}  // namespace

Result<std::string> read_small_file(const std::string& path) {
  const Result<File> file = File::open_for_reading(path);
  if (!file) return file.error();
  std::string text;
  std::string part(1 << 16, '\0');
  while (true) {
    const Result<std::size_t> got = file->read(part.data(), part.size(), path);
    if (!got) return got.error();
    if (*got == 0) return text;
    text.append(part, 0, *got);
    if (text.size() > kLargestFile)
      return input_error(path + ": is too large for a catalogue or a result");
  }
}

Result<Catalogue> open_catalogue(const std::string& path) {
  if (path.empty()) return built_in_catalogue();
  const Result<std::string> text = read_small_file(path);
  if (!text) return text.error();
  return read_catalogue(*text, path);
}

Result<std::vector<BaselineTime>> open_baseline(const std::string& path) {
  if (path.empty()) return std::vector<BaselineTime>();
  const Result<std::string> text = read_small_file(path);
  if (!text) return text.error();
  return read_baseline(*text, path);
}

}  // namespace tactus::cli
