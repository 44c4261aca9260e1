#include "names/guess/guess.h"

#include <string>

#include "names/dtype_words.h"
#include "names/guess/generated_names.h"
#include "names/guess/hints.h"
#include "names/readers/quantised_readers.h"
#include "names/tokens/pieces.h"
#include "names/tokens/qualified_name.h"
#include "names/wrappers.h"

namespace tactus::names {
namespace {

struct LibraryName {
  std::string_view scope;  ///< as a namespace
  std::string_view library;
};

// A library's name says who made a kernel and nothing about what it does: fbgemm_gpu permutes,
// cuDNN normalises.
constexpr auto kLibraries = std::to_array<LibraryName>({
    {"fbgemm_gpu", "fbgemm"},
    {"fbgemm", "fbgemm"},
    {"deep_gemm", "deep_gemm"},
    {"cudnn", "cudnn"},
    {"cublasLt", "cublas"},
    {"cublas", "cublas"},
    {"cutlass", "cutlass"},
    {"ck", "composable_kernel"},
    {"ck_tile", "composable_kernel"},
    {"aiter", "aiter"},
    {"miopen", "miopen"},
    {"rocblas", "rocblas"},
    {"flashinfer", "flashinfer"},
    {"flash_attn", "flash_attention"},
    {"transformer_engine", "transformer_engine"},
    {"tensorrt_llm", "tensorrt_llm"},
    {"rtp_llm", "rtp_llm"},
    {"vllm", "vllm"},
    {"sglang", "sglang"},
    {"at", "pytorch"},
    {"tensorflow", "tensorflow"},
    {"onnxruntime", "onnxruntime"},
});

std::string_view library_of_scope(std::string_view scope) {
  for (const LibraryName& known : kLibraries) {
    if (scope == known.scope) return known.library;
  }
  return {};
}

/// Namespaces are asked only if the own word says nothing. All that a namespace "moe" holds is for
/// experts: vllm::moe::HashTopk chooses them.
const Hint* hint_of(const NameTokens& tokens, const QualifiedName& name) {
  if (const std::size_t moe = tokens.find("moe", name.begin); moe + 1 < name.end) {
    return hint_for("moe_" + std::string(name.own));
  }
  if (const Hint* own = hint_for(name.own)) return own;
  const Hint* best = nullptr;
  std::size_t depth = 0;
  for (std::size_t i = name.begin; i + 1 < name.end; ++i) {
    const TokenKind kind = tokens[i].kind;
    if (kind == TokenKind::kOpenArgs || kind == TokenKind::kOpenParen) ++depth;
    if ((kind == TokenKind::kCloseArgs || kind == TokenKind::kCloseParen) && depth != 0) --depth;
    if (kind != TokenKind::kWord || depth != 0) continue;
    if (!library_of_scope(tokens[i].text()).empty()) continue;
    best = better_hint(tokens[i].text(), best);
  }
  return best;
}

/// Kernel_traits<weights, input, output, sums, index, ...> of Transformer Engine and Apex, or
/// <weights, input, residual, output, sums, index, ...> of Flash Attention.
bool guess_norm_traits(const NameTokens& tokens, KernelName& name) {
  const std::size_t traits = tokens.find("Kernel_traits");
  if (traits == tokens.size()) return false;
  const TemplateArgs args(tokens, traits);
  std::size_t types = 0;
  while (types < args.size() && number_bits(args.dtype(types)) != 0) ++types;
  if (types < 3) return false;
  name.dtype_in = args.dtype(1);
  name.dtype_out = args.dtype(types > 4 ? 3 : 2);
  return true;
}

/// The type of what is quantised, and that with fewer bits. One type alone is that of the input.
void guess_quantised_types(const NameTokens& tokens, std::size_t own, KernelName& name) {
  KernelName types;
  read_quantised_types(tokens, own, types);
  name.dtype_in = types.dtype_in;
  if (types.dtype_out != types.dtype_in) name.dtype_out = types.dtype_out;
}

/// A kernel that has one type of numbers among its template arguments works on such numbers. The
/// types of products and of what is quantised say more: scales, accumulators, outputs.
void guess_dtype(const NameTokens& tokens, const QualifiedName& asked, KernelName& name) {
  switch (name.family) {
    case Family::kActivation:
    case Family::kCollective:
    case Family::kCopy:
    case Family::kElementwise:
    case Family::kKvWrite:
    case Family::kNorm:
    case Family::kRope:
    case Family::kSampling: break;
    case Family::kQuantise:
      if (name.op == "quantise" && asked.end != 0) {
        guess_quantised_types(tokens, asked.end - 1, name);
      }
      return;
    default: return;
  }
  if (asked.end == 0) return;
  if (name.family == Family::kNorm && guess_norm_traits(tokens, name)) return;
  const TokenRange all = TemplateArgs(tokens, asked.end - 1).all();
  std::string_view only;
  for (std::size_t i = all.begin; i < all.end; ++i) {
    const std::string_view dtype = first_dtype(tokens, {i, i + 1});
    const bool is_float = dtype.find("fp") == 0 || dtype == "bf16" || dtype == "tf32";
    if (!is_float) continue;
    if (!only.empty() && dtype != only) return;
    only = dtype;
  }
  set_dtype(name, only);
}

/// "Fp4" of "DeviceGemmFp4GemmSm100": the type that stands before a word "Gemm". Empty if none
/// does.
std::string_view dtype_before_gemm(std::string_view word) {
  constexpr std::string_view kGemm = "Gemm";
  for (std::size_t at = word.find(kGemm); at != std::string_view::npos;
       at = word.find(kGemm, at + 1)) {
    const std::string_view before = word.substr(0, at);
    const std::size_t capital = before.find_last_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (capital == std::string_view::npos || before.size() - capital < 2) continue;
    if (const auto dtype = short_dtype(before.substr(capital)); !dtype.empty()) return dtype;
  }
  return {};
}

/// What the pieces of a product's name say about its inputs: "hgemm_bf16", "_gemm_afp4wfp4". A
/// type beside another, or beside weights of few bits, may be that of anything.
void guess_product_dtype(const NameTokens& tokens, const QualifiedName& asked, KernelName& name) {
  const bool is_product =
      name.family == Family::kGemm || name.family == Family::kGemv || name.op == "moe_gemm";
  if (!is_product) return;
  for (std::size_t i = asked.begin; i < asked.end && name.dtype_in.empty(); ++i) {
    if (tokens.is(i, TokenKind::kWord)) name.dtype_in = dtype_before_gemm(tokens[i].text());
  }
  if (!name.dtype_in.empty()) return;
  std::string_view by_letter;
  std::string_view only;
  Pieces pieces(asked.own);
  for (std::string_view piece; pieces.next(piece);) {
    if (const auto operands = operand_dtype(piece); !operands.empty()) {
      name.dtype_in = operands;
      return;
    }
    for (const std::string_view few : {"w4", "w8", "a16", "int4", "fp4", "awq", "gptq", "marlin"}) {
      if (piece.find(few) != std::string_view::npos) return;
    }
    if (piece.ends_with("gemm")) {  // I8gemm_bf16: what is named behind is the output
      const std::string_view in = piece.substr(0, piece.size() - std::string_view("gemm").size());
      if (in.size() > 1 && !short_dtype(in).empty()) {
        name.dtype_in = short_dtype(in);
        return;
      }
    }
    if (piece.starts_with("sgemm")) by_letter = "fp32";
    if (piece.starts_with("dgemm")) by_letter = "fp64";
    if (piece.starts_with("hgemm")) by_letter = "fp16";
    if (piece != "bf16" && piece != "fp16" && piece != "f16" && piece != "fp8") continue;
    if (!only.empty()) return;
    only = short_dtype(piece);
  }
  name.dtype_in = only.empty() ? by_letter : only;
}

}  // namespace

void guess_by_parts(const NameTokens& tokens, KernelName& name) {
  if (read_generated_name(tokens, name)) return;
  QualifiedName asked = outer_name(tokens);
  const auto library_in = [&](const QualifiedName& scopes) {
    for (std::size_t i = scopes.begin; i + 1 < scopes.end && name.library.empty(); ++i) {
      if (tokens.is(i, TokenKind::kWord)) name.library = library_of_scope(tokens[i].text());
    }
  };
  while (is_wrapper(asked.own)) {
    const QualifiedName inner = inner_name(tokens, asked.end);
    if (inner.own.empty()) break;
    library_in(inner);
    asked = inner;
  }
  library_in(asked);
  const Hint* best = hint_of(tokens, asked);
  if (best == nullptr) return;
  name.family = best->family;
  name.op = best->op;
  guess_dtype(tokens, asked, name);
  guess_product_dtype(tokens, asked, name);
}

}  // namespace tactus::names
