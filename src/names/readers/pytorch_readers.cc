#include "names/readers/pytorch_readers.h"

#include "names/dtype_words.h"
#include "names/tokens/pieces.h"

namespace tactus::names {
namespace {

struct Loop {
  std::string_view kernel;
  std::string_view function;  ///< in CUDALoops.cuh, that launches it
};

constexpr auto kLoops = std::to_array<Loop>({
    {"vectorized_elementwise_kernel", "launch_vectorized_kernel"},
    {"vectorized_templated_elementwise_kernel", "launch_vectorized_templated_kernel"},
    {"unrolled_elementwise_kernel", "launch_unrolled_kernel"},
    {"elementwise_kernel", "launch_legacy_kernel"},
    {"elementwise_kernel_manual_unroll", "launch_legacy_kernel_manual_unroll"},
});

void read_loop(const NameTokens& tokens, KernelName& name) {
  for (const Loop& loop : kLoops) {
    const std::size_t at = tokens.find(loop.kernel);
    if (at == tokens.size()) continue;
    if (loop.kernel.starts_with("vectorized")) {
      name.vector_width = TemplateArgs(tokens, at).number(0);
    }
    if (!name.launcher) {
      name.launcher = {"pytorch/aten/src/ATen/native/cuda/CUDALoops.cuh", loop.function, true};
    }
    return;
  }
}

/// The parameters of the last lambda after `at` inside the same template argument: a functor that
/// is a lambda in a lambda in a function has its types there.
TokenRange innermost_lambda(const NameTokens& tokens, std::size_t at) {
  TokenRange parameters{};
  std::size_t depth = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    switch (tokens[i].kind) {
      case TokenKind::kOpenArgs:
      case TokenKind::kOpenParen: ++depth; break;
      case TokenKind::kCloseArgs:
      case TokenKind::kCloseParen:
        if (depth == 0) return parameters;
        --depth;
        break;
      case TokenKind::kComma:
        if (depth == 0) return parameters;
        break;
      case TokenKind::kWord:
        if (depth == 0 && tokens[i].text() == "lambda" && tokens.is(i + 1, TokenKind::kOpenParen)) {
          parameters.begin = i + 2;
          parameters.end = parameters.begin;
          std::size_t inner = 0;
          while (parameters.end < tokens.size()) {
            const TokenKind kind = tokens[parameters.end].kind;
            if (kind == TokenKind::kOpenParen) ++inner;
            if (kind == TokenKind::kCloseParen && inner-- == 0) break;
            ++parameters.end;
          }
        }
        break;
      case TokenKind::kNumber: break;
    }
  }
  return parameters;
}

/// The first dtype that is not bool, else bool: masks are next to the values that they select.
std::string_view value_dtype(const NameTokens& tokens, TokenRange range) {
  std::string_view dtype = first_dtype(tokens, range);
  if (dtype != "bool") return dtype;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const std::string_view here = first_dtype(tokens, {i, i + 1});
    if (!here.empty() && here != "bool") return here;
  }
  return dtype;
}

bool has_word(const NameTokens& tokens, std::string_view word) {
  return tokens.find(word) != tokens.size();
}

}  // namespace

void read_functor(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_loop(tokens, name);
  for (const std::string_view loop : {"BinaryFunctor", "BUnaryFunctor", "AUnaryFunctor"}) {
    const std::size_t place = tokens.find(loop);
    if (place >= at || place == tokens.size()) continue;
    const TemplateArgs args(tokens, place);  // left, right, result, functor
    name.dtype_in = args.dtype(0);
    name.dtype_out = args.dtype(2);
    return;
  }
  set_dtype(name, value_dtype(tokens, innermost_lambda(tokens, at)));
  if (name.dtype_in.empty()) set_dtype(name, value_dtype(tokens, TemplateArgs(tokens, at).all()));
}

void read_unknown_functor(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_functor(tokens, at, name);
  const TokenRange args = TemplateArgs(tokens, at).all();
  for (std::size_t i = args.begin; i < args.end; ++i) {
    if (!tokens.is(i, TokenKind::kWord)) continue;
    if (tokens[i].text().starts_with("gpu_")) continue;  // the loop
    for (const std::string_view end :
         {"_cuda_kernel", "_kernel_cuda", "_kernel_gpu", "_kernel_impl", "_kernel"}) {
      if (!tokens[i].text().ends_with(end)) continue;
      name.op = tokens[i].text().substr(0, tokens[i].size - end.size());
      return;
    }
  }
}

void read_comparison(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_functor(tokens, at, name);
  name.dtype_out = "bool";
}

void read_copy(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_functor(tokens, at, name);
  if (has_word(tokens, "LoadWithCast") || has_word(tokens, "gpu_kernel_impl")) {
    name.op = "cast";
    name.dtype_in = {};
  }
}

void read_cast_to_bf16(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_functor(tokens, at, name);
  name.dtype_out = "bf16";
}

void read_cast_to_fp16(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_functor(tokens, at, name);
  name.dtype_out = "fp16";
}

void read_cast_to_fp32(const NameTokens& tokens, std::size_t at, KernelName& name) {
  read_functor(tokens, at, name);
  name.dtype_out = "fp32";
}

void read_opaque(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const std::size_t opaque = tokens.find("OpaqueType", at);
  if (opaque == tokens.size()) {
    read_dtype(tokens, at, name);
    return;
  }
  if (const auto bytes = TemplateArgs(tokens, opaque).number(0)) {
    set_dtype(name, bytes_dtype(*bytes));
  }
}

void read_gather(const NameTokens& tokens, std::size_t at, KernelName& name) {
  if (const auto bytes = TemplateArgs(tokens, at).number(0)) set_dtype(name, bytes_dtype(*bytes));
}

void read_reduce(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const std::size_t op = tokens.find("ReduceOp");
  if (op == tokens.size()) {
    read_functor(tokens, at, name);
    return;
  }
  const TemplateArgs args(tokens, op);
  name.dtype_in = args.dtype(0);
  name.dtype_out = args.dtype(3);
}

void read_scan(const NameTokens& tokens, std::size_t at, KernelName& name) {
  const std::size_t state = tokens.find("ScanTileState", at);
  if (state != tokens.size()) set_dtype(name, TemplateArgs(tokens, state).dtype(0));
  if (has_word(tokens, "DeviceScanPolicy")) {
    name.era = "CUDA <= 12.6";
  } else if (has_word(tokens, "policy_hub")) {
    name.era = "CUDA >= 12.8";
  }
}

}  // namespace tactus::names
