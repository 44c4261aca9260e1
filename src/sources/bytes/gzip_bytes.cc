#include <isa-l/igzip_lib.h>

#include <limits>
#include <string>

#include "sources/bytes/decoders.h"

namespace tactus {
namespace {

class GzipBytes final : public InputBytes {
 public:
  explicit GzipBytes(RawFile file) : file_(std::move(file)) { start_member(); }

  std::uint64_t disk_bytes() const override { return file_.bytes_read(); }
  std::uint64_t disk_size() const override { return file_.size(); }

 protected:
  Result<std::size_t> decode(char* into, std::size_t size) override {
    size = std::min<std::size_t>(size, std::numeric_limits<std::uint32_t>::max());
    state_->next_out = reinterpret_cast<std::uint8_t*>(into);
    state_->avail_out = static_cast<std::uint32_t>(size);
    while (!finished_ && state_->avail_out == size) {
      const Result<std::string_view> input = file_.available();
      if (!input) return input.error();
      if (state_->block_state == ISAL_BLOCK_FINISH && !next_member(*input)) break;
      if (input->empty()) {
        finish("the compressed data ends early", true);
        break;
      }
      state_->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(input->data()));
      state_->avail_in = static_cast<std::uint32_t>(input->size());
      const int outcome = isal_inflate(state_.get());
      file_.consume(input->size() - state_->avail_in);
      if (outcome != ISAL_DECOMP_OK) {
        finish("the compressed data is damaged near byte " +
                   std::to_string(file_.bytes_read() - state_->avail_in) + " of the file",
               true);
      }
    }
    return size - state_->avail_out;
  }

 private:
  void start_member() {
    isal_inflate_init(state_.get());
    state_->crc_flag = ISAL_GZIP;
  }

  /// True if another member follows; then the state is ready for it, with its output kept.
  bool next_member(std::string_view input) {
    if (input.empty()) {
      finished_ = true;
      return false;
    }
    if (!input.starts_with('\x1F')) {
      finish("the data after the gzip data is not gzip; it was left out", false);
      return false;
    }
    std::uint8_t* out = state_->next_out;
    const std::uint32_t room = state_->avail_out;
    start_member();
    state_->next_out = out;
    state_->avail_out = room;
    return true;
  }

  void finish(const std::string& problem, bool cut_short) {
    finished_ = true;
    report(path() + ": " + problem, cut_short);
  }

  RawFile file_;
  std::unique_ptr<inflate_state> state_ = std::make_unique<inflate_state>();
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<InputBytes> gzip_bytes(RawFile file) {
  return std::make_unique<GzipBytes>(std::move(file));
}

}  // namespace tactus
