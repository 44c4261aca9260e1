#include "names/dispatcher_op.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

std::string op_of(const std::string& name) {
  return dispatcher_op("at::_ops::" + name +
                       "::call(at::Tensor const&, at::Tensor const&) (libtorch_cpu.so+0x1a2b)")
      .value_or("none");
}

TEST(DispatcherOp, is_the_name_that_torch_profiler_has) {
  EXPECT_EQ(op_of("mm"), "aten::mm");
  EXPECT_EQ(op_of("add_Tensor"), "aten::add");
  EXPECT_EQ(op_of("add__Tensor"), "aten::add_");
  EXPECT_EQ(op_of("copy_"), "aten::copy_");
  EXPECT_EQ(op_of("sum_dim_IntList"), "aten::sum");
  EXPECT_EQ(op_of("log_softmax_int"), "aten::log_softmax");
  EXPECT_EQ(op_of("mm_out"), "aten::mm");
  EXPECT_EQ(op_of("norm_ScalarOpt_dim"), "aten::norm");
  EXPECT_EQ(op_of("native_layer_norm"), "aten::native_layer_norm");
  EXPECT_EQ(op_of("split_with_sizes"), "aten::split_with_sizes");
  EXPECT_EQ(op_of("_scaled_dot_product_flash_attention"),
            "aten::_scaled_dot_product_flash_attention");
  EXPECT_EQ(op_of("upsample_nearest2d_vec"), "aten::upsample_nearest2d");
}

TEST(DispatcherOp, may_be_dispatched_again) {
  EXPECT_EQ(dispatcher_op("at::_ops::bmm::redispatch(c10::DispatchKeySet, at::Tensor const&)"),
            "aten::bmm");
}

TEST(DispatcherOp, other_frames_have_none) {
  for (const char* frame :
       {"", "at::_ops::", "at::_ops::mm", "at::_ops::mm::call", "at::_ops::mm::name(int)",
        "at::_ops::::call(int)", "at::native::mm(at::Tensor const&)", "model.py(217): forward",
        "that::_ops::mm::call(int)", "f(at::_ops::mm::call)",
        "torch::jit::f(at::_ops::mm::call(int))", "at::_ops::mm<int>::call(int)"}) {
    EXPECT_FALSE(dispatcher_op(frame)) << frame;
  }
}

}  // namespace
}  // namespace tactus
