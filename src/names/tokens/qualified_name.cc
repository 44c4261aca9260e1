#include "names/tokens/qualified_name.h"

#include "names/wrappers.h"

namespace tactus::names {

QualifiedName outer_name(const NameTokens& tokens) {
  QualifiedName name;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const TokenKind kind = tokens[i].kind;
    if (kind == TokenKind::kOpenArgs || kind == TokenKind::kOpenParen) ++depth;
    if ((kind == TokenKind::kCloseArgs || kind == TokenKind::kCloseParen) && depth != 0) --depth;
    if (kind != TokenKind::kWord || depth != 0) continue;
    name.own = tokens[i].text();
    name.end = i + 1;
  }
  return name;
}

QualifiedName inner_name(const NameTokens& tokens, std::size_t end) {
  QualifiedName name{.own = {}, .begin = end, .end = end};
  if (!tokens.is(end, TokenKind::kOpenArgs)) return name;
  std::size_t at = end + 1;
  // kentry<1, Kernel>: a number comes first
  while (tokens.is(at, TokenKind::kNumber) || tokens.is(at, TokenKind::kComma)) ++at;
  name.begin = at;
  for (; tokens.is(at, TokenKind::kWord); ++at) name.own = tokens[at].text();
  name.end = at;
  return name;
}

QualifiedName called_name(const NameTokens& tokens) {
  QualifiedName called = outer_name(tokens);
  while (is_wrapper(called.own)) {
    const QualifiedName inside = inner_name(tokens, called.end);
    if (inside.own.empty()) break;
    called = inside;
  }
  return called;
}

}  // namespace tactus::names
