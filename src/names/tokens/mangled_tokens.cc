#include <algorithm>

#include "names/tokens/name_tokens.h"

namespace tactus::names {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

/// The built-in types by their letter; empty for other letters.
std::string_view builtin_type(char letter) {
  switch (letter) {
    case 'v': return "void";
    case 'w': return "wchar_t";
    case 'b': return "bool";
    case 'c': return "char";
    case 'a': return "signed char";
    case 'h': return "unsigned char";
    case 's': return "short";
    case 't': return "unsigned short";
    case 'i': return "int";
    case 'j': return "unsigned int";
    case 'l': return "long";
    case 'm': return "unsigned long";
    case 'x': return "long long";
    case 'y': return "unsigned long long";
    case 'n': return "__int128";
    case 'o': return "unsigned __int128";
    case 'f': return "float";
    case 'd': return "double";
    case 'e': return "long double";
    case 'g': return "__float128";
    case 'z': return "...";
    default: return {};
  }
}

/// Reads the names of the Itanium C++ ABI
/// (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling) into tokens. References to earlier
/// parts of a name (S0_) are copied. Template parameters (T_) are not looked up, because they occur
/// only in signatures. Each function reads its construct from the text and returns false if it met
/// something else.
class Unmangler {
 public:
  Unmangler(std::string_view text, NameTokens& out) : text_(text), out_(out) {}

  void run() {
    if (!name()) {
      search_words();
    }
    drop_hidden();
  }

 private:
  static constexpr std::size_t kMostParts = 512;
  static constexpr int kMostDepth = 200;

  /// Counts how deep the constructs are nested.
  struct Level {
    explicit Level(int& depth) : depth_(depth) { ++depth_; }
    ~Level() { --depth_; }
    int& depth_;
  };

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view letters) {
    if (!text_.substr(at_).starts_with(letters)) return false;
    at_ += letters.size();
    return true;
  }
  std::size_t take_number() {
    return static_cast<std::size_t>(std::min<std::int64_t>(take_wide_number(), INT32_MAX));
  }
  std::int64_t take_wide_number() {
    constexpr std::int64_t kMost = INT64_MAX / 10 - 1;  // longer ones lose their end
    std::int64_t value = 0;
    for (; is_digit(peek()); ++at_) value = value > kMost ? value : value * 10 + (peek() - '0');
    return value;
  }

