#include <iostream>

#include "cli/command.h"
#include "views/kernels/kernels_view.h"

namespace tactus::cli {
namespace {

/// Adds the lines of standard input; empty ones are skipped.
void read_names(std::vector<std::string>& names) {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) names.push_back(line);
  }
}

class DecodeCommand final : public Command {
 public:
  std::string name() const override { return "decode"; }
  std::string description() const override {
    return "Show what a kernel name says: operator, types, tile and who launches it";
  }
  std::string details() const override {
    return "Kernel names of cuBLAS, CUTLASS, FlashAttention, Triton and the inference engines hold "
           "what they compute and how. This needs no recording.";
  }
  std::string examples() const override {
    return "  tactus decode nvjet_tst_128x8_64x12_4x1_v_bz_splitK_TNT\n"
           "  tactus decode --json < names.txt\n";
  }

  void add_options(Options& options) override {
    options.add("NAME", names_, "kernel names; - or none: read from standard input, one per line");
    options.add("--json", json_, "print JSON");
  }

  Result<int> run(const CommonOptions&) override {
    std::vector<std::string> names;
    if (names_.empty()) read_names(names);
    for (const std::string& given : names_) {
      if (given == "-") {
        read_names(names);
      } else {
        names.push_back(given);
      }
    }
    std::vector<KernelName> decoded;
    decoded.reserve(names.size());
    for (const std::string& name : names) decoded.push_back(decode_kernel_name(name));
    const Status status = print(show_decoded(names, decoded, json_));
    if (!status) return status.error();
    return kDone;
  }

 private:
  std::vector<std::string> names_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> decode_command() {
  return std::make_unique<DecodeCommand>();
}

}  // namespace tactus::cli
