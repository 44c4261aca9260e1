#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <vector>

#include "names/kernel_name.h"
#include "names/tokens/name_tokens.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

std::string token_text(std::string_view name) {
  names::NameTokens tokens;
  names::tokenise(name, tokens);
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!text.empty()) text += ' ';
    text += tokens.is(i, names::TokenKind::kNumber) ? std::to_string(tokens[i].number)
                                                    : std::string(tokens[i].text());
  }
  return text;
}

/// The names of tests/names/name_forms.txt, three for each kernel.
std::vector<std::string> name_forms() {
  std::istringstream file(
      testing::read_file(std::string(TACTUS_ROOT) + "/tests/names/name_forms.txt"));
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && !line.starts_with('#')) names.push_back(line);
  }
  return names;
}

TEST(NameForms, say_the_same) {
  const std::vector<std::string> names = name_forms();
  ASSERT_GE(names.size(), 27U);
  ASSERT_EQ(names.size() % 3, 0U);
  for (std::size_t i = 0; i < names.size(); i += 3) {
    const KernelName mangled = decode_kernel_name(names[i]);
    EXPECT_NE(mangled.family, Family::kOther) << names[i];
    EXPECT_EQ(mangled, decode_kernel_name(names[i + 1])) << names[i + 1];
    EXPECT_EQ(mangled, decode_kernel_name(names[i + 2])) << names[i + 2];
  }
}

TEST(NameForms, give_the_same_tokens) {
  EXPECT_EQ(token_text("_ZN2at6native6kernelILi4EfEEvPT0_"), "at native kernel < 4 , float >");
  EXPECT_EQ(token_text("void at::native::kernel<(int)4, float>(T2 *)"),
            "void at native kernel < 4 , float >");
  EXPECT_EQ(token_text("void f<(bool)1, (ns::Mode)-2, unsigned long, true>(int)"),
            "void f < 1 , -2 , unsigned long , 1 >");
}

TEST(NameForms, of_anonymous_namespaces_are_left_out) {
  EXPECT_EQ(token_text("a::<unnamed>::f<int>(T1)"), "a f < int >");
  EXPECT_EQ(token_text("a::(anonymous namespace)::f<int>(int)"), "a f < int >");
  EXPECT_EQ(token_text("_ZN1a12_GLOBAL__N_11fIiEEvT_"), "a f < int >");
}

TEST(NameForms, of_lambdas_keep_their_parameters) {
  const std::string expected = "k < f ( ) lambda ( float ) >";
  EXPECT_EQ(token_text("k<f()::[lambda(float) (instance 2)]>(T1)"), expected);
  EXPECT_EQ(token_text("k<f()::{lambda(float)#2}>(int)"), expected);
  EXPECT_EQ(token_text("k<f()::'lambda0'(float)>(int)"), expected);
  EXPECT_EQ(token_text("_Z1kIZ1fvEUlfE0_EvT_"), expected);
}

TEST(NameForms, that_compare_inside_template_arguments_end_where_they_should) {
  EXPECT_EQ(
      token_text("std::enable_if<(((8)>(0)))&&a::b<c10::Half>::exists, void>::type f<int>(x)"),
      "std enable_if < ( ( ( 8 ) ( 0 ) ) ) a b < c10 Half > exists , void > type f < int >");
}

TEST(NameForms, of_kernel_descriptors_are_those_of_the_kernels) {
  EXPECT_EQ(token_text("_rmsnorm_kernel.kd"), "_rmsnorm_kernel");
  EXPECT_EQ(token_text("_ZN1a1fIiEEvT_.kd"), token_text("_ZN1a1fIiEEvT_"));
  EXPECT_EQ(token_text("void a::f<int>(int) [clone .kd]"), "void a f < int >");
  EXPECT_EQ(token_text("f [clone .kd]"), "f");
}

TEST(NameForms, that_sycl_gives_are_those_of_types) {
  EXPECT_EQ(token_text("_ZTSN1a1fIiEE"), "a f < int >");
}

TEST(NameForms, with_comparisons_of_casts_keep_their_brackets) {
  EXPECT_EQ(
      token_text("std::enable_if<T2>(int)0&&a::b<T1>::exists, void>::type f<T1, (int)8>(T1 *)"),
      "std enable_if < T2 0 a b < T1 > exists , void > type f < T1 , 8 >");
}

TEST(NameForms, of_xla_keep_their_dashes) {
  EXPECT_EQ(token_text("all-reduce-start.1"), "all-reduce-start 1");
  EXPECT_EQ(token_text("f<a-b, -1>(int)"), "f < a b , -1 >");
}

TEST(NameForms, keep_the_enums_of_numbers) {
  for (const char* name : {"void f<(int)4, (ns::Mode)2>(int)", "_Z1fILi4ELN2ns4ModeE2EEvi"}) {
    names::NameTokens tokens;
    names::tokenise(name, tokens);
    const std::size_t at = names::find_enum(tokens, "Mode");
    ASSERT_LT(at, tokens.size()) << name;
    EXPECT_EQ(tokens[at].number, 2) << name;
  }
}

TEST(NameForms, keep_numbers_that_an_int_cannot_hold) {
  for (const char* name : {"f<1125899906909960l>()", "void f<(long)1125899906909960>(int)",
                           "_Z1fILl1125899906909960EEvv"}) {
    names::NameTokens tokens;
    names::tokenise(name, tokens);
    const names::TemplateArgs args(tokens, tokens.find("f"));
    EXPECT_EQ(args.wide_number(0), 1125899906909960) << name;
    EXPECT_EQ(args.number(0), INT32_MAX) << name;
  }
}

TEST(NameForms, in_new_mangling_that_other_demanglers_refuse_are_read) {
  const KernelName name = decode_kernel_name(
      "_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EXadL_Z4siluIS2_ES3_"
      "S5_EEEEvPS3_PS4_i");
  EXPECT_EQ(name.op, "silu_and_mul");
  EXPECT_EQ(name.dtype_in, "bf16");
}

TEST(NameForms, of_garbage_are_no_kernel_and_no_crash) {
  const std::string angle(1 << 20, '<');
  std::string nested = "_Z";
  for (int i = 0; i < 100000; ++i) nested += "N1aI";
  for (const std::string& name : {std::string(),
                                  std::string("_Z"),
                                  std::string("_ZN"),
                                  std::string("_ZN9999999999a"),
                                  std::string("_ZNS_E"),
                                  std::string("_ZSZZZZZZZZ_"),
                                  std::string("\xFF\xFE\x80"),
                                  std::string("\0\0<>(", 5),
                                  std::string("(((((("),
                                  std::string(")>)>)>,,,,"),
                                  std::string("(instance "),
                                  std::string("a<(int"),
                                  std::string("-"),
                                  std::string("#"),
                                  angle,
                                  std::string(1 << 20, '('),
                                  std::string(1 << 20, 'P'),
                                  "_Z" + std::string(1 << 20, 'P'),
                                  nested,
                                  "f" + angle + std::string(1 << 20, '>')}) {
    EXPECT_EQ(decode_kernel_name(name).family, Family::kOther) << name.substr(0, 40);
  }
}

TEST(NameForms, that_were_cut_or_damaged_are_no_crash) {
  std::mt19937 random(1);
  for (const std::string& name : name_forms()) {
    for (std::size_t size = 0; size < name.size(); size += 7) {
      decode_kernel_name(std::string_view(name).substr(0, size));
      std::string damaged = name;
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
      decode_kernel_name(damaged);
    }
  }
}

}  // namespace
}  // namespace tactus
