#include <zstd.h>
#include <zstd_errors.h>

#include <string>

#include "sources/bytes/decoders.h"

namespace tactus {
namespace {

/// `zstd --long=31`, the largest that zstd writes. Memory for a window is used as it fills.
constexpr int kLargestWindowLog = 31;

/// Why nothing of a frame can be read; empty for damage.
std::string_view refusal(std::size_t outcome) {
  switch (ZSTD_getErrorCode(outcome)) {
    case ZSTD_error_frameParameter_windowTooLarge:
      return "needs a window of more than 2 GiB; compress it with --long=31 or less";
    case ZSTD_error_memory_allocation:
      return "needs more memory for its window than there is; compress it with a smaller --long";
    case ZSTD_error_dictionary_wrong:
      return "was compressed with a dictionary; compress it without one";
    default: return {};
  }
}

class ZstdBytes final : public InputBytes {
 public:
  explicit ZstdBytes(RawFile file) : file_(std::move(file)) {
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kLargestWindowLog);
  }

  std::uint64_t disk_bytes() const override { return file_.bytes_read(); }
  std::uint64_t disk_size() const override { return file_.size(); }

 protected:
  Result<std::size_t> decode(char* into, std::size_t size) override {
    ZSTD_outBuffer output{into, size, 0};
    while (!finished_ && output.pos == 0) {
      const Result<std::string_view> text = file_.available();
      if (!text) return text.error();
      if (text->empty()) {
        // The decoder may still hold output when its input is used up.
        ZSTD_inBuffer none{nullptr, 0, 0};
        if (!between_frames_) ZSTD_decompressStream(stream_.get(), &output, &none);
        if (output.pos != 0) break;
        if (!between_frames_) finish("the compressed data ends early", true);
        finished_ = true;
        break;
      }
      ZSTD_inBuffer input{text->data(), text->size(), 0};
      const std::size_t outcome = ZSTD_decompressStream(stream_.get(), &output, &input);
      file_.consume(input.pos);
      if (ZSTD_isError(outcome)) {
        const std::string_view why = refusal(outcome);
        if (!why.empty()) return input_error(path() + ": " + std::string(why));
        finish_at_damage(outcome, file_.bytes_read() - (input.size - input.pos));
      }
      between_frames_ = outcome == 0;
    }
    return output.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  void finish_at_damage(std::size_t outcome, std::uint64_t byte) {
    if (between_frames_ && ZSTD_getErrorCode(outcome) == ZSTD_error_prefix_unknown) {
      finish("the data after the zstd data is not zstd; it was left out", false);
    } else {
      finish("the compressed data is damaged near byte " + std::to_string(byte) + " of the file",
             true);
    }
  }

  void finish(const std::string& problem, bool cut_short) {
    finished_ = true;
    report(path() + ": " + problem, cut_short);
  }

  RawFile file_;
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
  bool between_frames_ = true;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<InputBytes> zstd_bytes(RawFile file) {
  return std::make_unique<ZstdBytes>(std::move(file));
}

}  // namespace tactus
