// Measuring a candidate of tests/bench/candidates on a shape made up for it.
#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure.h"
#include "support/paths.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TACTUS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TACTUS_SANITIZED 1
#endif
#endif
#ifndef TACTUS_SANITIZED
#define TACTUS_SANITIZED 0
#endif

namespace tactus::testing {

using Sizes = std::vector<std::pair<std::string, std::int64_t>>;

inline Candidate test_candidate(const std::string& name) {
  Candidate candidate;
  candidate.kind = Candidate::Kind::kLibrary;
  candidate.name = name + ".so";
  candidate.path = std::string(TACTUS_TEST_CANDIDATES) + "/" + candidate.name;
  return candidate;
}

/// Names of the candidates inside a library: those that gain nothing, or all others that must not
/// be ok.
inline std::vector<std::string> faces_of(const std::string& library_name, bool gain_nothing) {
  std::vector<std::string> names;
  void* library = dlopen(test_candidate(library_name).path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return names;
  using NameOf = const char* (*)(int, int);
  const auto name_of = reinterpret_cast<NameOf>(dlsym(library, "tactus_cheat"));
  for (int i = 0; name_of != nullptr && name_of(i, 0) != nullptr; ++i) {
    const std::string name = name_of(i, 0);
    if (name.starts_with("gains_nothing") == gain_nothing) names.push_back(name);
  }
  dlclose(library);
  return names;
}

/// A copy of the library under that name, which makes it that candidate; to be removed.
inline Candidate face_of(const std::string& library_name, const std::string& name) {
  Candidate candidate = test_candidate(library_name);
  const auto folder = std::filesystem::temp_directory_path() / ("tactus-" + library_name);
  std::filesystem::create_directories(folder);
  const auto path = folder / (name + ".so");
  std::filesystem::copy_file(candidate.path, path,
                             std::filesystem::copy_options::overwrite_existing);
  candidate.path = path.string();
  return candidate;
}

/// Few samples: what is timed here does not matter.
inline MeasureOptions test_options() {
  MeasureOptions options;
  options.patience_s = 30;
  options.stop = {.at_least = 4, .at_most = 6, .rounds = 4, .tight = 0.01, .seconds = 0.05};
  options.salt = 0x7ac7;
  return options;
}

inline MeasureOptions only_checked() {
  MeasureOptions options = test_options();
  options.check_only = true;
  return options;
}

inline BenchRow measured(const Candidate& candidate, const std::string& operator_name,
                         const Sizes& sizes, const MeasureOptions& options = test_options()) {
  Operator op;
  op.name = operator_name;
  Shape shape;
  shape.id = "made-up";
  shape.parameters.values = sizes;
  return measure(op, shape, candidate, nullptr, options);
}

}  // namespace tactus::testing
