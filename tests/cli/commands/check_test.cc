// `tactus check` on a machine with GPUs, of which a library that stands for the driver tells.
#include <gtest/gtest.h>

#include "bench/candidate/subprocess.h"
#include "support/fatbin_bytes.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

std::string check_with_fake_driver(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"env", std::string("LD_LIBRARY_PATH=") + TACTUS_FAKE_DRIVER,
                                      "COLUMNS=400", TACTUS_TOOL, "check"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Result<ProgramOutput> output = run_program(command, 300);
  if (!output) return output.error().message;
  EXPECT_EQ(output->exit_code, 0) << output->text;
  return output->text;
}

TEST(Check, every_gpu_is_held_against_the_code_inside_a_library) {
  testing::TemporaryFolder folder;
  const std::string library = folder.write(
      "mine.so", testing::elf_with_section(".nv_fatbin", testing::fatbin_container({{2, 80}})));
  const std::string text = check_with_fake_driver({"--build", library});
  const auto says = [&](std::string_view words) { return text.find(words) != text.npos; };
  EXPECT_TRUE(says("has machine code for sm_80 only: on NVIDIA H200 (sm_90) nothing runs")) << text;
  EXPECT_TRUE(says("fix: add -gencode arch=compute_90,code=sm_90")) << text;
  EXPECT_TRUE(says("has machine code for sm_80: NVIDIA A100 (sm_80) runs it as it is")) << text;
  EXPECT_TRUE(says("supports CUDA up to 12.8")) << text;
  EXPECT_TRUE(says("NVIDIA H200, sm_90 (compute capability 9.0)")) << text;
}

TEST(Check, without_a_file_build_means_the_machine) {
  const std::string text = check_with_fake_driver({"--build"});
  EXPECT_NE(text.find("NVIDIA H200, sm_90"), std::string::npos) << text;
}

TEST(Check, json_is_one_array_whose_rows_have_item_state_and_fix) {
  const std::string text = check_with_fake_driver({"--json"});
  EXPECT_TRUE(text.starts_with(R"([{"item":")")) << text;
  EXPECT_NE(text.find(R"({"item":"GPU 0","state":"ok","fix":"")"), std::string::npos) << text;
}

}  // namespace
}  // namespace tactus
