#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hardware/profile.h"
#include "support/files.h"

namespace tactus {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kSmall =
    "name = \"Mine\"\n"
    "[memory]\n"
    "bandwidth = { bytes_per_s = 1e12, source = \"data sheet\", date = \"2025-01\" }\n";

std::string error_of(std::string_view text) {
  const auto profile = read_hardware_profile(text, "mine.toml");
  return profile ? "no error" : profile.error().message;
}

/// `lines` come after a name and a bandwidth, as line 4 and on.
std::string error_after_small(std::string_view lines) {
  return error_of(std::string(kSmall) + std::string(lines));
}

TEST(ReadHardware, needs_no_more_than_a_name_and_a_bandwidth) {
  const auto profile = read_hardware_profile(kSmall, "mine.toml");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->name, "Mine");
  EXPECT_EQ(profile->memory_bandwidth.value, 1e12);
  EXPECT_EQ(profile->memory_bandwidth.source, "data sheet");
  EXPECT_EQ(profile->memory_bandwidth.date, "2025-01");
  EXPECT_FALSE(profile->peak(Engine::kTensor, NumberType::kBf16));
  EXPECT_FALSE(profile->launch_floor_ns);
}

TEST(ReadHardware, takes_sections_and_whole_numbers) {
  const auto profile = read_hardware_profile(std::string(kSmall) +
                                                 "[tensor.bf16]\nflops = 989500000000000\n"
                                                 "source = \"data sheet\"\n"
                                                 "[launch_floor]\nns = 900\n",
                                             "mine.toml");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->peak(Engine::kTensor, NumberType::kBf16), 989.5e12);
  EXPECT_EQ(profile->launch_floor_ns->value, 900);
}

TEST(ReadHardware, gives_the_source_of_the_file_to_figures_without_one) {
  const auto profile = read_hardware_profile(
      "name = \"Mine\"\nsource = \"my data sheet\"\ndate = \"2025\"\n"
      "memory.bandwidth = { bytes_per_s = 1e12 }\n"
      "vector.fp32 = { flops = 1e12, source = \"measured\" }\n",
      "mine.toml");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->memory_bandwidth.source, "my data sheet");
  const auto& fp32 = profile->vector_flops[static_cast<std::size_t>(NumberType::kFp32)];
  EXPECT_EQ(fp32->source, "measured");
  EXPECT_EQ(fp32->date, "2025");
}

TEST(ReadHardware, takes_any_language_in_texts_and_comments) {
  const auto profile = read_hardware_profile(
      "# \xe6\x98\xbe\xe5\xad\x98\nname = \"K\xc3\xbc"
      "che \xf0\x9f\x8d\xb3\"\n"
      "memory.bandwidth = { bytes_per_s = 1e12 } # \xc3\xa4\n",
      "mine.toml");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->name,
            "K\xc3\xbc"
            "che \xf0\x9f\x8d\xb3");
}

TEST(ReadHardware, says_what_is_missing) {
  EXPECT_THAT(error_of(""), HasSubstr("mine.toml: line 1: no name"));
  EXPECT_THAT(error_of("name = \"\"\n"), HasSubstr("line 1: name is empty"));
  EXPECT_THAT(error_of("name = \"Mine\"\n"), HasSubstr("no memory bandwidth; write [memory]"));
  EXPECT_THAT(error_of("name = \"Mine\"\n\n[memory]\nsize = { bytes = 1e9 }\n"),
              HasSubstr("mine.toml: line 3: no memory bandwidth"));
  EXPECT_THAT(error_after_small("[tensor]\nbf16 = { source = \"x\" }\n"),
              HasSubstr("line 5: tensor.bf16 has no flops"));
}

TEST(ReadHardware, takes_no_peak_that_is_none) {
  for (const char* value : {"0", "-1e12", "nan", "inf", "-inf", "0.0"}) {
    EXPECT_EQ(error_after_small("[tensor]\nbf16 = { flops = " + std::string(value) + " }\n"),
              "mine.toml: line 5: tensor.bf16: flops must be above 0; leave the line out if it is "
              "not known")
        << value;
  }
  EXPECT_THAT(error_after_small("[tensor]\nbf16 = { flops = \"989.5e12\" }\n"),
              HasSubstr("tensor.bf16: flops must be a number"));
  EXPECT_THAT(error_after_small("[tensor]\nbf16 = { flops = 989.5 }\n"),
              HasSubstr("too small; the unit is flops, write 989.5e12"));
  EXPECT_THAT(error_after_small("[tensor]\nbf16 = 989.5e12\n"),
              HasSubstr("tensor.bf16 must be written as { flops = ..."));
  EXPECT_THAT(error_after_small("[launch_floor]\nns = -3\n"),
              HasSubstr("launch_floor: ns must be above 0"));
}

TEST(ReadHardware, names_the_nearest_key_for_a_typing_error) {
  EXPECT_EQ(error_after_small("[tensr]\nbf16 = { flops = 1e12 }\n"),
            "mine.toml: line 4: unknown key \"tensr\"; did you mean \"tensor\"?");
  EXPECT_EQ(error_after_small("[tensor]\nbfloat16 = { flops = 1e12 }\n"),
            "mine.toml: line 5: unknown key \"bfloat16\" in [tensor]; did you mean \"bf16\"?");
  EXPECT_EQ(error_after_small("[tensor]\nbf16 = { flop = 1e12 }\n"),
            "mine.toml: line 5: unknown key \"flop\" in [tensor.bf16]; did you mean \"flops\"?");
  EXPECT_EQ(error_after_small("[l2]\nassociativity_of_the_cache = 4\n"),
            "mine.toml: line 5: unknown key \"associativity_of_the_cache\" in [l2]; the known keys "
            "are bandwidth, size");
}

