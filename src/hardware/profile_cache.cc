#include "hardware/profile_cache.h"

#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"

namespace tactus {

std::string default_cache_folder() {
  // Relative folders must be ignored (XDG Base Directory Specification).
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/tactus";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/tactus";
  return {};
}

std::string cache_file_name(std::string_view kind, std::string_view machine) {
  constexpr std::size_t kLongest = 120;
  std::string name(kind);
  bool gap = true;
  for (const char c : machine.substr(0, kLongest)) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      gap = true;
      continue;
    }
    if (gap) name += '-';
    gap = false;
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name + ".toml";
}

std::optional<HardwareProfile> cached_profile(const std::string& folder, const std::string& file,
                                              std::string_view name, std::string_view variant) {
  if (folder.empty()) return std::nullopt;
  auto profile = read_hardware_file(folder + '/' + file);
  if (!profile || profile->name != name || profile->variant != variant) return std::nullopt;
  return *std::move(profile);
}

Status keep_profile(const std::string& folder, const std::string& file,
                    const HardwareProfile& profile) {
  if (folder.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return broke_error(folder + ": cannot create: " + error.message());
  auto output = OutputFile::create(folder + '/' + file, true);
  if (!output) return output.error();
  const Status written = output->write(hardware_profile_text(profile));
  return written ? output->commit() : written;
}

std::string today() {
  const std::chrono::year_month_day date =
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const auto two_digits = [](unsigned number) {
    return (number < 10 ? "-0" : "-") + std::to_string(number);
  };
  return std::to_string(static_cast<int>(date.year())) +
         two_digits(static_cast<unsigned>(date.month())) +
         two_digits(static_cast<unsigned>(date.day()));
}

}  // namespace tactus
