// What the shells offer with the scripts of `tactus completion`.
#include <gtest/gtest.h>

#include <sstream>

#include "bench/candidate/subprocess.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

/// What a shell prints in a folder of `files`, with tactus on its PATH.
std::string answer(const std::string& shell, const std::string& script,
                   const std::vector<std::string>& files) {
  const testing::TemporaryFolder folder;
  for (const std::string& file : files) folder.write(file, "");
  const std::string tool = TACTUS_TOOL;
  const Result<ProgramOutput> output =
      run_program({"env", "PATH=" + tool.substr(0, tool.rfind('/')) + ":/usr/bin:/bin",
                   "HOME=" + folder.path().string(), "sh", "-c",
                   "cd '" + folder.path().string() + "' && exec " + shell + " \"$0\"",
                   folder.write("script", script)},
                  60);
  return output ? output->text : output.error().message;
}

/// What bash offers for the last of the words, one offer per word of the answer.
std::string offers_of_bash(const std::string& words, const std::vector<std::string>& files = {}) {
  return answer("bash",
                "source <(tactus completion bash)\n"
                "COMP_WORDS=(" +
                    words +
                    ")\n"
                    "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                    "_tactus\n"
                    "echo \"${COMPREPLY[@]}\"\n",
                files);
}

TEST(Completion, bash_knows_commands_options_and_their_values) {
  EXPECT_EQ(offers_of_bash("tactus ker"), "kernels\n");
  EXPECT_EQ(offers_of_bash("tactus kernels --b"), "--by\n");
  EXPECT_EQ(offers_of_bash("tactus kernels --by ''"),
            "kernel family operator source group module\n");
  EXPECT_EQ(offers_of_bash("tactus kernels --by = fam"), "family\n");
  EXPECT_EQ(offers_of_bash("tactus -q export run.tact --format c"), "chrome csv\n");
  EXPECT_EQ(offers_of_bash("tactus kernels --top ''"), "\n");
  EXPECT_EQ(offers_of_bash("tactus roofline rms"), "rms_norm\n");
  EXPECT_EQ(offers_of_bash("tactus roofline --hardware H2"), "H20 H200\n");
}

TEST(Completion, bash_offers_files_where_a_file_is_meant) {
  EXPECT_EQ(offers_of_bash("tactus kernels tr", {"trace one.json", "other"}), "trace one.json\n");
  EXPECT_EQ(offers_of_bash("tactus import a -o ru", {"run.tact"}), "run.tact\n");
  EXPECT_EQ(offers_of_bash("tactus bench --candidate c", {"cheap.cu"}), "cpu cuda cheap.cu\n");
  EXPECT_EQ(offers_of_bash("tactus decode ''", {"run.tact"}), "\n");
}

TEST(Completion, fish_knows_commands_options_and_their_values) {
  if (program_path("fish").empty()) GTEST_SKIP() << "there is no fish";
  const auto offers = [](const std::string& line, const std::vector<std::string>& files = {}) {
    std::istringstream lines(answer("fish --no-config",
                                    "tactus completion fish | source\ncomplete -C '" + line + "'\n",
                                    files));
    std::string words;
    for (std::string word; std::getline(lines, word);)
      words += word.substr(0, word.find('\t')) + " ";
    return words;
  };
  EXPECT_EQ(offers("tactus ker"), "kernels ");
  EXPECT_EQ(offers("tactus kernels --b"), "--by ");
  EXPECT_EQ(offers("tactus export --format c"), "chrome csv ");
  EXPECT_EQ(offers("tactus import a -o ru", {"run.tact"}), "run.tact ");
}

TEST(Completion, zsh_reads_its_script) {
  if (program_path("zsh").empty()) GTEST_SKIP() << "there is no zsh";
  const std::string said = answer("zsh -f",
                                  "autoload -Uz compinit && compinit -u -D\n"
                                  "source <(tactus completion zsh) && echo $_comps[tactus]\n",
                                  {});
  EXPECT_EQ(said, "_tactus\n");
}

TEST(Completion, a_shell_that_is_not_known_is_named) {
  const Result<ProgramOutput> output = run_program({TACTUS_TOOL, "completion", "csh"}, 60);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->exit_code, 2);
  EXPECT_NE(output->text.find("csh not in {bash,zsh,fish}"), std::string::npos) << output->text;
}

}  // namespace
}  // namespace tactus
