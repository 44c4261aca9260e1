#include "bounds/roofline/roofline.h"

#include <cctype>

#include "cli/command.h"
#include "cli/inputs/input_guard.h"
#include "cli/inputs/machines.h"
#include "cli/inputs/roofline_inputs.h"
#include "cli/page_file.h"
#include "cli/report_files.h"
#include "cli/terminal.h"
#include "views/catalogue/operators_view.h"
#include "views/roofline/roofline_svg.h"
#include "views/roofline/roofline_view.h"

namespace tactus::cli {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

class RooflineCommand final : public Command {
 public:
  std::string name() const override { return "roofline"; }
  std::string description() const override {
    return "Show how fast operators can be on a machine, and how close deployed kernels are";
  }
  std::string details() const override {
    return "T_SOL is the shortest time that a shape can take on a machine: its work over the peak "
           "rate of the machine, or its bytes over the memory bandwidth, whichever is longer. S is "
           "T_SOL over the measured time.";
  }
  std::string examples() const override {
    return "  tactus roofline                               # all operators, bounds and scores\n"
           "  tactus roofline rms_norm                      # its formulas and its shapes\n"
           "  tactus roofline rms_norm/3                    # one shape on every machine\n"
           "  tactus roofline --hardware H200,host,my.toml  # machines by name, measured here, "
           "from a file\n"
           "  tactus roofline --framework vllm --tp 4 --phase prefill\n"
           "  tactus roofline --baseline bench.json         # S of your own times (tactus bench)\n"
           "  tactus roofline --html roofline.html --svg roofline.svg\n"
           "  tactus roofline --model catalogue --hardware H20,XPU-A --format md\n";
  }

  void add_options(Options& options) override {
    options.add("OPERATOR", what_, "an operator, or OPERATOR/SHAPE (default: all)")
        .operator_name()
        .not_empty();
    hardware_.add_list_to(options);
    options
        .add("--model", model_,
             "strict (default): what any kernel must do; catalogue: the published figures")
        .choices({"strict", "catalogue"})
        .type_name("MODEL");
    options.add("--framework", question_.framework, "only shapes seen in this framework");
    options.add("--tp", question_.tensor_parallel, "only shapes of this tensor parallelism")
        .between(1, 1e6);
    options.add("--phase", question_.phase, "only shapes of this phase: prefill or decode")
        .type_name("PHASE")
        .suggestions({"prefill", "decode"});
    options
        .add("--baseline", baseline_,
             "compute S from the times in this file of tactus bench or mine")
        .file();
    options.add("--catalogue", catalogue_, "use this catalogue instead of the built-in one").file();
    options.add("--format", format_, "print as:")
        .choices({"table", "md", "csv", "json"})
        .type_name("FORMAT");
    options.add("--json", json_, "the same as --format json");
    options.add("--html", html_, "write a self-contained HTML page").file();
    options.add("--svg", svg_, "write the roofline plot").file();
    options.add("--force", force_, "overwrite files that exist");
  }

  Result<int> run(const CommonOptions& common) override {
    if (Status read = read_question(); !read) return read.error();
    std::vector<std::string> inputs = hardware_.names();
    inputs.insert(inputs.end(), {baseline_, catalogue_});
    if (Status safe = guard_inputs({html_, svg_}, inputs); !safe) return safe.error();
    const Result<Catalogue> catalogue = open_catalogue(catalogue_);
    if (!catalogue) return catalogue.error();
    const Result<std::vector<BaselineTime>> baseline = open_baseline(baseline_);
    if (!baseline) return baseline.error();
    Result<Machines> asked = hardware_.machines(common);
    if (!asked) return asked.error();
    const Machines shown = hardware_.empty() ? default_machines() : std::move(*asked);
    const Result<Roofline> result = make_roofline(*catalogue, shown.profiles, *baseline, question_);
    if (!result) return result.error();
    if (Status written = write_plot(*catalogue, *baseline, shown); !written) {
      return written.error();
    }
    const bool one_shape = format_ == "table" && !question_.shape_id.empty();
    if (!html_.empty() || one_shape) {
      const Result<BothModels> both = in_both_models(*catalogue, *baseline, shown);
      if (!both) return both.error();
      if (!html_.empty()) {
        const Status written = write_page(
            html_, force_, "Roofline", "roofline",
            {{.name = "roofline", .is_json = true, .bytes = show_roofline_json(both->strict)},
             {.name = "roofline?model=catalogue",
              .is_json = true,
              .bytes = show_roofline_json(both->catalogue)},
             {.name = "operators", .is_json = true, .bytes = operators_json(*catalogue)}});
        if (!written) return written.error();
      }
      if (one_shape) {
        return done(print(show_shape_text(both->strict, both->catalogue, text_columns())));
      }
    }
    if (format_ != "json" && format_ != "table" && !common.quiet) {
      for (const std::string& warning : result->warnings) print_warning(warning);
    }
    return done(print(shown_text(*result, *catalogue)));
  }

