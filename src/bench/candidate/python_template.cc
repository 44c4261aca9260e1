#include <fmt/format.h>

#include <algorithm>

#include "bench/candidate/template.h"

namespace tactus {
namespace {

constexpr std::string_view kRmsNormInTorch = R"(
def rms_norm(x, weight, eps, out):
    wide = x.float()
    scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
    out.copy_(wide * scale * weight.float())
)";

constexpr std::string_view kRmsNormInTriton = R"(
@triton.jit
def rows(x, weight, out, hidden, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < hidden
    value = tl.load(x + row * hidden + at, mask=inside, other=0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(value * value) / hidden + eps)
    factor = tl.load(weight + at, mask=inside, other=0).to(tl.float32)
    tl.store(out + row * hidden + at, (value * scale * factor).to(out.dtype.element_ty), mask=inside)


def rms_norm(x, weight, eps, out):
    hidden = x.shape[-1]
    block = triton.next_power_of_2(hidden)
    rows[(x.numel() // hidden,)](x, weight, out, hidden, eps, BLOCK=block, num_warps=8)
)";

std::string tensor_line(const TensorSpec& tensor, std::string_view name, std::string_view what) {
  return fmt::format("    {}: {} [{}]{}\n", name, number_type_name(tensor.dtype),
                     fmt::join(tensor.shape, ", "), what);
}

/// Outputs with the name of an input get another one.
std::string output_name(const Problem& problem, const std::string& name) {
  const auto same = [&](const TensorSpec& input) { return input.name == name; };
  const bool taken = std::any_of(problem.inputs.begin(), problem.inputs.end(), same);
  return taken ? name + "_out" : name;
}

std::string function_to_fill_in(const Problem& problem) {
  std::vector<std::string> names;
  std::string lines;
  for (const TensorSpec& tensor : problem.inputs) {
    names.push_back(tensor.name);
    lines += tensor_line(tensor, tensor.name, "");
  }
  for (const auto& [name, value] : problem.parameters) {
    names.push_back(name);
    lines += fmt::format("    {} = {}\n", name, value);
  }
  for (const TensorSpec& tensor : problem.outputs) {
    names.push_back(output_name(problem, tensor.name));
    lines += tensor_line(tensor, names.back(),
                         tensor.draw != Draw::kNone ? ", changed in place" : ", to be filled");
  }
  return fmt::format(
      "\ndef {}({}):\n    \"\"\"Sizes below are of one shape of many; docs/operators.md says what "
      "is "
      "computed.\n\n{}    \"\"\"\n    raise NotImplementedError  # fill in here\n",
      problem.operator_name, fmt::join(names, ", "), lines);
}

}  // namespace

std::string python_template(const Problem& problem, TemplateLanguage language) {
  const bool triton = language == TemplateLanguage::kTriton;
  std::string text = fmt::format(
      "# {0}, as a candidate for\n#   tactus bench --device cuda --operator {0} --candidate "
      "mine.py\n# A function per operator; it gets tensors over the memory of the call and fills "
      "its "
      "outputs.\nimport torch\n",
      problem.operator_name);
  if (triton) text += "import triton\nimport triton.language as tl\n\n";
  if (!triton) text += "\n";
  if (problem.operator_name == "rms_norm") {
    return text + std::string(triton ? kRmsNormInTriton : kRmsNormInTorch);
  }
  return text + function_to_fill_in(problem);
}

}  // namespace tactus
