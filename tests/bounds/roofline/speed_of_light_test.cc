#include "bounds/roofline/speed_of_light.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

/// Rates per ns.
HardwareProfile machine_with(const std::vector<std::pair<NumberType, double>>& tensor,
                             double vector) {
  HardwareProfile machine;
  machine.memory_bandwidth.value = 1e30;
  const auto set = [](auto& rates, NumberType type, double rate) {
    rates[static_cast<std::size_t>(type)] = Figure{.value = rate * 1e9, .source = {}, .date = {}};
  };
  for (const auto& [type, rate] : tensor) set(machine.tensor_flops, type, rate);
  set(machine.vector_flops, NumberType::kFp32, vector);
  return machine;
}

double time_of(const HardwareProfile& machine, NumberType type, double operand_bits) {
  const Cost cost = {
      .work = {{Engine::kTensor, type, 1200, operand_bits}}, .read_bytes = 1, .write_bytes = 1};
  return speed_of_light(cost, machine, CostModel::kStrict)->t_ns;
}

TEST(SpeedOfLight, splits_operands_that_need_more_bits) {
  const HardwareProfile machine = machine_with({{NumberType::kFp8E4m3, 8},
                                                {NumberType::kBf16, 4},
                                                {NumberType::kFp16, 4},
                                                {NumberType::kTf32, 2}},
                                               1);
  EXPECT_DOUBLE_EQ(time_of(machine, NumberType::kBf16, 0), 300);
  EXPECT_DOUBLE_EQ(time_of(machine, NumberType::kBf16, 8), 300) << "it has 8 bits";
  EXPECT_DOUBLE_EQ(time_of(machine, NumberType::kBf16, 20), 600) << "two parts in fp16";
  EXPECT_DOUBLE_EQ(time_of(machine, NumberType::kBf16, 24), 900) << "three parts";
  EXPECT_DOUBLE_EQ(time_of(machine, NumberType::kFp8E4m3, 0), 150);
  EXPECT_DOUBLE_EQ(time_of(machine, NumberType::kFp8E4m3, 8), 300) << "in bf16, or two parts";
}

TEST(SpeedOfLight, takes_the_vector_units_if_they_are_faster_than_parts) {
  const HardwareProfile cpu = machine_with({{NumberType::kBf16, 2}}, 1);
  EXPECT_DOUBLE_EQ(time_of(cpu, NumberType::kBf16, 0), 600);
  EXPECT_DOUBLE_EQ(time_of(cpu, NumberType::kBf16, 20), 1200);
  EXPECT_DOUBLE_EQ(time_of(cpu, NumberType::kFp8E4m3, 8), 600) << "bf16 has all bits";
}

}  // namespace
}  // namespace tactus
