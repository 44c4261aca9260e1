#include "names/python_stack.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

std::string text_of(const std::optional<PythonLine>& line) {
  if (!line) return "none";
  return std::string(line->file) + ":" + std::to_string(line->line) + " " +
         std::string(line->function);
}

TEST(PythonStack, of_a_traceback_has_the_line_of_the_program_that_runs) {
  EXPECT_EQ(text_of(line_of_traceback("  File \"main.py\", line 9, in <module>\n    run()\n"
                                      "  File \"/m/llama.py\", line 217, in forward\n"
                                      "    x = self.mlp(x)\n"
                                      "  File \"torch/nn/functional.py\", line 2, in linear\n")),
            "/m/llama.py:217 forward");
  EXPECT_EQ(text_of(line_of_traceback("File \"torch/a.py\", line 3")), "torch/a.py:3 ");
  for (const char* odd : {"", "File \"", "File \"a.py\", line x", "No model stack trace available",
                          "File \"a.py\", line 99999999999999999999, in f", "\n\n"}) {
    EXPECT_EQ(text_of(line_of_traceback(odd)), "none") << odd;
  }
}

TEST(PythonStack, of_old_versions_has_the_innermost_frame_first) {
  EXPECT_EQ(text_of(line_of_call_stack("torch/nn/functional.py(1753): linear;"
                                       "model.py(217): forward;main.py(40): <module>;")),
            "model.py:217 forward");
}

TEST(PythonStack, of_newer_versions_has_no_line_of_a_call) {
  EXPECT_EQ(text_of(line_of_call_stack("main.py(104): <module>;naive_attn.py(71): run_model;")),
            "none");
  EXPECT_EQ(text_of(line_of_call_stack("a.py(1): f;nn.Module: Sequential_0;b.py(2): g")), "none");
  EXPECT_EQ(text_of(line_of_call_stack("a.py(1): f;<built-in method permute>;")), "none");
  EXPECT_EQ(text_of(line_of_call_stack("")), "none");
  EXPECT_EQ(text_of(line_of_call_stack(";;;")), "none");
}

}  // namespace
}  // namespace tactus
