#include "names/display_names.h"

#include <gtest/gtest.h>

#include <set>

namespace tactus {
namespace {

std::vector<std::string> shown(const std::vector<std::string>& full) {
  const std::vector<std::string_view> names(full.begin(), full.end());
  std::vector<KernelName> decoded;
  for (const std::string_view name : names) decoded.push_back(decode_kernel_name(name));
  return display_names(names, decoded);
}

TEST(DisplayNames, say_what_differs_and_not_what_all_have) {
  EXPECT_EQ(shown({"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
                   "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda("
                   "c10::BFloat16)#1}>>(int)",
                   "void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>(__nv_bfloat16*)"}),
            (std::vector<std::string>{"elementwise_kernel (copy)", "RMSNormKernel"}));
}

TEST(DisplayNames, of_equal_short_names_get_types) {
  EXPECT_EQ(shown({"void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>(__nv_bfloat16*)",
                   "void flashinfer::norm::RMSNormKernel<8u, half>(half*)"}),
            (std::vector<std::string>{"RMSNormKernel bf16", "RMSNormKernel fp16"}));
}

TEST(DisplayNames, of_equal_short_names_get_differing_arguments) {
  EXPECT_EQ(shown({"void mine::f<3, true>(int)", "void mine::f<4, true>(int)", "mine::g"}),
            (std::vector<std::string>{"f <3>", "f <4>", "g"}));
}

TEST(DisplayNames, of_different_kernels_are_never_equal) {
  const std::vector<std::string> names = shown({"void f<T>(int)", "void f<T>(long)", "f<T>"});
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 3u);
}

TEST(DisplayNames, of_long_lists_of_options_keep_the_tile) {
  EXPECT_EQ(shown({"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32_MI16x16x1_SN_LDSB1"}),
            (std::vector<std::string>{"Cijk_Alik_Bljk_BBS 128x256x32"}));
}

TEST(DisplayNames, of_long_lists_of_options_show_the_options_that_differ) {
  const std::string common =
      "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT32x32x256_MI16x16x1_SN_LDSB1_AFC1_";
  EXPECT_EQ(shown({common + "NTA0_NTB4", common + "NTA4_NTB4"}),
            (std::vector<std::string>{"Cijk_Alik_Bljk_BBS 32x32x256 <NTA0>",
                                      "Cijk_Alik_Bljk_BBS 32x32x256 <NTA4>"}));
}

TEST(DisplayNames, of_amd_kernels_are_not_those_of_their_descriptors) {
  EXPECT_EQ(shown({"_rmsnorm_kernel.kd", "__amd_rocclr_copyBuffer.kd"}),
            (std::vector<std::string>{"_rmsnorm_kernel", "__amd_rocclr_copyBuffer"}));
}

TEST(DisplayNames, are_not_those_of_what_a_kernel_returns) {
  EXPECT_EQ(
      shown({"std::enable_if<T2>(int)0&&vllm::_typeConvert<T1>::exists, void>::type "
             "vllm::fused_add_rms_norm_kern\xE2\x80\xA6",
             "std::enable_if<!T7, void>::type internal::gemvx::kernel<int, int, __half>(T13)"}),
      (std::vector<std::string>{"fused_add_rms_norm_kern", "kernel (gemv)"}));
}

TEST(DisplayNames, of_wrapped_kernels_are_those_of_what_is_inside) {
  EXPECT_EQ(shown({"void ck_tile::kentry<1, ck_tile::Layernorm2dFwd<ck_tile::Pipe>>(int)"}),
            (std::vector<std::string>{"Layernorm2dFwd"}));
}

}  // namespace
}  // namespace tactus