 private:
  struct BothModels {
    Roofline strict;
    Roofline catalogue;
  };

  /// On the requested machines, or on all.
  Result<BothModels> in_both_models(const Catalogue& catalogue,
                                    const std::vector<BaselineTime>& baseline,
                                    const Machines& shown) const {
    const Machines every = all_machines();
    const Machines& machines = hardware_.empty() ? every : shown;
    RooflineQuestion question = question_;
    question.model = CostModel::kStrict;
    Result<Roofline> strict = make_roofline(catalogue, machines.profiles, baseline, question);
    if (!strict) return strict.error();
    question.model = CostModel::kCatalogue;
    Result<Roofline> published = make_roofline(catalogue, machines.profiles, baseline, question);
    if (!published) return published.error();
    return BothModels{std::move(*strict), std::move(*published)};
  }

  static Result<int> done(const Status& status) {
    if (!status) return status.error();
    return kDone;
  }

  Status read_question() {
    const std::size_t slash = what_.find('/');
    question_.operator_name = what_.substr(0, slash);
    if (slash != std::string::npos) {
      question_.shape_id = what_.substr(slash + 1);
      if (question_.operator_name.empty() || question_.shape_id.empty()) {
        return usage_error(what_ +
                           ": is not OPERATOR/SHAPE; write rms_norm/3 for one shape, rms_norm for "
                           "all shapes of an operator");
      }
    }
    question_.framework = lower(question_.framework);
    question_.phase = lower(question_.phase);
    question_.model = model_ == "strict" ? CostModel::kStrict : CostModel::kCatalogue;
    if (json_) format_ = "json";
    return {};
  }

  /// The machines that fit a terminal or a plot: the one with published times between two others.
  static Machines few_machines() {
    Machines machines;
    for (const char* name : {"H20", "XPU-A", "H200"}) {
      const Result<const HardwareProfile*> found = find_hardware(name);
      if (found) machines.profiles.push_back(*found);
    }
    return machines;
  }

  Machines default_machines() const { return format_ == "table" ? few_machines() : all_machines(); }

  Status write_plot(const Catalogue& catalogue, const std::vector<BaselineTime>& baseline,
                    const Machines& shown) const {
    if (svg_.empty()) return {};
    const Machines few = few_machines();
    const Machines& machines = hardware_.empty() ? few : shown;
    const Result<Roofline> roofline =
        make_roofline(catalogue, machines.profiles, baseline, question_);
    if (!roofline) return roofline.error();
    return write_report(svg_, show_roofline_svg(*roofline), force_);
  }

  std::string shown_text(const Roofline& roofline, const Catalogue& catalogue) const {
    if (format_ == "json") return show_roofline_json(roofline);
    if (format_ == "csv") return show_roofline_csv(roofline);
    if (format_ == "md") return show_roofline_markdown(roofline, catalogue);
    return question_.operator_name.empty() ? show_roofline_text(roofline, text_columns())
                                           : show_operator_text(roofline, text_columns());
  }

  std::string what_;
  HardwareOption hardware_;
  std::string model_ = "strict";
  RooflineQuestion question_;
  std::string baseline_;
  std::string catalogue_;
  std::string format_ = "table";
  std::string html_;
  std::string svg_;
  bool json_ = false;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> roofline_command() {
  return std::make_unique<RooflineCommand>();
}

}  // namespace tactus::cli
