#include "names/tokens/name_tokens.h"

#include "names/dtype_words.h"

namespace tactus::names {

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
  const TokenRange range = (*this)[i];
  if (range.end - range.begin != 1 || !tokens_.is(range.begin, TokenKind::kNumber)) return {};
  return tokens_[range.begin].number;
}

std::string_view TemplateArgs::dtype(std::size_t i) const {
  return first_dtype(tokens_, (*this)[i]);
}

std::size_t numbers_in(const NameTokens& tokens, TokenRange range, std::span<int> into) {
  std::size_t count = 0;
  for (std::size_t i = range.begin; i < range.end && count < into.size(); ++i) {
    if (tokens.is(i, TokenKind::kNumber)) into[count++] = tokens[i].number;
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
  if (name.starts_with(kStub)) name.remove_prefix(kStub.size());
  if (name.starts_with("_Z")) {
    tokenise_mangled(name.substr(2), into);
  } else {
    tokenise_text(name, into);
  }
}

}  // namespace tactus::names
