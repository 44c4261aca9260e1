#include "base/check.h"
#include "names/dispatcher_op.h"
#include "names/kernel_name.h"
#include "names/module_name.h"
#include "names/python_stack.h"
#include "support.h"

// A kernel's name can be anything; it is decoded as it is, and as if it were mangled. So can names
// of ranges and frames, and texts of stacks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const std::string name(reinterpret_cast<const char*>(data), size);
  for (const std::string& text : {name, "_Z" + name}) {
    const KernelName decoded = decode_kernel_name(text);
    CHECK(!family_name(decoded.family).empty());
    CHECK(decoded.op.size() <= 2 * text.size() + 64);
  }
  for (const std::string& prefix :
       {"", "nn.Module: ", "{'Module': '", "TOP(A)::f.", "File \"", "at::_ops::"}) {
    const std::string text = prefix + name;
    if (const auto step = read_module_frame(text)) CHECK(step->name.size() <= text.size());
    const ModuleRange range = read_module_range(text);
    CHECK(range.path.empty() == (range.kind == ModuleRange::Kind::kNone));
    CHECK(range.path.empty() || !steps_of_path(range.path).empty());
    CHECK(steps_of_hierarchy(text).size() <= text.size() + 1);
    if (const auto op = dispatcher_op(text)) CHECK(op->starts_with("aten::") && op->size() > 6);
    if (const auto line = line_of_traceback(text)) CHECK(!line->file.empty());
    if (const auto line = line_of_call_stack(text)) CHECK(!line->file.empty());
  }
  return 0;
}
