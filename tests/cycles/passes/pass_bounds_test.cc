#include <gtest/gtest.h>

#include <string>

#include "cycles/passes/passes.h"
#include "run/run.h"

namespace tactus {
namespace {

/// A model with two kinds of layers that take turns. Between them is nothing but the product of the
/// vocabulary.
class TwoKindsOfLayers {
 public:
  /// Its attention comes late, and the device waits for the host before it.
  void add_long_layers(int count) {
    for (int layer = 0; layer < count; ++layer) {
      add(norm_);
      add(gemm_);
      for (std::size_t i = 0; i < 14; ++i) add(elementwise_[i], i == 13 ? 50'000 : 10);
      add(attention_);
      add(gemm_);
      add(activation_);
      add(gemm_);
    }
  }
  void add_short_layers(int count) {
    for (int layer = 0; layer < count; ++layer) {
      for (const std::uint32_t kernel : {norm_, decode_, small_, activation_, small_}) add(kernel);
    }
  }
  void add_vocabulary() { add(vocabulary_); }

  std::vector<Pass> passes() {
    DecodedNames names(run_);
    AnnotatedSteps annotated(run_);
    return find_passes(stream_, names, annotated);
  }
  std::size_t kernels() const { return stream_.size(); }

 private:
  std::uint32_t id(const std::string& name) {
    return static_cast<std::uint32_t>(run_.strings.intern(name).value);
  }
  void add(std::uint32_t name, std::int64_t idle_ns = 10) {
    stream_.rows.push_back(static_cast<std::uint32_t>(stream_.rows.size()));
    stream_.names.push_back(name);
    stream_.starts.push_back(end_ns_ + idle_ns);
    stream_.durs.push_back(1000);
    end_ns_ += idle_ns + 1000;
  }

  Run run_;
  KernelStream stream_;
  std::int64_t end_ns_ = 0;
  std::uint32_t gemm_ = id("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn");
  std::uint32_t small_ = id("ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x4_tn");
  std::uint32_t vocabulary_ = id("ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x4_tn");
  std::uint32_t attention_ =
      id("void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 64, 64, 4>>(Flash_fwd_params)");
  std::uint32_t decode_ = id(
      "void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 64, 4>>(Flash_fwd_params)");
  std::uint32_t norm_ = id("void rms_norm_kernel<float>(float*)");
  std::uint32_t activation_ = id("void silu_and_mul_kernel<float>(float*)");
  std::vector<std::uint32_t> elementwise_ = [this] {
    std::vector<std::uint32_t> ids;
    for (char c = 'a'; c < 'o'; ++c) {
      ids.push_back(id(std::string("my_elementwise_add_") + c + "(float*)"));
    }
    return ids;
  }();
};

TEST(PassBounds, of_gaps_with_the_same_kernels_depend_on_what_follows) {
  TwoKindsOfLayers model;
  model.add_short_layers(6);
  model.add_vocabulary();
  for (int i = 0; i < 6; ++i) {
    model.add_long_layers(6);
    model.add_vocabulary();
    model.add_short_layers(6);
    model.add_vocabulary();
  }
  model.add_long_layers(6);
  model.add_vocabulary();
  model.add_short_layers(2);  // the recording ends here
  std::size_t end = 0;
  for (const Pass& pass : model.passes()) {
    EXPECT_GE(pass.first, end);
    EXPECT_LE(pass.first, pass.layers_first);
    EXPECT_LE(pass.layers_first, pass.layers_end);
    EXPECT_LE(pass.layers_end, pass.end);
    EXPECT_LE(pass.end, model.kernels());
    end = pass.end;
  }
}

}  // namespace
}  // namespace tactus
