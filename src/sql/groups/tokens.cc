#include "sql/groups/tokens.h"

#include <strings.h>

#include <algorithm>

namespace tactus::sql {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The end of the token that begins at `at`; 0 if it is not one of a simple query.
std::size_t end_of_number(std::string_view text, std::size_t at) {
  const auto skip_digits = [&] {
    while (at < text.size() && is_digit(text[at])) ++at;
  };
  skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    skip_digits();
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t digits = at + 1;
    if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
    if (digits >= text.size() || !is_digit(text[digits])) return 0;
    at = digits;
    skip_digits();
  }
  return at < text.size() && is_letter(text[at]) ? 0 : at;
}

std::size_t end_of_text(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] != '\'') continue;
    if (at + 1 >= text.size() || text[at + 1] != '\'') return at + 1;
    ++at;
  }
  return 0;
}

std::size_t end_of_sign(std::string_view text, std::size_t at) {
  for (const std::string_view sign : {"<=", ">=", "<>", "!=", "==", "||", "<<", ">>"}) {
    if (text.substr(at, 2) == sign) return at + 2;
  }
  return std::string_view("()+-*/%,.<>=;&|~").find(text[at]) == std::string_view::npos ? 0 : at + 1;
}

/// Skips white space and comments.
std::size_t next_token(std::string_view text, std::size_t at) {
  for (;;) {
    while (at < text.size() &&
           std::string_view(" \t\r\n\f").find(text[at]) != std::string_view::npos) {
      ++at;
    }
    if (text.substr(at, 2) == "--") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else {
      return at;
    }
  }
}

}  // namespace

bool Token::is_word(std::string_view word) const {
  return kind == Kind::kWord && text.size() == word.size() &&
         ::strncasecmp(text.data(), word.data(), word.size()) == 0;
}

std::optional<std::vector<Token>> cut_tokens(std::string_view query) {
  std::vector<Token> tokens;
  for (std::size_t at = next_token(query, 0); at < query.size(); at = next_token(query, at)) {
    Token token;
    std::size_t end = 0;
    const char c = query[at];
    const bool is_fraction = c == '.' && at + 1 < query.size() && is_digit(query[at + 1]);
    if (is_letter(c)) {
      token.kind = Token::Kind::kWord;
      end = at;
      while (end < query.size() && (is_letter(query[end]) || is_digit(query[end]))) ++end;
      if (end < query.size() && (query[end] == '\'' || query[end] == '$')) return std::nullopt;
    } else if (is_digit(c) || is_fraction) {
      token.kind = Token::Kind::kNumber;
      end = end_of_number(query, at);
    } else if (c == '\'') {
      token.kind = Token::Kind::kText;
      end = end_of_text(query, at);
    } else {
      end = end_of_sign(query, at);
    }
    if (end == 0) return std::nullopt;
    token.text = query.substr(at, end - at);
    tokens.push_back(token);
    at = end;
  }
  return tokens;
}

bool same_tokens(Tokens a, Tokens b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Token& x, const Token& y) {
    return x.kind == Token::Kind::kWord ? y.is_word(x.text) : x.kind == y.kind && x.text == y.text;
  });
}

std::string text_of(Tokens tokens) {
  std::string text;
  for (const Token& token : tokens) {
    text += token.text;
    text += ' ';
  }
  return text;
}

}  // namespace tactus::sql
