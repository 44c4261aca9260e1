#pragma once

#include "device_work.h"

struct cublasLtContext;

namespace tactus::cuda_ceilings {

/// The used functions of cuBLASLt, from the library of this machine.
struct BlasFunctions;

/// Products of large matrices at the speed of cuBLASLt.
class MatrixProducts {
 public:
  /// `why_not` says why there is none.
  static MatrixProducts* open(const char*& why_not);
  ~MatrixProducts();

  /// [FLOP/s], `type` is an index of TactusCudaType; 0 if the device has no such product.
  double measure(Timer& timer, int type);

 private:
  MatrixProducts() = default;

  BlasFunctions* blas_ = nullptr;
  cublasLtContext* handle_ = nullptr;
};

}  // namespace tactus::cuda_ceilings
