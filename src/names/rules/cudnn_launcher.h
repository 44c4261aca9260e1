#pragma once

#include "names/rule.h"

namespace tactus::names {

/// PyTorch calls cuDNN's convolutions from here; other frameworks have places of their own.
inline constexpr Launcher kCudnnConvolution{"pytorch/aten/src/ATen/native/cudnn/ConvShared.cpp",
                                            "cudnn_convolution", false};

}  // namespace tactus::names
