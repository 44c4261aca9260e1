#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"

namespace tactus {

/// The bytes of an input. gzip and zstd are decompressed, UTF-16 becomes UTF-8; the first bytes
/// decide, not the name.
class InputBytes {
 public:
  virtual ~InputBytes() = default;

  /// Opens a file, or standard input for "-".
  static Result<std::unique_ptr<InputBytes>> open(const std::string& path);

  const std::string& path() const { return path_; }

  /// The first bytes, up to 64 KiB, without consuming them.
  Result<std::string_view> peek();

  /// Up to `size` bytes; 0 only at the end.
  Result<std::size_t> read(char* into, std::size_t size);

  /// Bytes read from disk so far, and the total (0 if unknown).
  virtual std::uint64_t disk_bytes() const = 0;
  virtual std::uint64_t disk_size() const = 0;

  /// True if the path names a file that holds these very bytes: no pipe, not compressed.
  virtual bool is_plain_file() const { return false; }

  /// The file itself, if it lies on disk as it is read; nothing more can be read here then.
  virtual std::optional<File> take_file() { return std::nullopt; }

  /// What was wrong with the compressed form: it broke off, or something follows it.
  /// Empty if nothing was; to be asked at the end.
  const std::string& problem() const { return problem_; }
  /// True if bytes are missing for that reason.
  bool cut_short() const { return cut_short_; }

 protected:
  virtual Result<std::size_t> decode(char* into, std::size_t size) = 0;

  void report(std::string problem, bool cut_short) {
    problem_ = std::move(problem);
    cut_short_ = cut_short;
  }

 private:
  std::string path_;
  std::string head_;  ///< peeked, not yet read
  std::size_t head_at_ = 0;
  bool peeked_ = false;
  std::string problem_;
  bool cut_short_ = false;
};

/// The whole input, for inputs that are small by nature; refuses more than `limit` bytes.
Result<std::string> read_all(InputBytes& bytes, std::size_t limit);

/// The whole text of a small file, or of standard input for "-". Nothing if it has more than
/// `limit` bytes, cannot be read, or is neither of both.
std::optional<std::string> small_text(const std::string& path, std::size_t limit);

}  // namespace tactus
