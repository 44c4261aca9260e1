#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tactus {

/// The op that a native frame stands for, if it is one of PyTorch's dispatcher:
///
///   at::_ops::mm::call(at::Tensor const&, at::Tensor const&) (libtorch_cpu.so+0x1a2b)
///   at::_ops::add_Tensor::redispatch(c10::DispatchKeySet, ...)
///
/// are aten::mm and aten::add, as torch.profiler calls them: without the overload.
std::optional<std::string> dispatcher_op(std::string_view frame);

}  // namespace tactus
