#pragma once

#include <string>
#include <string_view>

#include "sources/bytes/input_bytes.h"

namespace tactus::rocprof {

/// Walks through a large JSON text and keeps only what it stands on. After a problem, nothing more
/// can be read.
class JsonReader {
 public:
  explicit JsonReader(InputBytes& bytes) : bytes_(bytes) {}

  /// Steps into an object; false if the next value is not one (it can be skipped then).
  bool enter_object() { return enter('{'); }
  /// The key of the next member; false at the end of the object, which is left then.
  bool next_member(std::string& key);
  bool enter_array() { return enter('['); }
  /// False at the end of the array, which is left then.
  bool next_element();

  /// The text of the next value, whatever it is.
  bool take_value(std::string& text);
  bool skip_value();

  /// What went wrong, or nothing.
  const std::string& problem() const { return problem_; }
  /// An error while reading the file.
  const Status& status() const { return status_; }

 private:
  static constexpr std::size_t kLargestValue = 256 << 20;

  bool enter(char bracket);
  /// The next character that is not white space; 0 at the end.
  char peek();
  bool fill();
  bool stop(std::string problem);
  /// Moves over a value; its text goes to `text` unless that is null.
  bool walk_value(std::string* text);

  InputBytes& bytes_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t before_ = 0;  ///< bytes before the buffer
  bool is_first_ = false;     ///< nothing of the object or array was read yet
  bool ended_ = false;
  std::string problem_;
  Status status_;
};

}  // namespace tactus::rocprof
