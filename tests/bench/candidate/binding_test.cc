// A library with functions of any name, called as a binding says.
#include "bench/candidate/binding.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bench/candidate/candidate_build.h"
#include "bench/measured.h"

namespace tactus::testing {
namespace {

namespace fs = std::filesystem;

class Bindings : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("tactus-binding-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string written(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string complaint(const std::string& text) const {
    const Result<std::string> source = source_of_binding(written("mine.json", text), TACTUS_CPU);
    return source ? "" : source.error().message;
  }

  fs::path folder_;
};

constexpr const char* kLibrary = R"(
#include <cmath>
#include <cstdint>
#include <cstring>
static float wide(uint16_t b) { uint32_t w = uint32_t(b) << 16; float f; memcpy(&f, &w, 4); return f; }
static uint16_t narrow(float f) { uint32_t w; memcpy(&w, &f, 4); return (w + 0x7fff + (w >> 16 & 1)) >> 16; }
extern "C" int my_norm(void* out, void* x, void* weight, float eps, int rows, int64_t columns) {
  for (int r = 0; r < rows; ++r) {
    const uint16_t* in = (uint16_t*)x + r * columns;
    float sum = 0;
    for (int64_t i = 0; i < columns; ++i) sum += wide(in[i]) * wide(in[i]);
    const float scale = 1 / std::sqrt(sum / columns + eps);
    for (int64_t i = 0; i < columns; ++i) {
      ((uint16_t*)out)[r * columns + i] = narrow(wide(in[i]) * scale * wide(((uint16_t*)weight)[i]));
    }
  }
  return 0;
}
)";

TEST_F(Bindings, make_a_library_a_candidate) {
  const Result<BuildFolder> build = BuildFolder::make();
  ASSERT_TRUE(build);
  const Result<Compilation> library = compile_candidate(written("theirs.cpp", kLibrary), 0, *build);
  ASSERT_TRUE(library && library->worked);
  fs::copy_file(library->library, folder_ / "libtheirs.so");
  const std::string path = written("mine.json", R"({"library": "libtheirs.so", "operators": [
    {"name": "rms_norm", "symbol": "my_norm", "returns": "int",
     "arguments": ["out", "x", "weight", "f32 eps", "i32 x.shape[0]", "i64 x.shape[1]"]}]})");
  const Result<Candidate> candidate = find_candidate(path, TACTUS_CPU, 0, *build);
  ASSERT_TRUE(candidate) << candidate.error().message;
  const BenchRow row = measured(*candidate, "rms_norm", {{"tokens", 8}, {"hidden", 128}});
  EXPECT_EQ(bench_status_name(row.status), "ok") << row.reason;
}

TEST_F(Bindings, that_make_no_sense_say_what_is_wrong) {
  written("libtheirs.so", "");
  const std::string begin = R"({"library": "libtheirs.so", "operators": [)";
  EXPECT_NE(complaint("").find("is no binding"), std::string::npos);
  EXPECT_NE(complaint("[]").find("is no binding"), std::string::npos);
  EXPECT_NE(complaint(R"({"library": "other.so"})").find("no library"), std::string::npos);
  EXPECT_NE(complaint(R"({"library": "libtheirs.so"})").find("operators"), std::string::npos);
  EXPECT_NE(complaint(begin + "7]}").find("name"), std::string::npos);
  EXPECT_NE(complaint(begin + R"({"name": "rms_norm"}]})").find("symbol"), std::string::npos);
  EXPECT_NE(complaint(begin + R"({"name": "rms_norm", "symbol": "f"}]})").find("arguments"),
            std::string::npos);
  const std::string with =
      begin + R"({"name": "rms_norm", "symbol": "f", "returns": "int", "arguments": [)";
  for (const char* argument : {"\"f32\"; system(\\\"x\\\")\"", "\"x.shape\"", "\"i8 x\"", "7",
                               "\"i32 x.shape[a]\"", "\"f32 a b\"", "\"\""}) {
    EXPECT_NE(complaint(with + argument + "]}]}"), "") << argument;
  }
}

}  // namespace
}  // namespace tactus::testing
