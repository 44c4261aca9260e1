#include <algorithm>

#include "names/tokens/name_tokens.h"

namespace tactus::names {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr std::array<bool, 256> kInWord = [] {
  std::array<bool, 256> in_word{};
  for (int c = 0; c < 256; ++c) {
    in_word[static_cast<std::size_t>(c)] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                                           (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
  }
  return in_word;
}();

constexpr bool in_word(char c) {
  return kInWord[static_cast<unsigned char>(c)];
}

class TextTokeniser {
 public:
  TextTokeniser(std::string_view text, NameTokens& out) : text_(text), out_(out) {}

  void run() {
    while (at_ < text_.size() && !out_.full() && step()) {
    }
  }

 private:
  static constexpr std::size_t kMostDepth = 256;
  static constexpr std::int64_t kMostNumber = INT64_MAX / 10 - 1;  // longer ones lose their end

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  std::string_view rest() const { return text_.substr(at_); }
  bool inside(char bracket) const { return depth_ != 0 && brackets_[depth_ - 1] == bracket; }

  void open(char bracket) {
    if (depth_ < kMostDepth) {
      brackets_[depth_++] = bracket;
    } else {
      ++beyond_;
    }
  }
  /// False if this bracket closes nothing.
  bool close(char bracket) {
    if (beyond_ != 0) {
      --beyond_;
      return true;
    }
    if (!inside(bracket)) return false;
    --depth_;
    return true;
  }

  /// False at the end of the name, where its parameters begin.
  bool step() {
    const char c = peek();
    if (is_digit(c)) {
      number(false);
      return true;
    }
    if (in_word(c)) {
      word();
      return true;
    }
    switch (c) {
      case '<': open_angle(); break;
      case '>':
        if ((at_ == 0 || text_[at_ - 1] != '-') && !compares() && close('<')) {
          out_.add(TokenKind::kCloseArgs, ">");
        }
        ++at_;
        break;
      case '(': return open_paren();
      case ')':
        if (close('(')) out_.add(TokenKind::kCloseParen, ")");
        ++at_;
        break;
      case ',':
        out_.add(TokenKind::kComma, ",");
        ++at_;
        break;
      case '#':  // the number of a lambda
        ++at_;
        while (is_digit(peek())) ++at_;
        break;
      case '-':
        ++at_;
        if (is_digit(peek())) number(true);
        break;
      default: ++at_;
    }
    return true;
  }

  void number(bool negative) {
    std::int64_t value = 0;
    for (; is_digit(peek()); ++at_) {
      value = value > kMostNumber ? value : value * 10 + (peek() - '0');
    }
    while (in_word(peek())) ++at_;  // as in 16ul
    out_.add(TokenKind::kNumber, enum_, negative ? -value : value);
    enum_ = {};
  }

  /// Outside of brackets, a word may have dashes: XLA names kernels like "all-reduce.7".
  std::string_view take_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (in_word(text_[at_]) || (text_[at_] == '-' && depth_ == 0 && in_word(peek(1))))) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  void word() {
    const std::size_t begin = at_;
    const std::string_view word = take_word();
    if (word == "operator") {
      skip_operator();
    } else if (word == "true" || word == "false") {
      out_.add(TokenKind::kNumber, {}, word == "true" ? 1 : 0);
    } else if (word == "unsigned" || word == "signed" || word == "long") {
      // "unsigned int", "long long": one type
      while (peek() == ' ' && is_type_word(at_ + 1)) {
        ++at_;
        take_word();
      }
      out_.add(TokenKind::kWord, text_.substr(begin, at_ - begin));
    } else if (begin != 0 && text_[begin - 1] == '\'' && word.starts_with("lambda")) {
      out_.add(TokenKind::kWord, "lambda");  // LLVM writes 'lambda0'(float)
    } else {
      out_.add(TokenKind::kWord, word);
    }
  }

  bool is_type_word(std::size_t begin) const {
    for (const std::string_view type : {"int", "char", "short", "long"}) {
      if (text_.substr(begin).starts_with(type) &&
          (begin + type.size() >= text_.size() || !in_word(text_[begin + type.size()]))) {
        return true;
      }
    }
    return false;
  }

  /// "operator()", "operator ()", "operator<"
  void skip_operator() {
    while (peek() == ' ') ++at_;
    if (peek() == '(' && peek(1) == ')') {
      at_ += 2;
      return;
    }
    while (std::string_view("<>=!&|+-*/%^~[]").find(peek()) != std::string_view::npos) ++at_;
  }

  void open_angle() {
    constexpr std::string_view kUnnamed = "<unnamed>";
    if (rest().starts_with(kUnnamed)) {
      at_ += kUnnamed.size();
      return;
    }
    open('<');
    out_.add(TokenKind::kOpenArgs, "<");
    ++at_;
  }

  bool open_paren() {
    constexpr std::string_view kAnonymous = "(anonymous namespace)";
    if (rest().starts_with(kAnonymous)) {
      at_ += kAnonymous.size();
      return true;
    }
    if (rest().starts_with("(instance ")) {  // "[lambda() (instance 3)]"
      at_ = std::min(text_.find(')', at_), text_.size() - 1) + 1;
      return true;
    }
    if (depth_ == 0) {
      ++at_;
      return out_.size() == 0;
    }
    if (const std::size_t value = end_of_cast(at_); value != 0) {
      const std::string_view type = text_.substr(at_ + 1, value - at_ - 2);
      const std::string_view last = type.substr(type.rfind(':') + 1);  // npos + 1 is 0
      enum_ = is_enum_name(last) ? last : std::string_view();
      at_ = value;
      return true;
    }
    open('(');
    out_.add(TokenKind::kOpenParen, "(");
    ++at_;
    return true;
  }

  /// The start of the number in "(unsigned int)8" or "(flashinfer::MaskMode)1"; 0 if it is not a
  /// cast.
  std::size_t end_of_cast(std::size_t paren) const {
    std::size_t i = paren + 1;
    while (i < text_.size() && (in_word(text_[i]) || text_[i] == ':' || text_[i] == ' ')) ++i;
    if (i == paren + 1 || is_digit(text_[paren + 1]) || i + 1 >= text_.size() || text_[i] != ')') {
      return 0;
    }
    return is_digit(text_[i + 1]) || text_[i + 1] == '-' ? i + 1 : 0;
  }

  /// Whether the '>' here is "greater than": nsys writes "enable_if<T2>(int)0&&x, void>::type".
  bool compares() const { return peek(1) == '(' && end_of_cast(at_ + 1) != 0; }

  std::string_view text_;
  std::size_t at_ = 0;
  NameTokens& out_;
  std::string_view enum_;  ///< what the next number is a value of
  std::size_t depth_ = 0;
  std::size_t beyond_ = 0;  ///< open brackets beyond those that we keep
  std::array<char, kMostDepth> brackets_;
};

}  // namespace

void tokenise_text(std::string_view name, NameTokens& into) {
  TextTokeniser(name, into).run();
}

}  // namespace tactus::names
