#include "cli/command.h"
#include "cli/inputs/roofline_inputs.h"
#include "cli/terminal.h"
#include "views/catalogue/operators_view.h"

namespace tactus::cli {
namespace {

class OperatorsCommand final : public Command {
 public:
  std::string name() const override { return "operators"; }
  std::string description() const override {
    return "List the operators that production GPUs spend their time in";
  }
  std::string details() const override {
    return "The built-in catalogue has operators with their share of the time of production GPUs "
           "and "
           "their most frequent shapes.";
  }
  std::string examples() const override {
    return "  tactus operators                        # all of them, by importance\n"
           "  tactus operators --json\n"
           "  tactus operators --catalogue ours.json  # those of your own runs (tactus mine)\n";
  }

  void add_options(Options& options) override {
    options.add("--catalogue", catalogue_, "use this catalogue instead of the built-in one").file();
    options.add("--json", json_, "print JSON");
  }

  Result<int> run(const CommonOptions&) override {
    const Result<Catalogue> catalogue = open_catalogue(catalogue_);
    if (!catalogue) return catalogue.error();
    const Status status =
        print(json_ ? operators_json(*catalogue) : show_operators(*catalogue, text_columns()));
    if (!status) return status.error();
    return kDone;
  }

 private:
  std::string catalogue_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> operators_command() {
  return std::make_unique<OperatorsCommand>();
}

}  // namespace tactus::cli
