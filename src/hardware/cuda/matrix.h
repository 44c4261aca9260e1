#pragma once

#include "device_work.h"

struct cublasLtContext;

namespace tactus::cuda_ceilings {

/// The functions of cuBLASLt that are used, from the library that this machine has.
struct BlasFunctions;

/// Products of large matrices, as fast as cuBLASLt does them.
class MatrixProducts {
 public:
  /// `why_not` says why there is none.
  static MatrixProducts* open(const char*& why_not);
  ~MatrixProducts();

  /// [FLOP/s], `type` is an index of TactusCudaType; 0 where the device has no such product.
  double measure(Timer& timer, int type);

 private:
  MatrixProducts() = default;

  BlasFunctions* blas_ = nullptr;
  cublasLtContext* handle_ = nullptr;
};

}  // namespace tactus::cuda_ceilings
