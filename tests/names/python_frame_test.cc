#include "names/python_frame.h"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(PythonFrame, has_file_line_and_function) {
  const PythonFrame frame = read_python_frame("vllm/worker/model.py(443): forward");
  EXPECT_EQ(frame.kind, PythonFrame::Kind::kProgram);
  EXPECT_EQ(frame.file, "vllm/worker/model.py");
  EXPECT_EQ(frame.line, 443);
  EXPECT_EQ(frame.function, "forward");
}

TEST(PythonFrame, of_pytorch_and_of_python_itself_is_plumbing) {
  for (const char* name :
       {"torch/nn/modules/module.py(1773): _wrapped_call_impl", "<frozen os>(709): __getitem__",
        "/usr/lib/python3.11/threading.py(1032): run",
        "/opt/venv/lib/python3.12/site-packages/torch/_ops.py(9): __call__"}) {
    EXPECT_EQ(read_python_frame(name).kind, PythonFrame::Kind::kPlumbing) << name;
  }
  EXPECT_EQ(read_python_frame("/opt/lib/python3.12/site-packages/vllm/a.py(1): f").kind,
            PythonFrame::Kind::kProgram);
}

TEST(PythonFrame, may_be_a_module_or_a_built_in) {
  EXPECT_EQ(read_python_frame("nn.Module: Linear_3").function, "Linear_3");
  EXPECT_EQ(read_python_frame("nn.Module: Linear_3").kind, PythonFrame::Kind::kModule);
  for (const char* name : {"<built-in function linear>", "", "odd(x): y", "): ", "a(12", "(1): "}) {
    EXPECT_NE(read_python_frame(name).kind, PythonFrame::Kind::kModule) << name;
  }
}

}  // namespace
}  // namespace tactus
