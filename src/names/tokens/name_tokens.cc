#include "names/tokens/name_tokens.h"

#include <algorithm>

#include "names/dtype_words.h"

namespace tactus::names {
namespace {

int to_int(std::int64_t number) {
  return static_cast<int>(std::clamp<std::int64_t>(number, INT32_MIN, INT32_MAX));
}

/// What tools for AMD's GPUs add to a name: "f.kd" is the descriptor of kernel f; a demangler
/// writes it as "f(int) [clone .kd]".
std::string_view without_descriptor(std::string_view name) {
  if (name.empty() || (name.back() != 'd' && name.back() != ']')) return name;
  constexpr std::string_view kDescriptor = ".kd";
  constexpr std::string_view kClone = " [clone .kd]";
  if (name.ends_with(kClone)) name.remove_suffix(kClone.size());
  if (name.ends_with(kDescriptor)) name.remove_suffix(kDescriptor.size());
  return name;
}

}  // namespace

std::size_t NameTokens::find(std::string_view word, std::size_t from) const {
  for (std::size_t i = from; i < size_; ++i) {
    if (is_word(i, word)) return i;
  }
  return size_;
}

TemplateArgs::TemplateArgs(const NameTokens& tokens, std::size_t word) : tokens_(tokens) {
  if (!tokens.is(word + 1, TokenKind::kOpenArgs)) return;
  std::size_t depth = 0;
  std::size_t begin = word + 2;
  std::size_t i = begin;
  const auto close = [&] {
    if (count_ < kMostArgs && i > begin) args_[count_++] = {begin, i};
    begin = i + 1;
  };
  for (; i < tokens.size(); ++i) {
    const TokenKind kind = tokens[i].kind;
    if (kind == TokenKind::kOpenArgs || kind == TokenKind::kOpenParen) {
      ++depth;
    } else if (kind == TokenKind::kCloseArgs || kind == TokenKind::kCloseParen) {
      if (depth == 0) break;
      --depth;
    } else if (kind == TokenKind::kComma && depth == 0) {
      close();
    }
  }
  all_ = {word + 2, i};
  close();
}

std::optional<int> TemplateArgs::number(std::size_t i) const {
  const std::optional<std::int64_t> wide = wide_number(i);
  return wide ? std::optional(to_int(*wide)) : std::nullopt;
}

std::optional<std::int64_t> TemplateArgs::wide_number(std::size_t i) const {
  const TokenRange range = (*this)[i];
  if (range.end - range.begin != 1 || !tokens_.is(range.begin, TokenKind::kNumber)) return {};
  return tokens_[range.begin].number;
}

std::string_view TemplateArgs::dtype(std::size_t i) const {
  return first_dtype(tokens_, (*this)[i]);
}

std::size_t find_enum(const NameTokens& tokens, std::string_view name, std::size_t from) {
  for (std::size_t i = from; i < tokens.size(); ++i) {
    if (tokens.is(i, TokenKind::kNumber) && tokens[i].text() == name) return i;
  }
  return tokens.size();
}

bool is_enum_name(std::string_view type) {
  return std::any_of(type.begin(), type.end(),
                     [](char c) { return c == '_' || (c >= 'A' && c <= 'Z'); });
}

std::size_t numbers_in(const NameTokens& tokens, TokenRange range, std::span<int> into) {
  std::size_t count = 0;
  for (std::size_t i = range.begin; i < range.end && count < into.size(); ++i) {
    if (tokens.is(i, TokenKind::kNumber)) into[count++] = to_int(tokens[i].number);
  }
  return count;
}

std::string_view first_dtype(const NameTokens& tokens, TokenRange range) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (tokens[i].known == 0 || tokens[i].known > kDtypeWords.size()) continue;
    return kDtypeWords[tokens[i].known - 1].dtype;
  }
  return {};
}

void tokenise(std::string_view name, NameTokens& into) {
  constexpr std::string_view kStub = "__device_stub_";  // the host function that launches it
  constexpr std::string_view kTypeName = "_ZTS";        // SYCL calls kernels by their types
  if (name.starts_with(kStub)) name.remove_prefix(kStub.size());
  name = without_descriptor(name);
  if (name.starts_with(kTypeName)) {
    tokenise_mangled(name.substr(kTypeName.size()), into);
  } else if (name.starts_with("_Z")) {
    tokenise_mangled(name.substr(2), into);
  } else {
    tokenise_text(name, into);
  }
}

}  // namespace tactus::names