  /// The part since `begin` can be referred to after this.
  bool remember(std::size_t begin) {
    if (part_count_ == kMostParts || out_.full()) return false;
    parts_[part_count_++] = {begin, out_.size()};
    return true;
  }
  void hide(std::size_t begin) {
    for (std::size_t i = begin; i < out_.size(); ++i) out_[i].hidden = true;
  }
  void drop_hidden() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (!out_[i].hidden) out_[kept++] = out_[i];
    }
    out_.resize(kept);
  }

  bool encoding() {
    const Level level(depth_);
    const std::size_t begin = out_.size();
    if (!name()) return false;
    if (peek() == 'E' || peek() == '\0') return true;
    if (out_.size() > begin && out_.is(out_.size() - 1, TokenKind::kCloseArgs)) {
      const std::size_t result = out_.size();  // template functions give their result first
      if (!type()) return false;
      hide(result);
    }
    return parameters();
  }

  /// Types up to 'E', which stays. A single void means no type.
  bool parameters() {
    out_.add(TokenKind::kOpenParen, "(");
    if (peek() == 'v' && peek(1) == 'E') {
      ++at_;
    } else {
      for (bool first = true; peek() != 'E'; first = false) {
        if (!first) out_.add(TokenKind::kComma, ",");
        if (!type()) return false;
      }
    }
    out_.add(TokenKind::kCloseParen, ")");
    return true;
  }

  bool name() {
    const Level level(depth_);
    if (depth_ > kMostDepth || out_.full()) return false;
    if (take('N')) return nested_name();
    if (take('Z')) return local_name();
    const std::size_t begin = out_.size();
    if (peek() == 'S' && peek(1) != 't') {
      return substitution() && (peek() != 'I' || template_args());
    }
    take("St");
    if (!unqualified_name()) return false;
    return peek() != 'I' || (remember(begin) && template_args());
  }

  bool nested_name() {
    while (peek() == 'r' || peek() == 'V' || peek() == 'K') ++at_;
    if (peek() == 'R' || peek() == 'O') ++at_;
    const std::size_t begin = out_.size();
    while (!take('E')) {
      const bool refers = peek() == 'S';
      if (!prefix_part()) return false;
      if (!refers && peek() != 'E' && !remember(begin)) return false;
    }
    return true;
  }

  bool prefix_part() {
    switch (peek()) {
      case 'S': return take("St") || substitution();
      case 'I': return template_args();
      case 'T': return template_param();
      default: return unqualified_name();
    }
  }

  bool local_name() {
    if (!encoding() || !take('E')) return false;
    if (take('s')) {
      // a string of the function
    } else {
      if (take('d')) {
        take_number();
        if (!take('_')) return false;
      }
      if (!name()) return false;
    }
    if (peek() == '_' && (is_digit(peek(1)) || peek(1) == '_')) {  // which one of several
      at_ += peek(1) == '_' ? 2 : 1;
      take_number();
      take('_');
    }
    return true;
  }

  bool unqualified_name() {
    take('L');
    const char c = peek();
    bool read = false;
    if (is_digit(c)) {
      read = source_name();
    } else if (c == 'U') {
      read = closure();
      // NOLINTNEXTLINE(bugprone-branch-clone): constructors, and operators such as "cl" below
    } else if ((c == 'C' || c == 'D') && is_digit(peek(1))) {
      at_ += 2;
      read = true;
    } else if (is_lower(c) && is_lower(peek(1)) && !(c == 'c' && peek(1) == 'v')) {
      at_ += 2;  // an operator, as in "cl" for operator()
      read = true;
    }
    while (read && take('B')) {  // ABI tags
      const std::size_t tag = out_.size();
      read = source_name();
      hide(tag);
    }
    return read;
  }

  bool source_name() {
    if (!is_digit(peek())) return false;
    const std::size_t size = take_number();
    if (size == 0 || size > text_.size() - at_) return false;
    const std::string_view word = text_.substr(at_, size);
    at_ += size;
    if (!word.starts_with("_GLOBAL__N_")) out_.add(TokenKind::kWord, word);
    return !out_.full();
  }

  bool closure() {
    if (take("Ut")) {
      take_number();
      return take('_');
    }
    if (!take("Ul")) return false;
    out_.add(TokenKind::kWord, "lambda");
    if (!parameters() || !take('E')) return false;
    take_number();
    return take('_');
  }

  bool template_args() {
    if (!take('I')) return false;
    const Level level(depth_);
    out_.add(TokenKind::kOpenArgs, "<");
    bool first = true;
    if (!args_up_to_end(first)) return false;
    out_.add(TokenKind::kCloseArgs, ">");
    return true;
  }

  bool args_up_to_end(bool& first) {
    const Level level(depth_);
    if (depth_ > kMostDepth) return false;
    while (!take('E')) {
      if (take('J')) {  // a pack: its arguments are next to the others
        if (!args_up_to_end(first)) return false;
        continue;
      }
      if (!first) out_.add(TokenKind::kComma, ",");
      first = false;
      if (!template_arg()) return false;
    }
    return true;
  }

  bool template_arg() {
    if (take("Tn")) {  // newer clang: the type of the parameter that the argument is for
      const std::size_t begin = out_.size();
      if (!type()) return false;
      hide(begin);
    }
    if (peek() == 'L') return literal();
    if (take('X')) return expression() && take('E');
    return type();
  }

  bool expression() {
    while (take("ad")) {
    }
    return peek() == 'L' && literal();
  }

  /// "Li4E", "Lb1E", "LN10flashinfer8MaskModeE0E", "L_Z4siluIfET_RKS0_E"
  bool literal() {
    if (!take('L')) return false;
    if (take("_Z")) return encoding() && take('E');
    const std::size_t begin = out_.size();
    if (!type()) return false;
    hide(begin);
    const std::string_view last = out_.size() > begin ? out_[out_.size() - 1].text() : "";
    const bool negative = take('n');
    const std::int64_t number = take_wide_number();
    while (peek() != 'E' && peek() != '\0') ++at_;  // the rest of a floating number
    out_.add(TokenKind::kNumber, is_enum_name(last) ? last : "", negative ? -number : number);
    return take('E');
  }

  bool template_param() {
    if (!take('T')) return false;
    while (is_digit(peek()) || (peek() >= 'A' && peek() <= 'Z')) ++at_;
    return take('_');
  }

  bool substitution() {
    if (!take('S')) return false;
    if (is_lower(peek())) {  // std::string and the like
      ++at_;
      out_.add(TokenKind::kWord, "std");
      return true;
    }
    std::size_t index = 0;
    if (peek() != '_') {
      for (; is_digit(peek()) || (peek() >= 'A' && peek() <= 'Z'); ++at_) {
        const auto digit =
            static_cast<std::size_t>(is_digit(peek()) ? peek() - '0' : peek() - 'A' + 10);
        index = std::min<std::size_t>(index * 36 + digit, kMostParts);
      }
      ++index;
    }
    if (!take('_') || index >= part_count_) return false;
    const TokenRange part = parts_[index];
    for (std::size_t i = part.begin; i < part.end; ++i) {
      Token copy = out_[i];
      copy.hidden = false;
      out_.add(copy);
    }
    return !out_.full();
  }

  bool type() {
    const Level level(depth_);
    if (depth_ > kMostDepth || out_.full()) return false;
    const std::size_t begin = out_.size();
    const char c = peek();
    if (const std::string_view builtin = builtin_type(c); !builtin.empty() && c != 'r') {
      ++at_;
      out_.add(TokenKind::kWord, builtin);
      return true;
    }
    switch (c) {
      case 'r':
      case 'V':
      case 'K':
        while (peek() == 'r' || peek() == 'V' || peek() == 'K') ++at_;
        return type() && remember(begin);
      case 'P':
      case 'R':
      case 'O':
      case 'C':
      case 'G': ++at_; return type() && remember(begin);
      case 'U': return vendor_qualifier() && type() && remember(begin);
      case 'u': ++at_; return source_name() && remember(begin);
      case 'A': return array_type() && remember(begin);
      case 'M': ++at_; return type() && type() && remember(begin);
      case 'F': return function_type() && remember(begin);
      case 'T':
        if (!template_param() || !remember(begin)) return false;
        return peek() != 'I' || (template_args() && remember(begin));
      case 'D': return type_of_d(begin);
      case 'S': return type_of_s(begin);
      default: return name() && remember(begin);
    }
  }

  bool vendor_qualifier() {
    const std::size_t begin = out_.size();
    if (!take('U') || !source_name()) return false;
    if (peek() == 'I' && !template_args()) return false;
    hide(begin);
    return true;
  }

  bool array_type() {
    if (!take('A')) return false;
    take_number();
    return take('_') && type();
  }

  bool function_type() {
    if (!take('F')) return false;
    take('Y');
    if (!parameters()) return false;
    return take('E');
  }

  /// Types that begin with D: packs, vectors, half precision.
  bool type_of_d(std::size_t begin) {
    if (take("DF16b")) {
      out_.add(TokenKind::kWord, "__bf16");
      return true;
    }
    if (take("DF16_") || take("Dh")) {
      out_.add(TokenKind::kWord, "_Float16");
      return true;
    }
    if (take("Dn") || take("Da") || take("Dc") || take("Di") || take("Ds") || take("Du")) {
      return true;
    }
    if (take("Dp")) return type() && remember(begin);
    if (take("Do")) return type();
    if (take("Dv")) {
      take_number();
      return take('_') && type() && remember(begin);
    }
    return false;
  }

  /// "St5arrayIfLm2EE", "S0_", "S0_IfE"
  bool type_of_s(std::size_t begin) {
    if (peek(1) == 't') return name() && remember(begin);
    if (!substitution()) return false;
    return peek() != 'I' || (template_args() && remember(begin));
  }

  /// The words from here on, ignoring everything between them.
  void search_words() {
    while (at_ < text_.size() && !out_.full()) {
      if (!is_digit(peek())) {
        ++at_;
        continue;
      }
      const std::size_t digits = at_;
      if (!source_name()) at_ = digits + 1;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  NameTokens& out_;
  int depth_ = 0;
  std::size_t part_count_ = 0;
  std::array<TokenRange, kMostParts> parts_;
};

}  // namespace

void tokenise_mangled(std::string_view name, NameTokens& into) {
  Unmangler(name, into).run();
}

}  // namespace tactus::names
