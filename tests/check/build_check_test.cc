#include "check/build_check.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "check/file_check.h"
#include "support/fatbin_bytes.h"
#include "support/files.h"
#include "views/check/check_view.h"

namespace tactus {
namespace {

using testing::elf_with_section;
using testing::fatbin_container;
using testing::TemporaryFolder;

const Gpu kH200 = {"NVIDIA H200", 90};

FitVerdict verdict(std::vector<testing::FatbinEntry> entries, int driver_version = 13000) {
  const Result<Fatbin> fatbin = testing::read_fatbin_bytes(fatbin_container(entries));
  return fit_of(*fatbin, &kH200, driver_version);
}

/// A machine on which everything works.
MachineFacts good_machine() {
  MachineFacts facts;
  facts.driver = {.loaded = true,
                  .version = 13000,
                  .gpus = {kH200},
                  .nvml_loaded = true,
                  .release = "580.82.07",
                  .cublaslt = "13.0.2"};
  facts.device_files = true;
  facts.compilers = {.nvcc = {{"/usr/local/cuda/bin/nvcc", "13.0"}},
                     .gxx = {{"/usr/bin/g++", "12.2.0"}},
                     .toolkit = 13000,
                     .newest_gcc = 15,
                     .host_compiler = "/usr/bin/g++"};
  facts.recording = {.perf_paranoid = -1,
                     .capabilities = ~std::uint64_t{0},
                     .btf = true,
                     .counters_for_admins_only = false};
  facts.cuda_library = "/usr/local/lib/libtactus_cuda.so";
  facts.python = {"/usr/bin/python3", ""};
  facts.torch = "2.8.0, CUDA 12.8";
  facts.temporary = "/tmp";
  facts.temporary_writable = true;
  facts.temporary_free_bytes = std::uint64_t{100} << 30;
  return facts;
}

CheckItem item_of(const MachineFacts& facts, const std::string& name) {
  for (const CheckItem& item : check_machine(facts)) {
    if (item.item == name) return item;
  }
  ADD_FAILURE() << "no item " << name;
  return {};
}

TEST(GpuFit, code_for_another_gpu_does_not_run_and_the_fix_says_how_to_build) {
  const FitVerdict found = verdict({{2, 80}});
  EXPECT_EQ(found.fit, Fit::kDoesNotRun);
  EXPECT_EQ(found.sentence, "has machine code for sm_80 only: on NVIDIA H200 (sm_90) nothing runs");
  EXPECT_EQ(found.fix, "add -gencode arch=compute_90,code=sm_90");
}

TEST(GpuFit, machine_code_runs_within_its_generation_only) {
  EXPECT_EQ(verdict({{2, 80}, {2, 90}}).fit, Fit::kRuns);
  EXPECT_TRUE(fits({.machine_code = true, .number = 80}, {"NVIDIA L40S", 89}));
  EXPECT_FALSE(fits({.machine_code = true, .number = 89}, {"NVIDIA A100", 80}));
  EXPECT_FALSE(fits({.machine_code = true, .number = 90, .variant = 'a'}, {"NVIDIA B200", 100}));
  EXPECT_FALSE(fits({.number = 90, .variant = 'a'}, {"NVIDIA B200", 100}));
  EXPECT_TRUE(fits({.machine_code = true, .number = 100, .variant = 'f'}, {"NVIDIA B300", 103}));
}

TEST(GpuFit, older_ptx_runs_after_the_driver_compiled_it) {
  EXPECT_EQ(verdict({{2, 80}, {1, 80}}).fit, Fit::kRunsAfterCompiling);
  EXPECT_EQ(verdict({{1, 100}}).fit, Fit::kDoesNotRun);
}

TEST(GpuFit, ptx_of_a_newer_toolkit_than_the_driver_speaks_does_not_run) {
  const FitVerdict found = verdict({{1, 80, 0x11, 90}}, 12080);
  EXPECT_EQ(found.fit, Fit::kDoesNotRun);
  EXPECT_NE(found.sentence.find("of CUDA 13.0 and the driver supports up to 12.8"),
            std::string::npos);
  EXPECT_EQ(found.fix, "update the driver to one for CUDA 13, or build with a toolkit of CUDA 12");
  EXPECT_NE(verdict({{1, 80, 0x11, 88}}, 12080).fix.find("code=sm_90"), std::string::npos);
  EXPECT_EQ(verdict({{1, 80, 0x11, 87}}, 12080).fit, Fit::kRunsAfterCompiling);
}

TEST(GpuFit, without_a_gpu_it_is_told_which_ones_would_run_it) {
  const Result<Fatbin> fatbin = testing::read_fatbin_bytes(fatbin_container({{2, 80}, {1, 90}}));
  EXPECT_EQ(fit_of(*fatbin, nullptr, 0).sentence,
            "has machine code for sm_80 and PTX for compute_90; there is no GPU here to compare it "
            "with: runs on A100, L40S; on H100/H200, B200 after the driver compiled it");
}

TEST(BuildCheck, a_machine_with_everything_lacks_nothing) {
  for (const CheckItem& item : check_machine(good_machine())) {
    EXPECT_EQ(item.state, CheckState::kOk) << item.item << ": " << item.found;
    EXPECT_EQ(item.fix, "") << item.item;
    EXPECT_NE(item.found, "") << item.item;
  }
}

TEST(BuildCheck, everything_that_is_not_there_comes_with_a_fix_in_one_line) {
  for (const CheckItem& item : check_machine(MachineFacts{})) {
    if (item.state == CheckState::kOk) continue;
    EXPECT_NE(item.fix, "") << item.item;
    EXPECT_EQ(item.fix.find('\n'), std::string::npos) << item.item;
  }
}

TEST(BuildCheck, a_toolkit_newer_than_the_driver_is_told) {
  MachineFacts facts = good_machine();
  facts.driver.version = 12080;
  EXPECT_NE(item_of(facts, "driver for the toolkit").found.find("does not run"), std::string::npos);
  facts.compilers.toolkit = 12090;
  const CheckItem item = item_of(facts, "driver for the toolkit");
  EXPECT_EQ(item.state, CheckState::kDenied);
  EXPECT_NE(item.found.find("machine code runs, PTX of this nvcc does not load"),
            std::string::npos);
}

TEST(BuildCheck, a_host_compiler_that_nvcc_refuses_is_named_with_the_one_that_works) {
  MachineFacts facts = good_machine();
  facts.compilers.gxx = {{"/usr/bin/g++", "13.2.0"}};
  facts.compilers.newest_gcc = 12;
  facts.compilers.host_compiler = "/usr/bin/g++-12";
  const CheckItem item = item_of(facts, "host compiler");
  EXPECT_EQ(item.state, CheckState::kDenied);
  EXPECT_NE(item.found.find("accepts g++ up to 12"), std::string::npos);
  EXPECT_NE(item.fix.find("-ccbin /usr/bin/g++-12"), std::string::npos);
}

TEST(BuildCheck, the_compiler_of_conda_that_hides_the_systems_is_told) {
  MachineFacts facts = good_machine();
  facts.compilers.gxx = {{"/opt/miniconda3/bin/g++", "11.2.0"}, {"/usr/bin/g++", "12.2.0"}};
  facts.compilers.host_compiler = "/opt/miniconda3/bin/g++";
  const CheckItem item = item_of(facts, "g++ on the PATH");
  EXPECT_EQ(item.found, "/opt/miniconda3/bin/g++ (11.2.0) wins over /usr/bin/g++ (12.2.0)");
  EXPECT_NE(item.fix.find("that is conda's"), std::string::npos);
}

TEST(BuildCheck, compilers_are_found_in_the_order_of_the_path_and_links_count_once) {
  TemporaryFolder folder;
  namespace fs = std::filesystem;
  for (const char* name : {"first", "second", "third"}) fs::create_directory(folder.path() / name);
  for (const char* name : {"first", "second"}) {
    const std::string file = folder.write(
        std::string(name) + "/g++",
        "#!/bin/sh\necho " + std::string(name == std::string("first") ? "9.1.0" : "12.2.0") + "\n");
    fs::permissions(file, fs::perms::owner_all);
  }
  fs::create_symlink(folder.path() / "first/g++", folder.path() / "third/g++");
  MachineRoots roots;
  roots.path = folder.file("first") + ":" + folder.file("second") + "::" + folder.file("third") +
               ":/nowhere";
  const CompilerFacts facts = read_compilers(roots, /*try_nvcc=*/false);
  ASSERT_EQ(facts.gxx.size(), 2U);
  EXPECT_EQ(facts.gxx[0].version, "9.1.0");
  EXPECT_EQ(facts.gxx[1].version, "12.2.0");
  EXPECT_TRUE(facts.nvcc.empty());
}

TEST(BuildCheck, what_recording_needs_is_read_from_proc_and_sys) {
  TemporaryFolder folder;
  namespace fs = std::filesystem;
  for (const char* name :
       {"proc/sys/kernel", "proc/self", "proc/driver/nvidia", "sys/kernel/btf"}) {
    fs::create_directories(folder.path() / name);
  }
  folder.write("proc/sys/kernel/perf_event_paranoid", "2\n");
  folder.write("proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
  folder.write("proc/driver/nvidia/params", "ResmanDebugLevel: 1\nRmProfilingAdminOnly: 1\n");
  folder.write("proc/self/limits",
               "Limit                     Soft Limit           Hard Limit           Units\n"
               "Max locked memory         65536                65536                bytes\n");
  MachineRoots roots;
  roots.proc = folder.file("proc");
  roots.sys = folder.file("sys");
  MachineFacts facts = good_machine();
  facts.recording = read_recording(roots);
  EXPECT_EQ(item_of(facts, "perf events").state, CheckState::kDenied);
  EXPECT_EQ(item_of(facts, "eBPF programs").state, CheckState::kDenied);
  EXPECT_EQ(item_of(facts, "types of the kernel (BTF)").state, CheckState::kMissing);
  EXPECT_EQ(item_of(facts, "locked memory").state, CheckState::kDenied);
  const CheckItem counters = item_of(facts, "GPU counters");
  EXPECT_EQ(counters.state, CheckState::kDenied);
  EXPECT_NE(counters.found.find("ERR_NVGPUCTRPERM"), std::string::npos);
}

TEST(BuildCheck, a_machine_without_any_of_these_files_is_read_too) {
  MachineRoots roots;
  roots.proc = "/nowhere";
  roots.sys = "/nowhere";
  const RecordingFacts facts = read_recording(roots);
  EXPECT_FALSE(facts.perf_paranoid);
  EXPECT_FALSE(facts.btf);
  EXPECT_FALSE(facts.counters_for_admins_only);
}

TEST(FileCheck, every_kind_of_gpu_here_gets_its_verdict) {
  const Result<Fatbin> fatbin =
      testing::read_fatbin_bytes(elf_with_section(".nv_fatbin", fatbin_container({{2, 80}})));
  DriverFacts driver;
  driver.version = 13000;
  driver.gpus = {{"NVIDIA A100", 80}, kH200, kH200};
  const std::vector<FileCheck> checks = check_code("lib.so", *fatbin, driver);
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[0].item.state, CheckState::kOk);
  EXPECT_EQ(checks[1].item.state, CheckState::kMissing);
  EXPECT_EQ(checks[1].architectures, std::vector<std::string>{"sm_80"});
}

TEST(FileCheck, a_library_for_another_processor_is_told) {
  const Result<Fatbin> fatbin = testing::read_fatbin_bytes(
      elf_with_section(".nv_fatbin", fatbin_container({{2, 90}}), /*machine=*/8 /* MIPS */));
  const std::vector<FileCheck> checks = check_code("lib.so", *fatbin, {});
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[0].item.state, CheckState::kDenied);
}

TEST(FileCheck, complaints_of_nvcc_get_a_fix) {
  CompilerFacts compilers;
  compilers.newest_gcc = 12;
  compilers.toolkit = 12040;
  const auto fix = [&](const std::string& text) { return fix_for_complaint(text, compilers); };
  EXPECT_NE(fix("#error -- unsupported GNU version! gcc versions later than 12").find("g++-12"),
            std::string::npos);
  EXPECT_NE(fix("nvcc fatal   : Unsupported gpu architecture 'compute_120'").find("nvcc 12.4"),
            std::string::npos);
  EXPECT_NE(fix("x.cu:1:10: fatal error: cute/tensor.hpp: No such file or directory")
                .find("cute/tensor.hpp"),
            std::string::npos);
  EXPECT_EQ(fix("x.cu(3): error: identifier \"y\" is undefined\n"),
            "fix the first error: x.cu(3): error: identifier \"y\" is undefined");
  EXPECT_NE(fix(""), "");
}

TEST(CheckView, json_has_the_fields_of_the_contract_and_text_shows_the_compilers_words) {
  FileCheck file;
  file.item = {
      .item = "compiling x.cu", .state = CheckState::kDenied, .found = "fails", .fix = "mend it"};
  file.complaint = "x.cu(3): error\nx.cu(4): error\xff";
  const std::string json = check_json({file}, {});
  EXPECT_NE(json.find(R"("item":"compiling x.cu","state":"denied","fix":"mend it")"),
            std::string::npos);
  const std::string text = check_text({file}, {}, 100);
  EXPECT_NE(text.find("  | x.cu(3): error\n  | x.cu(4): error"), std::string::npos);
  EXPECT_NE(text.find("fix: mend it"), std::string::npos);
}

}  // namespace
}  // namespace tactus
