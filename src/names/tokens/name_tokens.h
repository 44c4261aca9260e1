#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tactus::names {

enum class TokenKind : std::uint8_t {
  kWord,  ///< an identifier, or a built-in type ("unsigned int" is one)
  kNumber,
  kOpenArgs,  ///< of a template
  kCloseArgs,
  kComma,
  kOpenParen,
  kCloseParen,
};

struct Token {
  TokenKind kind;
  bool hidden;          ///< read, but not part of what the name shows
  std::uint16_t known;  ///< the word's id in the RuleIndex; 0 if it is in no rule
  std::uint32_t size;
  std::int64_t number;
  const char* begin;  // not a string_view: thousands are made and few are set

  /// The word. Of a number: the enum that it is a value of, as in "(ggml_type)14", or nothing.
  std::string_view text() const { return {begin, size}; }
};

/// A kernel's name, cut up. Names come mangled, demangled or prettified:
///
///   _ZN2at6native6kernelILi4EfEEvPT0_
///   void at::native::kernel<4, float>(float*)
///   void at::native::kernel<(int)4, float>(T2 *)
///
/// All of them give: at native kernel < 4 , float >. Unneeded parts are left out: return types as
/// far as possible, parameters, casts, anonymous namespaces, the numbers of lambdas, the ".kd" that
/// the names of AMD's kernel descriptors end in.
class NameTokens {
 public:
  static constexpr std::size_t kMost = 1024;  ///< the rest of a longer name is ignored

  NameTokens() : size_(0) {}

  bool full() const { return size_ == kMost; }
  void add(TokenKind kind, std::string_view text, std::int64_t number = 0) {
    if (full()) return;
    tokens_[size_++] = {kind,   false,      0, static_cast<std::uint32_t>(text.size()),
                        number, text.data()};
  }
  void add(const Token& token) {
    if (!full()) tokens_[size_++] = token;
  }
  void resize(std::size_t size) { size_ = size; }

  std::size_t size() const { return size_; }
  const Token& operator[](std::size_t i) const { return tokens_[i]; }
  Token& operator[](std::size_t i) { return tokens_[i]; }

  bool is(std::size_t i, TokenKind kind) const { return i < size_ && tokens_[i].kind == kind; }
  bool is_word(std::size_t i, std::string_view text) const {
    return is(i, TokenKind::kWord) && tokens_[i].text() == text;
  }
  /// The place of a word, or size().
  std::size_t find(std::string_view word, std::size_t from = 0) const;

 private:
  std::array<Token, kMost> tokens_;  // not initialised before use
  // NOLINTNEXTLINE(modernize-use-default-member-init): a constructor by default may fill tokens_
  std::size_t size_;
};

/// Some tokens: from `begin` up to `end`.
struct TokenRange {
  std::size_t begin;
  std::size_t end;
};

/// The template arguments of the word at a place; none if it has none.
class TemplateArgs {
 public:
  TemplateArgs(const NameTokens& tokens, std::size_t word);

  std::size_t size() const { return count_; }
  /// Tokens of all arguments.
  TokenRange all() const { return all_; }
  /// An empty range if there are fewer.
  TokenRange operator[](std::size_t i) const { return i < count_ ? args_[i] : TokenRange{}; }
  std::optional<int> number(std::size_t i) const;
  /// The same for numbers that an int cannot hold.
  std::optional<std::int64_t> wide_number(std::size_t i) const;
  bool flag(std::size_t i) const { return number(i).value_or(0) != 0; }
  /// The dtype of an argument, or the first dtype in it; empty if there is none.
  std::string_view dtype(std::size_t i) const;

 private:
  static constexpr std::size_t kMostArgs = 32;

  const NameTokens& tokens_;
  TokenRange all_{};
  std::size_t count_ = 0;
  std::array<TokenRange, kMostArgs> args_;
};

/// The place of the first number that is a value of an enum, or size(): "GemmType" finds the 1 of
/// (deep_gemm::GemmType)1.
std::size_t find_enum(const NameTokens& tokens, std::string_view name, std::size_t from = 0);

/// Up to `into.size()` numbers in a range, in order; how many there were.
std::size_t numbers_in(const NameTokens& tokens, TokenRange range, std::span<int> into);

/// The first dtype in a range; empty if there is none. Bytes that are only addressed ("char*") do
/// not count.
std::string_view first_dtype(const NameTokens& tokens, TokenRange range);

/// Cuts up a name of any form.
void tokenise(std::string_view name, NameTokens& into);

/// Whether the type of a number is an enum; "unsigned int" is none.
bool is_enum_name(std::string_view type);

/// Cuts up a demangled or prettified name.
void tokenise_text(std::string_view name, NameTokens& into);

/// Cuts up a mangled name (Itanium ABI) without its _Z. If it cannot read a part, it searches that
/// part for words.
void tokenise_mangled(std::string_view name, NameTokens& into);

}  // namespace tactus::names
