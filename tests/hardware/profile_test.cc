#include "hardware/profile.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/json.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

std::string all_names() {
  std::string names;
  for (const HardwareProfile& profile : built_in_hardware()) names += profile.name + ", ";
  return names;
}

TEST(BuiltInHardware, is_every_file_of_the_folder_and_on_the_page) {
  const std::string page = testing::read_file(TACTUS_ROOT "/docs/hardware.md");
  for (const HardwareProfile& profile : built_in_hardware()) {
    EXPECT_NE(page.find("\n| " + profile.name + " |"), std::string::npos) << profile.name;
  }
  const std::filesystem::directory_iterator files(TACTUS_ROOT "/data/hardware");
  EXPECT_EQ(std::distance(begin(files), end(files)), std::ssize(built_in_hardware()));
}

TEST(BuiltInHardware, says_where_each_figure_comes_from) {
  for (const HardwareProfile& profile : built_in_hardware()) {
    const auto check = [&](const std::optional<Figure>& figure) {
      if (!figure) return;
      EXPECT_FALSE(figure->source.empty()) << profile.name;
      EXPECT_TRUE(figure->date.starts_with("20")) << profile.name << ": " << figure->date;
    };
    for (const auto& figure : profile.tensor_flops) check(figure);
    for (const auto& figure : profile.vector_flops) check(figure);
    check(profile.memory_bandwidth);
    check(profile.memory_size);
    check(profile.l2_size);
    check(profile.l2_bandwidth);
    check(profile.launch_floor_ns);
    EXPECT_TRUE(profile.peak(Engine::kVector, NumberType::kFp32)) << profile.name;
    EXPECT_TRUE(profile.peak(Engine::kTensor, NumberType::kBf16)) << profile.name;
  }
}

TEST(BuiltInHardware, has_dense_rates_where_halving_the_type_at_most_doubles_the_rate) {
  for (const HardwareProfile& profile : built_in_hardware()) {
    const auto tensor = [&](NumberType type) {
      return profile.peak(Engine::kTensor, type).value_or(0);
    };
    EXPECT_EQ(tensor(NumberType::kBf16), tensor(NumberType::kFp16)) << profile.name;
    EXPECT_LE(tensor(NumberType::kFp8E4m3), 2.05 * tensor(NumberType::kBf16)) << profile.name;
    EXPECT_LE(tensor(NumberType::kTf32), 0.51 * tensor(NumberType::kBf16)) << profile.name;
  }
}

TEST(BuiltInHardware, agrees_with_the_published_figures) {
  const auto path = testing::shared_file("data/operators/hardware.json");
  if (!path) GTEST_SKIP() << "no shared data here";
  const auto published = Json::parse(testing::read_file(*path)).at("hardware");
  int compared = 0;
  for (const auto& [name, machine] : published.items()) {
    const auto profile = find_hardware(name);
    ASSERT_TRUE(profile) << name;
    EXPECT_EQ((*profile)->memory_bandwidth.value, machine.at("hbm").get<double>());
    for (const auto& [path_name, flops] : machine.at("flops").items()) {
      const bool tf32 = path_name == "fp32_tf32";
      const auto type = number_type_of(tf32 ? "tf32" : path_name);
      ASSERT_TRUE(type) << path_name;
      const Engine engine = path_name == "fp32" ? Engine::kVector : Engine::kTensor;
      EXPECT_EQ((*profile)->peak(engine, *type), flops.get<double>()) << name << " " << path_name;
      ++compared;
    }
    if (name != "H200") {  // nothing beyond what was published for those two
      int peaks = 0;
      for (const auto& figure : (*profile)->tensor_flops) peaks += figure ? 1 : 0;
      for (const auto& figure : (*profile)->vector_flops) peaks += figure ? 1 : 0;
      EXPECT_EQ(peaks, static_cast<int>(machine.at("flops").size())) << name;
    }
  }
  EXPECT_EQ(compared, 14);
}

TEST(BuiltInHardware, xpu_a_has_no_tf32) {
  const auto profile = find_hardware("XPU-A");
  ASSERT_TRUE(profile);
  EXPECT_FALSE((*profile)->peak(Engine::kTensor, NumberType::kTf32));
}

TEST(BuiltInHardware, is_in_the_binary_as_it_is_in_the_files) {
  for (const HardwareProfile& profile : built_in_hardware()) {
    std::string file = profile.name;
    for (char& c : file) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto read = read_hardware_file(TACTUS_ROOT "/data/hardware/" + file + ".toml");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(hardware_profile_text(*read), hardware_profile_text(profile));
  }
}

TEST(FindHardware, takes_any_case) {
  for (const char* name : {"xpu-a", "XPU-A", "Xpu-a"}) {
    const auto profile = find_hardware(name);
    ASSERT_TRUE(profile) << name;
    EXPECT_EQ((*profile)->name, "XPU-A");
  }
}

TEST(FindHardware, names_the_nearest_and_all_of_them) {
  const auto profile = find_hardware("mi300");
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, ErrorCode::kUsage);
  EXPECT_EQ(profile.error().message,
            "no hardware profile is called \"mi300\"; did you mean MI300X? There are " +
                all_names() +
                "host and cuda (measured here), and any TOML file (docs/hardware.md)");
  const auto strange = find_hardware("abacus of wood");
  ASSERT_FALSE(strange);
  EXPECT_TRUE(strange.error().message.starts_with(
      "no hardware profile is called \"abacus of wood\". There are " + all_names()));
}

std::string profile_of(std::string_view device_name) {
  const HardwareProfile* profile = hardware_of_device(device_name);
  return profile == nullptr ? "none" : profile->name;
}

TEST(HardwareOfDevice, knows_what_drivers_call_a_machine) {
  EXPECT_EQ(profile_of("NVIDIA H100 80GB HBM3"), "H100");
  EXPECT_EQ(profile_of("NVIDIA H200"), "H200");
  EXPECT_EQ(profile_of("NVIDIA H20"), "H20");
  EXPECT_EQ(profile_of("NVIDIA A100-SXM4-80GB"), "A100");
  EXPECT_EQ(profile_of("A100-SXM4-80GB"), "A100");
  EXPECT_EQ(profile_of("nvidia l40s "), "L40S");
  EXPECT_EQ(profile_of("NVIDIA B200"), "B200");
  EXPECT_EQ(profile_of("AMD Instinct MI300X"), "MI300X");
}

TEST(HardwareOfDevice, takes_no_variant_with_other_figures) {
  for (const char* name :
       {"NVIDIA H100 PCIe", "NVIDIA H100 NVL", "NVIDIA H200 NVL", "NVIDIA A100-SXM4-40GB",
        "NVIDIA A100 80GB PCIe", "NVIDIA GB200", "NVIDIA L40", "NVIDIA H20-3e",
        "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "NVIDIA GeForce RTX 4090", "NVIDIA", ""}) {
    EXPECT_EQ(profile_of(name), "none") << name;
  }
}

}  // namespace
}  // namespace tactus
