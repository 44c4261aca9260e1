#include "support/sample_roofline.h"

namespace tactus::testing {
namespace {

constexpr std::string_view kCatalogue = R"({"format": "tactus catalogue 1",
 "source": "made up <for> tests",
 "operators": [
  {"name": "rms_norm", "id": "own_001", "dtype": "bf16", "importance": 0.75,
   "shapes": [
    {"id": "2", "label": "small, |<b>", "framework": "vllm", "tp": 1, "phase": "decode",
     "params": {"tokens": 1, "hidden": 1024},
     "deployed": [{"hardware": "Fast", "framework": "vllm", "t_us": 4.0}]},
    {"id": "10", "label": "large", "framework": "sglang/vllm", "tp": 4, "phase": "prefill",
     "params": {"tokens": 1000000, "hidden": 1024},
     "deployed": [{"hardware": "Fast", "framework": "vllm", "t_us": 8192.0}]}]},
  {"name": "gemm", "dtype": "int8", "importance": 0.5,
   "shapes": [{"id": "0", "label": "square", "params": {"m": 4096, "n": 4096, "k": 4096}}]}]})";

}  // namespace

SampleRoofline::SampleRoofline() {
  catalogue = *read_catalogue(kCatalogue, "catalogue.json");
  const auto figure = [](double value) { return Figure{value, "a test", "2026"}; };
  const auto at = [](NumberType type) { return static_cast<std::size_t>(type); };
  fast.name = "Fast";
  fast.memory_bandwidth = figure(1e12);
  fast.tensor_flops[at(NumberType::kBf16)] = figure(100e12);
  fast.tensor_flops[at(NumberType::kInt8)] = figure(100e12);
  fast.vector_flops[at(NumberType::kBf16)] = figure(10e12);
  fast.vector_flops[at(NumberType::kFp32)] = figure(10e12);
  fast.launch_floor_ns = figure(2000);
  slow.name = "Slow";
  slow.memory_bandwidth = figure(100e9);
  slow.vector_flops[at(NumberType::kBf16)] = figure(1e12);
  slow.vector_flops[at(NumberType::kFp32)] = figure(1e12);
}

Roofline SampleRoofline::roofline(const RooflineQuestion& question) const {
  const HardwareProfile* const machines[] = {&fast, &slow};
  return *make_roofline(catalogue, machines, {}, question);
}

Roofline SampleRoofline::roofline(CostModel model) const {
  RooflineQuestion question;
  question.model = model;
  return roofline(question);
}

}  // namespace tactus::testing
