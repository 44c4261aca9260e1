#include "names/readers/pytorch_readers.h"
#include "names/rules/tables.h"

namespace tactus::names {
namespace {

using enum Family;

// What PyTorch's loops run for each element. The loop decides the launcher, see read_functor.
constexpr auto kRules = std::to_array<Rule>({
    {"FillFunctor", kFill, "fill", kUnknown,
     "void at::native::vectorized_elementwise_kernel<8, at::native::FillFunctor<c10::BFloat16>, "
     "std::array<char*, 1ul>>(int)",
     read_functor},
    {"direct_copy_kernel_cuda", kCopy, "copy", kUnknown,
     "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
     "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(c10::BFloat16)#1}>>("
     "int)",
     read_copy},
    {"bfloat16_copy_kernel_cuda", kCopy, "cast", kUnknown,
     "void at::native::vectorized_elementwise_kernel<8, at::native::bfloat16_copy_kernel_cuda("
     "at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, 2ul>>(int)",
     read_cast_to_bf16},
    {"float16_copy_kernel_cuda", kCopy, "cast", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::float16_copy_kernel_cuda("
     "at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, 2ul>>(int)",
     read_cast_to_fp16},
    {"bfloat16tofloat32_copy_kernel_cuda", kCopy, "cast", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, "
     "at::native::bfloat16tofloat32_copy_kernel_cuda(int)::{lambda(c10::BFloat16)#1}>(int)",
     read_cast_to_fp32},
    {"float16tofloat32_copy_kernel_cuda", kCopy, "cast", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, "
     "at::native::float16tofloat32_copy_kernel_cuda(int)::{lambda(c10::Half)#1}>(int)",
     read_cast_to_fp32},
    {"float8_copy_kernel_cuda", kCopy, "cast", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::float8_copy_kernel_cuda("
     "int)::{lambda(float)#1}>(int)",
     [](const NameTokens& tokens, std::size_t at, KernelName& name) {
       read_functor(tokens, at, name);
       name.dtype_out = "fp8";
     }},
    {"masked_fill_kernel", kElementwise, "masked_fill", kUnknown,
     "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
     "at::native::masked_fill_kernel(at::TensorIterator&)::{lambda(c10::BFloat16, bool)#1}>>(int)",
     read_functor},
    {"where_kernel_impl", kElementwise, "where", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::where_kernel_impl("
     "at::TensorIterator&)::{lambda(bool, float, float)#1}>(int)",
     read_functor},
    {"compare_scalar_kernel", kElementwise, "compare", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::compare_scalar_kernel<float>("
     "int)::{lambda(float)#1}>(int)",
     read_comparison},
    {"CompareFunctor", kElementwise, "compare", kUnknown,
     "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
     "at::native::CompareFunctor<long>>>(int)",
     read_comparison},
    {"CompareEqFunctor", kElementwise, "compare", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, float, "
     "bool, at::native::CompareEqFunctor<float>>>(int)",
     read_comparison},
    {"silu_kernel", kActivation, "silu", kUnknown,
     "void at::native::vectorized_elementwise_kernel<8, at::native::silu_kernel("
     "at::TensorIteratorBase&)::{lambda(c10::BFloat16)#1}>(int)",
     read_functor},
    {"GeluCUDAKernelImpl", kActivation, "gelu", kUnknown,
     "void at::native::vectorized_elementwise_kernel<8, at::native::GeluCUDAKernelImpl("
     "at::TensorIteratorBase&)::{lambda(c10::BFloat16)#1}>(int)",
     read_functor},
    {"clamp_min_scalar_kernel_impl", kActivation, "relu", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::clamp_min_scalar_kernel_impl("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"launch_clamp_scalar", kElementwise, "clamp", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::launch_clamp_scalar("
     "at::TensorIteratorBase&)::{lambda(float)#1}>(int)",
     read_functor},
    {"clamp_scalar_kernel_impl", kElementwise, "clamp", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::clamp_scalar_kernel_impl("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"CUDAFunctorOnSelf_add", kElementwise, "add", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, "
     "at::native::CUDAFunctorOnSelf_add<int>>(int)",
     read_functor},
    {"CUDAFunctorOnOther_add", kElementwise, "add", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctorOnOther_add<float>>("
     "int)",
     read_functor},
    {"CUDAFunctor_add", kElementwise, "add", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)",
     read_functor},
    {"MulFunctor", kElementwise, "mul", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, "
     "float, at::native::binary_internal::MulFunctor<float>>>(int)",
     read_functor},
    {"DivFunctor", kElementwise, "div", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, "
     "float, at::native::binary_internal::DivFunctor<float>>>(int)",
     read_functor},
    {"div_floor_kernel_cuda", kElementwise, "floor_divide", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::BUnaryFunctor<int, int, int, "
     "at::native::div_floor_kernel_cuda(int)::{lambda(int, int)#1}>>(int)",
     read_functor},
    {"div_trunc_kernel_cuda", kElementwise, "trunc_divide", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::BUnaryFunctor<int, int, int, "
     "at::native::div_trunc_kernel_cuda(int)::{lambda(int, int)#1}>>(int)",
     read_functor},
    {"remainder_kernel_cuda", kElementwise, "remainder", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::BUnaryFunctor<int, int, int, "
     "at::native::remainder_kernel_cuda(int)::{lambda(int, int)#1}>>(int)",
     read_functor},
    {"AddFunctor", kElementwise, "add", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, "
     "at::detail::Array<char*, 3>>(int)",
     read_functor},
    {"BitwiseAndFunctor", kElementwise, "bitwise_and", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<bool, bool, "
     "bool, at::native::BitwiseAndFunctor<bool>>>(int)",
     read_functor},
    {"BitwiseOrFunctor", kElementwise, "bitwise_or", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<bool, bool, "
     "bool, at::native::BitwiseOrFunctor<bool>>>(int)",
     read_functor},
    {"bitwise_not_kernel_cuda", kElementwise, "bitwise_not", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::bitwise_not_kernel_cuda("
     "int)::{lambda(bool)#1}>(int)",
     read_functor},
    {"logical_not_kernel_cuda", kElementwise, "logical_not", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::logical_not_kernel_cuda("
     "int)::{lambda(bool)#1}>(int)",
     read_functor},
    {"logical_and_kernel_cuda", kElementwise, "logical_and", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::logical_and_kernel_cuda("
     "int)::{lambda(bool, bool)#1}>(int)",
     read_functor},
    {"pow_tensor_scalar_kernel_impl", kElementwise, "pow", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::pow_tensor_scalar_kernel_impl<"
     "float, float>(int)::{lambda(float)#1}>(int)",
     read_functor},
    {"pow_tensor_tensor_kernel", kElementwise, "pow", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::pow_tensor_tensor_kernel("
     "int)::{lambda(float, float)#1}>(int)",
     read_functor},
    {"pow_scalar_tensor_impl", kElementwise, "pow", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::pow_scalar_tensor_impl<float>("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"sin_kernel_cuda", kElementwise, "sin", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::sin_kernel_cuda("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"cos_kernel_cuda", kElementwise, "cos", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::cos_kernel_cuda("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"neg_kernel_cuda", kElementwise, "neg", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::neg_kernel_cuda("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"exp_kernel_cuda", kElementwise, "exp", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::exp_kernel_cuda("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"log_kernel_cuda", kElementwise, "log", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::log_kernel_cuda("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"rsqrt_kernel_cuda", kElementwise, "rsqrt", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::rsqrt_kernel_cuda("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"sqrt_kernel_cuda", kElementwise, "sqrt", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::sqrt_kernel_cuda("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"reciprocal_kernel_cuda", kElementwise, "reciprocal", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::reciprocal_kernel_cuda("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"sigmoid_kernel_cuda", kElementwise, "sigmoid", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::sigmoid_kernel_cuda("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"tanh_kernel_cuda", kElementwise, "tanh", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::tanh_kernel_cuda("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"softplus_kernel", kElementwise, "softplus", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::softplus_kernel("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"abs_kernel_cuda", kElementwise, "abs", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::abs_kernel_cuda("
     "int)::{lambda(float)#1}>(int)",
     read_functor},
    {"AbsFunctor", kElementwise, "abs", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::AbsFunctor<float>>(int)",
     read_functor},
    {"maximum_kernel_cuda", kElementwise, "maximum", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::maximum_kernel_cuda("
     "int)::{lambda(float, float)#1}>(int)",
     read_functor},
    {"minimum_kernel_cuda", kElementwise, "minimum", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::minimum_kernel_cuda("
     "int)::{lambda(float, float)#1}>(int)",
     read_functor},
    {"isin_default_kernel*", kElementwise, "isin", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, at::native::isin_default_kernel_gpu("
     "int)::{lambda(long)#1}>(int)",
     read_functor},
});

// The loops themselves, if no rule knows the functor.
constexpr auto kLoopRules = std::to_array<Rule>({
    {"vectorized_elementwise_kernel", kElementwise, "elementwise", kUnknown,
     "void at::native::vectorized_elementwise_kernel<4, mine(int)::{lambda(float)#1}>(int)",
     read_unknown_functor},
    {"vectorized_templated_elementwise_kernel", kElementwise, "elementwise", kUnknown,
     "void at::native::vectorized_templated_elementwise_kernel<4, mine<float>>(int)",
     read_unknown_functor},
    {"unrolled_elementwise_kernel*", kElementwise, "elementwise", kUnknown,
     "void at::native::unrolled_elementwise_kernel_for_multi_outputs<2, mine<float>>(int)",
     read_unknown_functor},
    {"elementwise_kernel_manual_unroll", kElementwise, "elementwise", kUnknown,
     "void at::native::elementwise_kernel_manual_unroll<128, 4, mine<float>>(int)",
     read_unknown_functor},
    {"elementwise_kernel", kElementwise, "elementwise", kUnknown,
     "void at::native::elementwise_kernel<128, 2, mine<float>>(int)", read_unknown_functor},
});

}  // namespace

RuleTable pytorch_functor_rules() {
  return {"pytorch", kRules};
}

RuleTable pytorch_loop_rules() {
  return {"pytorch", kLoopRules};
}

}  // namespace tactus::names
