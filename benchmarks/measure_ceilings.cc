// Prints the profile of this machine or of its GPU, as measured now, as TOML.
// usage: measure_ceilings host|cuda [DEVICE]
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hardware/measure_cuda.h"
#include "hardware/measure_host.h"

namespace {

class Line final : public tactus::Progress {
 public:
  void update(std::string_view what, std::uint64_t done, std::uint64_t total) override {
    if (::isatty(STDERR_FILENO) == 0) return;
    std::fprintf(stderr, "\r%.*s %llu/%llu\033[K", static_cast<int>(what.size()), what.data(),
                 static_cast<unsigned long long>(done), static_cast<unsigned long long>(total));
  }
};

}  // namespace

int main(int argc, char** argv) {
  using namespace tactus;
  const std::string what = argc > 1 ? argv[1] : "";
  if (what != "host" && what != "cuda") {
    std::fprintf(stderr, "usage: measure_ceilings host|cuda [DEVICE]\n");
    return 2;
  }
  Line progress;
  std::string warning;
  const auto start = std::chrono::steady_clock::now();
  const auto profile = what == "host"
                           ? measure_host(progress, true, {.cache_folder = ""}, &warning)
                           : measure_cuda(argc > 2 ? std::atoi(argv[2]) : 0, progress, true,
                                          {.cache_folder = "", .library_folders = {}}, &warning);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (!profile) {
    std::fprintf(stderr, "measure_ceilings: %s\n", profile.error().message.c_str());
    return 3;
  }
  if (!warning.empty()) std::fprintf(stderr, "measure_ceilings: %s\n", warning.c_str());
  std::printf("# measured in %.1f s\n%s", took.count(), hardware_profile_text(*profile).c_str());
}
