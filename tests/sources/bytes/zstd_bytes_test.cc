#include <gtest/gtest.h>
#include <zstd.h>

#include "sources/bytes/input_bytes.h"
#include "support/files.h"

namespace tactus {
namespace {

/// A frame of a stream of unknown length, as `zstd --long=LOG` writes when its input is a pipe.
std::string frame(std::string_view text, int window_log = 0) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  std::string out(ZSTD_compressBound(text.size()) + 64, '\0');
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  ZSTD_inBuffer from{text.data(), text.size(), 0};
  ZSTD_compressStream2(context, &to, &from, ZSTD_e_continue);
  EXPECT_EQ(ZSTD_compressStream2(context, &to, &from, ZSTD_e_end), 0U);
  ZSTD_freeCCtx(context);
  out.resize(to.pos);
  return out;
}

/// A frame that readers skip. `kind` is 0 to 15.
std::string skippable(std::size_t bytes, int kind = 0) {
  std::string out = {static_cast<char>(0x50 + kind), '\x2A', '\x4D', '\x18'};
  for (int byte = 0; byte < 4; ++byte) out.push_back(static_cast<char>(bytes >> 8 * byte & 0xFF));
  return out + std::string(bytes, '{');
}

struct Outcome {
  std::string text;
  std::string error;
  std::string problem;
  bool cut_short = false;
};

Outcome read(const std::string& bytes) {
  const testing::TemporaryFolder folder;
  Result<std::unique_ptr<InputBytes>> input = InputBytes::open(folder.write("input.zst", bytes));
  EXPECT_TRUE(input);
  Outcome outcome;
  const Result<std::string> text = read_all(**input, 1 << 24);
  if (text) outcome.text = *text;
  if (!text) outcome.error = text.error().message;
  outcome.problem = (*input)->problem();
  outcome.cut_short = (*input)->cut_short();
  return outcome;
}

TEST(ZstdBytes, of_several_frames_are_one_text) {
  const Outcome outcome = read(frame("one, ") + frame("") + frame("two"));
  EXPECT_EQ(outcome.text, "one, two");
  EXPECT_EQ(outcome.problem, "");
}

TEST(ZstdBytes, may_have_frames_to_skip_anywhere) {
  for (const int kind : {0, 7, 15}) {
    EXPECT_EQ(read(skippable(3, kind) + frame("text")).text, "text") << kind;
  }
  const std::string everywhere = skippable(0) + skippable(200'000) + frame("one, ") + skippable(9) +
                                 frame("two") + skippable(100'000, 1);
  const Outcome outcome = read(everywhere);
  EXPECT_EQ(outcome.text, "one, two");
  EXPECT_EQ(outcome.problem, "");
}

TEST(ZstdBytes, of_nothing_but_frames_to_skip_are_empty) {
  const Outcome outcome = read(skippable(70'000));
  EXPECT_EQ(outcome.text, "");
  EXPECT_EQ(outcome.error + outcome.problem, "");
}

TEST(ZstdBytes, may_have_a_window_of_2_gib) {
  for (const int log : {20, 27, 28, 31}) {
    const Outcome outcome = read(frame("a long window", log));
    EXPECT_EQ(outcome.text, "a long window") << log;
    EXPECT_EQ(outcome.error + outcome.problem, "") << log;
  }
}

TEST(ZstdBytes, with_a_larger_window_say_what_to_do) {
  std::string bytes = frame("too much", 31);
  bytes[5] = static_cast<char>((32 - 10) << 3);  // the window, after the magic number and the flags
  for (const std::string& before : {std::string(), skippable(5), frame("something before")}) {
    const Outcome outcome = read(before + bytes);
    EXPECT_NE(outcome.error.find("input.zst: needs a window of more than 2 GiB"), std::string::npos)
        << outcome.error;
    EXPECT_NE(outcome.error.find("--long=31"), std::string::npos) << outcome.error;
  }
}

TEST(ZstdBytes, that_end_early_keep_what_is_there) {
  const std::string whole = frame("one, ") + skippable(10);
  const Outcome outcome = read(whole.substr(0, whole.size() - 5));
  EXPECT_EQ(outcome.text, "one, ");
  EXPECT_NE(outcome.problem.find("ends early"), std::string::npos) << outcome.problem;
  EXPECT_TRUE(outcome.cut_short);
}

TEST(ZstdBytes, are_told_from_what_follows_them) {
  const Outcome other = read(frame("text") + "something else");
  EXPECT_EQ(other.text, "text");
  EXPECT_NE(other.problem.find("is not zstd"), std::string::npos) << other.problem;
  EXPECT_FALSE(other.cut_short);

  std::string damaged = frame("text");
  damaged[4] = static_cast<char>(damaged[4] | 0x08);  // a bit that must be 0
  const Outcome outcome = read(damaged);
  EXPECT_NE(outcome.problem.find("damaged near byte"), std::string::npos) << outcome.problem;
  EXPECT_TRUE(outcome.cut_short);
}

}  // namespace
}  // namespace tactus
