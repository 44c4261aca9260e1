#include "names/vendors.h"

#include <array>

namespace tactus::names {
namespace {

constexpr auto kVendors = std::to_array<Vendor>({
    {"trt_", "tensorrt"},
    {"cudnn_infer_", "cudnn"},
    {"cudnn_train_", "cudnn"},
    {"cudnn_ops_", "cudnn"},
    {"cudnn_cnn_", "cudnn"},
    {"_5x_cudnn_", "cudnn"},
    {"5x_cudnn_", "cudnn"},
    {"_5x_cublas_", "cublas"},
});

}  // namespace

const Vendor* remove_vendor(NameTokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Token& token = tokens[i];
    if (token.kind != TokenKind::kWord) continue;
    for (const Vendor& vendor : kVendors) {
      if (!token.text().starts_with(vendor.prefix)) continue;
      token.begin += vendor.prefix.size();
      token.size -= static_cast<std::uint32_t>(vendor.prefix.size());
      return &vendor;
    }
  }
  return nullptr;
}

}  // namespace tactus::names
