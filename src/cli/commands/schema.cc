#include "cli/command.h"
#include "views/common/json_fields.h"

namespace tactus::cli {
namespace {

class SchemaCommand final : public Command {
 public:
  std::string name() const override { return "schema"; }
  std::string description() const override {
    return "Print the fields of all JSON documents, for programs that read them";
  }
  std::string details() const override {
    return "Each field has a path, a type, a unit and a sentence. The default is Markdown, the "
           "page "
           "docs/json.md. The page of report and serve is built with the TypeScript; that has its "
           "own documents, too.";
  }
  std::string examples() const override {
    return "  tactus schema                                # the page docs/json.md\n"
           "  tactus schema --typescript > documents.ts\n"
           "  tactus schema --json\n";
  }

  void add_options(Options& options) override {
    options.add("--typescript", typescript_, "print types for TypeScript");
    options.add("--json", json_, "print JSON");
  }

  Result<int> run(const CommonOptions&) override {
    if (json_ && typescript_) return usage_error("give --json or --typescript, not both");
    const Status printed = print(json_         ? json_schema()
                                 : typescript_ ? json_typescript()
                                               : json_reference());
    if (!printed) return printed.error();
    return kDone;
  }

 private:
  bool typescript_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> schema_command() {
  return std::make_unique<SchemaCommand>();
}

}  // namespace tactus::cli
