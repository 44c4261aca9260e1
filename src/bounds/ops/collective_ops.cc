#include "bounds/ops/op_readers.h"

namespace tactus {

/// What each rank must do at least, however many there are and whatever switches help: an
/// all-reduce sends the input once and gets the result once.
OpReading read_collective_op(const ReadOp& op) {
  const auto is = [&](std::string_view name) {
    return op.base.find(name) != std::string_view::npos;
  };
  // The shares of the input that are certainly written, and sent to other devices.
  double written = 0;
  double sent = 0;
  if (is("all_reduce")) {
    written = sent = 1;
  } else if (is("all_gather")) {
    written = 2;  // of at least two ranks
    sent = 1;
  } else if (is("reduce_scatter")) {
    sent = 0.5;  // all but its own part, which is at most half
  } else {
    return std::nullopt;
  }
  const TensorArgument* input = op.call.tensor(0);
  if (input == nullptr || !input->type || !input->stored_bytes()) return std::nullopt;
  const double bytes = *input->stored_bytes();
  Result<OpShape> shape = op_shape(
      "collective", *input->type,
      {{"read_bytes", bytes}, {"write_bytes", written * bytes}, {"link_bytes", sent * bytes}},
      inputs_text({input}));
  if (shape) shape->at_least = true;
  return shape;
}

}  // namespace tactus
