#include "names/function_type.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

std::string_view type(std::string_view category, std::string_view name) {
  return function_type_name(function_type_of(kind_of_category(category), category, name));
}

TEST(FunctionType, kernels_compute_unless_they_are_collectives) {
  EXPECT_EQ(type("kernel", "nvjet_sm90_tst_64x32"), "gpu_compute");
  EXPECT_EQ(type("kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)"),
            "gpu_comm");
  EXPECT_EQ(
      type("kernel", "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*)"),
      "gpu_comm");
  EXPECT_EQ(type("Kernel", "someNCCLThing"), "gpu_comm");
  EXPECT_EQ(type("cuda_graph", "graph 7"), "gpu_compute");
}

TEST(FunctionType, copies_go_by_direction_and_sets_are_no_copies) {
  EXPECT_EQ(type("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)"), "gpu_memcpy_h2d");
  EXPECT_EQ(type("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)"), "gpu_memcpy_d2h");
  EXPECT_EQ(type("gpu_memcpy", "Memcpy DtoD (Device -> Device)"), "gpu_memcpy_d2d");
  EXPECT_EQ(type("gpu_memcpy", "Memcpy PtoP (Device -> Device)"), "gpu_memcpy_d2d");
  EXPECT_EQ(type("gpu_memset", "Memset (Device)"), "gpu_memset");
}

TEST(FunctionType, calls_launch_or_wait_or_do_not_matter) {
  EXPECT_EQ(type("cuda_runtime", "cudaLaunchKernel"), "cpu_launch");
  EXPECT_EQ(type("cuda_runtime", "cudaLaunchKernelExC"), "cpu_launch");
  EXPECT_EQ(type("cuda_driver", "cuLaunchKernelEx"), "cpu_launch");
  EXPECT_EQ(type("cuda_runtime", "cudaGraphLaunch"), "cpu_launch");
  EXPECT_EQ(type("cuda_runtime", "cudaMemsetAsync"), "cpu_launch");
  EXPECT_EQ(type("cuda_runtime", "hipLaunchKernel"), "cpu_launch");
  EXPECT_EQ(type("cuda_runtime", "cudaStreamSynchronize"), "cpu_sync");
  EXPECT_EQ(type("cuda_runtime", "cudaDeviceSynchronize"), "cpu_sync");
  EXPECT_EQ(type("cuda_runtime", "cudaEventSynchronize"), "cpu_sync");
  EXPECT_EQ(type("cuda_runtime", "cudaMemcpy"), "cpu_memcpy");
  EXPECT_EQ(type("cuda_runtime", "cudaMemcpyAsync"), "cpu_memcpy");
  EXPECT_EQ(type("CAT_APP", "cuStreamSynchronize"), "cpu_sync");
  EXPECT_EQ(type("cuda_runtime", "cudaStreamIsCapturing"), "");
  EXPECT_EQ(type("cuda_runtime", "cudaMalloc"), "");
}

TEST(FunctionType, the_operating_system_has_its_own) {
  EXPECT_EQ(type("CAT_CPU", "oncpu"), "oncpu");
  EXPECT_EQ(type("CAT_CPU", "OnCPU_3"), "oncpu");
  EXPECT_EQ(type("CAT_CPU", "runq"), "runq");
  EXPECT_EQ(type("CAT_DISK", "write"), "disk_read_and_write");
  EXPECT_EQ(type("os_runtime", "pread64"), "disk_read_and_write");
  EXPECT_EQ(type("CAT_MEMORY", "munmap"), "cpu_os_syscall_mem");
}

TEST(FunctionType, operators_frames_and_ranges_are_none) {
  EXPECT_EQ(type("cpu_op", "aten::mm"), "");
  EXPECT_EQ(type("python_function", "write"), "");
  EXPECT_EQ(type("user_annotation", "runq"), "");
  EXPECT_EQ(type("cuda_sync", "Stream Sync"), "");
}

}  // namespace
}  // namespace tactus
