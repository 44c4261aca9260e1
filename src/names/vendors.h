#pragma once

#include <string_view>

#include "names/tokens/name_tokens.h"

namespace tactus::names {

/// Who builds kernels under the names of a library with its own name in front.
struct Vendor {
  std::string_view prefix;
  std::string_view library;
};

/// Removes the vendor from the front of the first word that has one:
///
///   trt_volta_hcudnn_128x128_relu_...              volta_hcudnn_128x128_relu_...
///   _5x_cudnn_ampere_scudnn_128x64_relu_...        ampere_scudnn_128x64_relu_...
///
/// Null if no word has one.
const Vendor* remove_vendor(NameTokens& tokens);

}  // namespace tactus::names
