#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace tactus {

/// Who has to act on an error; the command line turns it into its exit code.
enum class ErrorCode : unsigned char {
  kUsage,  ///< the caller asked for something impossible: exit 2
  kInput,  ///< the input cannot be read or understood: exit 2
  kBroke,  ///< it broke while working (disk full, I/O error): exit 3
};

/// What went wrong, in a sentence that names the file, the place in it and what to do.
struct Error {
  ErrorCode code = ErrorCode::kBroke;
  std::string message;
};

inline Error usage_error(std::string message) {
  return {ErrorCode::kUsage, std::move(message)};
}
inline Error input_error(std::string message) {
  return {ErrorCode::kInput, std::move(message)};
}
inline Error broke_error(std::string message) {
  return {ErrorCode::kBroke, std::move(message)};
}

/// A value, or the error that prevented it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }

  T& operator*() & { return value(); }
  const T& operator*() const& { return const_cast<Result*>(this)->value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &const_cast<Result*>(this)->value(); }

  const Error& error() const {
    CHECK(state_.index() == 1);
    return std::get<1>(state_);
  }

 private:
  T& value() {
    CHECK(state_.index() == 0);
    return std::get<0>(state_);
  }

  std::variant<T, Error> state_;
};

/// Success, or the error that prevented it.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : failed_(true), error_(std::move(error)) {}

  explicit operator bool() const { return !failed_; }

  const Error& error() const {
    CHECK(failed_);
    return error_;
  }

 private:
  bool failed_ = false;
  Error error_;
};

using Status = Result<void>;

}  // namespace tactus