TEST(ReadHardware, takes_no_other_types) {
  EXPECT_THAT(error_of("name = 5\n"), HasSubstr("line 1: name must be a string in quotes"));
  EXPECT_THAT(error_of("name = \"a\\nb\"\n"), HasSubstr("name must be one line of text"));
  EXPECT_THAT(error_of("name = \"a\"\nmemory = 4\n"),
              HasSubstr("line 2: memory must be a section: [memory]"));
  EXPECT_THAT(error_after_small("[[tensor]]\nbf16 = 4\n"), HasSubstr("tensor must be a section"));
  EXPECT_THAT(error_of("device_names = \"H200\"\nname = \"a\"\n"),
              HasSubstr("device_names must be a list"));
  EXPECT_THAT(error_of("device_names = [1]\nname = \"a\"\n"),
              HasSubstr("device_names must be a list of strings"));
  EXPECT_THAT(error_after_small("[vector]\nfp32 = { flops = 1e12, date = 2024-11-01 }\n"),
              HasSubstr("line 5: date must be a string in quotes"));
}

TEST(ReadHardware, says_where_a_file_stops_being_toml) {
  EXPECT_THAT(error_of("name = \"Mine\"\nmemory = {\n"), HasSubstr("mine.toml: line 2: not TOML"));
  EXPECT_THAT(error_of("name = \"a\"\nname = \"b\"\n"), HasSubstr("line 2: not TOML"));
  EXPECT_THAT(error_of(std::string_view("\x7f\x45LF\x02\x01\0\0\xff\xfe", 10)),
              HasSubstr("mine.toml: not TOML: not UTF-8"));
  EXPECT_THAT(error_of(std::string_view("name = \0", 8)), HasSubstr("line 1: not TOML"));
  EXPECT_THAT(error_of("n\xca\x9c = 1\n"), HasSubstr("line 1: not TOML"));
  EXPECT_THAT(error_of("{\"name\": \"H200\"}"), HasSubstr("line 1: not TOML"));
  EXPECT_THAT(error_of("a.b.c = [{x = [[}]1]]\n"), HasSubstr("line 1: not TOML"));
}

TEST(ReadHardware, survives_what_is_nested_or_huge) {
  std::string deep = "a = ";
  deep.append(30000, '[');
  EXPECT_THAT(error_of(deep), HasSubstr("not TOML"));
  std::string dotted = "a";
  for (int i = 0; i < 30000; ++i) dotted += ".a";
  EXPECT_THAT(error_of(dotted + " = 1"), HasSubstr("line 1: nested too deeply"));
  EXPECT_THAT(error_of("\n[" + dotted + "]\n"), HasSubstr("line 2: nested too deeply"));
  EXPECT_THAT(error_of(std::string(1 << 20, '\n')), HasSubstr("larger than 64 kB"));
}

TEST(ReadHardware, reads_a_file_of_the_user) {
  const testing::TemporaryFolder folder;
  const auto profile = read_hardware_file(folder.write("mine.toml", kSmall));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->name, "Mine");
  const auto missing = read_hardware_file(folder.file("none.toml"));
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("none.toml: cannot open"));
  EXPECT_FALSE(read_hardware_file(folder.path().string()));
  EXPECT_FALSE(read_hardware_file("/dev/zero"));
}

TEST(WriteHardware, reads_back_as_it_was) {
  HardwareProfile profile = {.name = "odd \"name\" \\", .variant = "\xc3\xa4", .arch = "sm_90"};
  profile.device_names = {"NVIDIA H200", "a\tb"};
  profile.memory_bandwidth = {.value = 1.0 / 3 * 1e13, .source = "measured", .date = "2026-11-15"};
  profile.l2_size = Figure{.value = 62914560};
  profile.launch_floor_ns = Figure{.value = 1234.5, .source = "", .date = "today"};
  profile.tensor_flops[static_cast<std::size_t>(NumberType::kFp4E2m1)] =
      Figure{.value = 9e15, .source = "x", .date = "2025"};
  const std::string text = hardware_profile_text(profile);
  const auto read = read_hardware_profile(text, "written.toml");
  ASSERT_TRUE(read) << read.error().message << "\n" << text;
  EXPECT_EQ(hardware_profile_text(*read), text);
  EXPECT_EQ(read->name, profile.name);
  EXPECT_EQ(read->variant, profile.variant);
  EXPECT_EQ(read->device_names, profile.device_names);
  EXPECT_EQ(read->memory_bandwidth.value, profile.memory_bandwidth.value);
  EXPECT_EQ(read->launch_floor_ns->value, 1234.5);
  EXPECT_EQ(read->peak(Engine::kTensor, NumberType::kFp4E2m1), 9e15);
}

TEST(WriteHardware, repairs_what_is_not_utf8) {
  HardwareProfile profile = {.name = "a\xff"};
  profile.memory_bandwidth = {.value = 1e12};
  EXPECT_TRUE(read_hardware_profile(hardware_profile_text(profile), "written.toml"));
}

}  // namespace
}  // namespace tactus
