#include <zstd.h>

#include <string>

#include "sources/bytes/decoders.h"

namespace tactus {
namespace {

class ZstdBytes final : public InputBytes {
 public:
  explicit ZstdBytes(RawFile file) : file_(std::move(file)) {}

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
        finished_ = true;
        if (!between_frames_) report(path() + ": the compressed data ends early", true);
        break;
      }
      ZSTD_inBuffer input{text->data(), text->size(), 0};
      const std::size_t outcome = ZSTD_decompressStream(stream_.get(), &output, &input);
      file_.consume(input.pos);
      if (ZSTD_isError(outcome)) {
        finished_ = true;
        if (between_frames_) {
          report(path() + ": the data after the zstd data is not zstd; it was left out", false);
        } else {
          report(path() + ": the compressed data is damaged near byte " +
                     std::to_string(file_.bytes_read() - (input.size - input.pos)) + " of the file",
                 true);
        }
      }
      between_frames_ = outcome == 0;
    }
    return output.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

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
