#include "bench/candidate/template.h"

#include <fmt/format.h>

#include "catalogue/catalogue.h"

namespace tactus {
namespace {

std::string_view c_type(NumberType type) {
  switch (type) {
    case NumberType::kFp64: return "double";
    case NumberType::kFp32: return "float";
    case NumberType::kBf16:
    case NumberType::kFp16: return "uint16_t";
    case NumberType::kInt64: return "int64_t";
    case NumberType::kInt32: return "int32_t";
    default: return "uint8_t";
  }
}

/// The tensors of the first shape of the catalogue, as an example of what to expect.
std::string tensor_lines(const std::vector<TensorSpec>& tensors, bool in) {
  std::string text;
  for (const TensorSpec& tensor : tensors) {
    text += fmt::format(
        "  {0}{1}* {2}{3} = ({0}{1}*)tactus_{4}(call, \"{2}\")->data;  // {5} [{6}]{7}\n",
        in ? "const " : "", c_type(tensor.dtype), tensor.name, in ? "" : "_out",
        in ? "input" : "output", number_type_name(tensor.dtype), fmt::join(tensor.shape, ", "),
        !in && tensor.draw != Draw::kNone ? ", changed in place" : "");
  }
  return text;
}

std::string parameter_lines(const Problem& problem) {
  std::string text;
  for (const auto& [name, value] : problem.parameters) {
    text += fmt::format("  const double {0} = tactus_value(call, \"{0}\", {1});\n", name, value);
  }
  return text;
}

/// Unused functions must not cause compiler warnings.
std::string unused_lines(const Problem& problem) {
  std::string text = " ";
  for (const TensorSpec& tensor : problem.inputs) text += fmt::format(" (void){};", tensor.name);
  for (const TensorSpec& tensor : problem.outputs)
    text += fmt::format(" (void){}_out;", tensor.name);
  for (const auto& [name, value] : problem.parameters) text += fmt::format(" (void){};", name);
  return text + "\n";
}

/// A first version of rms_norm: a candidate that is correct from the start.
constexpr std::string_view kRmsNormOnCpu = R"(
static float widened(uint16_t bits) {
  const uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static uint16_t rounded(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return (uint16_t)((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}

struct Rows {
  const uint16_t* x;
  const uint16_t* weight;
  uint16_t* out;
  int64_t hidden;
  float eps;
};

static void one_row(void* argument, int64_t row) {
  const Rows& rows = *(const Rows*)argument;
  const uint16_t* x = rows.x + row * rows.hidden;
  float squares = 0;
  for (int64_t i = 0; i < rows.hidden; ++i) squares += widened(x[i]) * widened(x[i]);
  const float scale = 1 / std::sqrt(squares / (float)rows.hidden + rows.eps);
  for (int64_t i = 0; i < rows.hidden; ++i) {
    rows.out[row * rows.hidden + i] = rounded(widened(x[i]) * scale * widened(rows.weight[i]));
  }
}

static int run(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  Rows rows = {(const uint16_t*)x->data, (const uint16_t*)tactus_input(call, "weight")->data,
               (uint16_t*)tactus_output(call, "out")->data, x->shape[1],
               (float)tactus_value(call, "eps", 1e-6)};
  call->parallel(call, x->shape[0], one_row, &rows);
  return 0;
}
)";

/// CUDA and HIP differ only in names, which begin with RT here.
constexpr std::string_view kRmsNormOnGpu = R"(
static __device__ float widened(uint16_t bits) {
  return __uint_as_float((uint32_t)bits << 16);
}

static __device__ uint16_t rounded(float value) {
  const uint32_t word = __float_as_uint(value);
  return (uint16_t)((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}

static __global__ void rows(const uint16_t* x, const uint16_t* weight, uint16_t* out,
                            int64_t hidden, float eps) {
  x += blockIdx.x * hidden;
  out += blockIdx.x * hidden;
  float squares = 0;
  for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x) {
    squares += widened(x[i]) * widened(x[i]);
  }
  __shared__ float sums[256];
  sums[threadIdx.x] = squares;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  const float scale = rsqrtf(sums[0] / hidden + eps);
  for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x) {
    out[i] = rounded(widened(x[i]) * scale * widened(weight[i]));
  }
}

static int run(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  rows<<<(unsigned)x->shape[0], 256, 0, (RTStream_t)call->stream>>>(
      (const uint16_t*)x->data, (const uint16_t*)tactus_input(call, "weight")->data,
      (uint16_t*)tactus_output(call, "out")->data, x->shape[1],
      (float)tactus_value(call, "eps", 1e-6));
  return (int)RTGetLastError();
}
)";

std::string rms_norm_on_gpu(std::string_view runtime) {
  std::string text(kRmsNormOnGpu);
  constexpr std::string_view kRuntime = "RT";
  for (std::size_t at = 0; (at = text.find(kRuntime, at)) != std::string::npos;) {
    text.replace(at, kRuntime.size(), runtime);
  }
  return text;
}

/// What differs between the languages.
struct SourceForm {
  std::string_view file;
  std::string_view device;  ///< option
  std::string_view constant;
  std::string_view includes;
  std::string rms_norm;
};

SourceForm form_of(TemplateLanguage language) {
  if (language == TemplateLanguage::kCuda) {
    return {"mine.cu", " --device cuda", "TACTUS_CUDA", "#include <cuda_runtime.h>\n",
            rms_norm_on_gpu("cuda")};
  }
  if (language == TemplateLanguage::kHip) {  // a GPU, too; its stream is a hipStream_t
    return {"mine.hip", "", "TACTUS_CUDA", "#include <hip/hip_runtime.h>\n",
            rms_norm_on_gpu("hip")};
  }
  return {"mine.cpp", " --device cpu", "TACTUS_CPU", "#include <cmath>\n#include <cstring>\n",
          std::string(kRmsNormOnCpu)};
}

std::string to_fill_in(const Problem& problem) {
  return fmt::format(
      "\nstatic int run(const tactus_call* call) {{\n"
      "  // Sizes are in tactus_input(call, NAME)->shape; those below are of one shape of many.\n"
      "{}{}{}\n"
      "  // Fill in here; docs/operators.md says what is computed.\n{}"
      "  return 0;\n}}\n",
      tensor_lines(problem.inputs, true), tensor_lines(problem.outputs, false),
      parameter_lines(problem), unused_lines(problem));
}

}  // namespace

std::string candidate_template(const OperatorDefinition& definition, TemplateLanguage language) {
  Catalogue catalogue = built_in_catalogue();
  if (!find_operator(catalogue, definition.name)) catalogue = generic_catalogue();
  const Result<const Operator*> op = find_operator(catalogue, definition.name);
  CHECK(op);
  const Result<Problem> problem = make_problem(definition, (*op)->shapes.front().parameters);
  CHECK(problem);
  if (language == TemplateLanguage::kTriton || language == TemplateLanguage::kTorch) {
    return python_template(*problem, language);
  }
  const SourceForm form = form_of(language);
  std::string text = fmt::format(
      "// {0}, as a candidate for\n//   tactus bench{1} --operator {0} --candidate {2}\n",
      definition.name, form.device, form.file);
  text += form.includes;
  text += "\n#include \"tactus/operator.h\"\n";
  if (definition.name == "rms_norm") {
    text += form.rms_norm;
  } else {
    text += to_fill_in(*problem);
  }
  return text + fmt::format(R"(
static const tactus_entry entries[] = {{{{"{}", {}, run, nullptr}}}};
static const tactus_library_v1 library = {{TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "mine",
                                          entries, 1}};

TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {{
  return &library;
}}
)",
                            definition.name, form.constant);
}

}  // namespace tactus
