#include "check/fatbin.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "bench/candidate/subprocess.h"
#include "support/fatbin_bytes.h"
#include "support/files.h"

namespace tactus {
namespace {

using testing::elf_with_section;
using testing::fatbin_container;
using testing::read_fatbin_bytes;

std::string names(const Fatbin& fatbin) {
  std::string text;
  for (const GpuCode& code : fatbin.code) text += (text.empty() ? "" : " ") + code.name();
  return text;
}

constexpr std::uint64_t kExact = 0x100011;
constexpr std::uint64_t kFamily = 0x200011;

TEST(Fatbin, lists_machine_code_and_ptx_of_every_container_once) {
  const std::string section = fatbin_container({{2, 90}, {2, 80}}) + std::string(24, '\0') +
                              fatbin_container({{2, 80}, {1, 90}}) + fatbin_container({});
  const Result<Fatbin> fatbin = read_fatbin_bytes(elf_with_section(".nv_fatbin", section));
  ASSERT_TRUE(fatbin);
  EXPECT_EQ(names(*fatbin), "sm_80 sm_90 compute_90");
  EXPECT_EQ(fatbin->containers, 3);
  EXPECT_EQ(fatbin->broken, "");
}

TEST(Fatbin, tells_code_for_exactly_one_gpu_and_for_a_family_apart) {
  const std::string section = fatbin_container({{2, 90}, {2, 90, kExact}, {2, 100, kFamily}});
  const Result<Fatbin> fatbin = read_fatbin_bytes(elf_with_section(".nv_fatbin", section));
  ASSERT_TRUE(fatbin);
  EXPECT_EQ(names(*fatbin), "sm_90 sm_90a sm_100f");
}

TEST(Fatbin, keeps_the_newest_version_of_ptx) {
  const std::string section = fatbin_container({{1, 80, 0x11, 78}, {1, 80, 0x11, 87}});
  const Result<Fatbin> fatbin = read_fatbin_bytes(elf_with_section(".nv_fatbin", section));
  ASSERT_TRUE(fatbin);
  ASSERT_EQ(fatbin->code.size(), 1U);
  EXPECT_EQ(fatbin->code[0].ptx_version, 87);
}

TEST(Fatbin, a_library_without_gpu_code_is_no_error) {
  const Result<Fatbin> fatbin = read_fatbin_bytes(elf_with_section(".text", "code"));
  ASSERT_TRUE(fatbin);
  EXPECT_TRUE(fatbin->code.empty());
  EXPECT_EQ(fatbin->broken, "");
}

TEST(Fatbin, a_file_that_is_no_elf_is_told_as_such) {
  for (const std::string& bytes :
       {std::string(), std::string("#!/bin/sh\n"), std::string(4000, 'x')}) {
    const Result<Fatbin> fatbin = read_fatbin_bytes(bytes);
    ASSERT_FALSE(fatbin);
    EXPECT_NE(fatbin.error().message.find("lib.so: is not an ELF file"), std::string::npos);
  }
}

TEST(Fatbin, a_file_cut_anywhere_is_an_error_or_reads_what_is_left) {
  const std::string whole = elf_with_section(".nv_fatbin", fatbin_container({{2, 80}, {1, 90}}));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Result<Fatbin> fatbin = read_fatbin_bytes(whole.substr(0, length));
    EXPECT_FALSE(fatbin) << length;  // the table of sections is at the end
  }
  const std::string container = fatbin_container({{2, 80}, {1, 90}});
  for (std::size_t length = 16; length < container.size(); ++length) {
    const Result<Fatbin> fatbin = read_fatbin_bytes(container.substr(0, length));
    ASSERT_TRUE(fatbin) << length;
    EXPECT_NE(fatbin->broken, "") << length;
  }
}

TEST(Fatbin, sizes_beyond_all_memory_are_not_believed) {
  std::string container = fatbin_container({{2, 80}});
  container[15] = '\x7f';
  Result<Fatbin> fatbin = read_fatbin_bytes(elf_with_section(".nv_fatbin", container));
  ASSERT_TRUE(fatbin);
  EXPECT_NE(fatbin->broken, "");
  container = fatbin_container({{2, 80}});
  container[16 + 15] = '\xff';
  fatbin = read_fatbin_bytes(elf_with_section(".nv_fatbin", container));
  ASSERT_TRUE(fatbin);
  EXPECT_NE(fatbin->broken, "");
}

TEST(Fatbin, names_in_the_lists_of_cuobjdump_are_understood) {
  const std::vector<GpuCode> code = gpu_code_named(
      "ELF file    1: a.1.sm_80.cubin\nELF file    2: a.2.sm_90a.cubin\nELF file    3: "
      "sm_7.cubin\n",
      true);
  ASSERT_EQ(code.size(), 2U);
  EXPECT_EQ(code[0].name(), "sm_80");
  EXPECT_EQ(code[1].name(), "sm_90a");
}

TEST(Fatbin, reads_what_the_nvcc_here_builds) {
  const std::string nvcc = program_path("nvcc");
  if (nvcc.empty()) GTEST_SKIP() << "no nvcc on the PATH";
  testing::TemporaryFolder folder;
  const std::string source =
      folder.write("tiny.cu", "__global__ void tiny(float* x) { *x = 1; }\n");
  const std::string library = folder.file("tiny.fatbin");
  const Result<ProgramOutput> made =
      run_program({nvcc, "-fatbin", "-gencode", "arch=compute_80,code=sm_80", "-gencode",
                   "arch=compute_90a,code=sm_90a", "-gencode", "arch=compute_90,code=compute_90",
                   "-o", library, source},
                  300);
  ASSERT_TRUE(made);
  if (made->exit_code != 0) GTEST_SKIP() << "this nvcc does not build: " << made->text;
  const Result<Fatbin> fatbin = read_fatbin_file(library);
  ASSERT_TRUE(fatbin);
  EXPECT_EQ(names(*fatbin), "sm_80 sm_90a compute_90");
  EXPECT_EQ(fatbin->broken, "");
  EXPECT_GT(fatbin->code.back().ptx_version, 70);
}

}  // namespace
}  // namespace tactus
