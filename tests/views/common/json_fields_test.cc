// The tables of fields against docs/json.md and against what the commands print.
#include "views/common/json_fields.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TACTUS_ROOT;

Json json_of(const fs::path& folder, const std::string& arguments) {
  const std::string line = "cd '" + folder.string() + "' && '" + std::string(TACTUS_TOOL) + "' " +
                           arguments + " 2>/dev/null";
  FILE* pipe = ::popen(line.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, got);
  }
  ::pclose(pipe);
  return Json::parse(output);
}

const JsonDocument& document_of(std::string_view command) {
  for (const JsonDocument& document : json_documents()) {
    if (document.command == command) return document;
  }
  ADD_FAILURE() << command;
  return json_documents().front();
}

TEST(JsonFields, page_is_up_to_date) {
  const std::string path = (kRoot / "docs" / "json.md").string();
  if (std::getenv("TACTUS_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << json_reference();
  EXPECT_EQ(testing::read_file(path), json_reference());
}

TEST(JsonFields, are_each_named_once_and_explained) {
  for (const JsonDocument& document : json_documents()) {
    std::set<std::string_view> paths;
    for (const JsonField& field : document.fields) {
      EXPECT_TRUE(paths.insert(field.path).second) << document.command << ": " << field.path;
      EXPECT_FALSE(field.meaning.empty()) << document.command << ": " << field.path;
    }
  }
}

TEST(JsonFields, are_those_that_commands_print) {
  const testing::TemporaryFolder folder;
  const std::string demo = " " + (kRoot / "data" / "demo").string() + "/";
  const std::string trace = demo + "h200-decode.json.gz";
  const std::string good = demo + "h200-good.tact";
  const std::string slow = demo + "h200-slow.tact";
  const std::string inputs = " " + (kRoot / "tests" / "golden" / "inputs").string() + "/";
  struct Case {
    std::string_view command;
    std::string arguments;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"kernels RUN --json", "kernels" + trace + " --json"},
           {"kernels RUN --json", "kernels" + trace + " --by group --json"},
           {"kernels RUN --json", "kernels" + slow + " --by source --json"},
           {"kernels RUN --json", "kernels" + inputs + "table.txt --json"},
           {"kernels RUN --json", "kernels" + inputs + "light/light.tact --json"},
           {"kernels RUN --json", "kernels" + inputs + "light/graphs.tact --json"},
           {"kernels RUN RUN2 --json", "kernels" + good + slow + " --json"},
           {"decode NAME --json", "decode nvjet_tst_128x8_64x12_2x1_v_bz_TNT unknown --json"},
           {"kernels RUN --json", "kernels" + demo + "h200-modules.json.gz --by module --json"},
           {"cycles RUN --json", "cycles" + trace + " --json"},
           {"watch RUN --json", "watch --csv" + inputs + "watch/steps.csv --json"},
           {"watch RUN --json", "watch" + good + " --learn 20 --json"},
           {"ranks RUN --json", "ranks" + demo + "h200-two-ranks.tact --json"},
           {"ranks RUN --json", "ranks" + inputs + "ranks --json"},
           {"sql RUN QUERY --json",
            "sql" + good + " \"SELECT name, dur_ns FROM kernels LIMIT 3\" --json"},
           {"patterns RUN -o PREFIX --json", "patterns" + trace + " -o p --json"},
           {"info RUN --json", "info" + trace + " --json"},
           {"info RUN --json", "info" + slow + " --json"},
           {"info RUN --json", "info" + inputs + "light/light.tact --json"},
           {"import FILE -o RUN --json", "import" + trace + " -o x.tact --json"},
           {"compare NORMAL ABNORMAL --json", "compare" + good + slow + " --json"},
           {"operators --json", "operators --json"},
           {"mine RUN... --json", "mine" + trace + " --json"},
           {"roofline --json", "roofline --json"},
           {"roofline --json", "roofline --model strict --hardware H200 --json"},
           {"bench --json",
            "bench --show " + (kRoot / "data" / "baselines" / "h200.json").string() + " --json"},
           {"bench --json",
            "bench --check-only --quick --operator rms_norm --hardware H200 --json"},
           {"check --json", "check --json"},
           {"schema --json", "schema --json"},
           {"record -o RUN --json -- COMMAND", "record -o r.tact --json -- true"},
           {"gate --json -- COMMAND", "gate --policy open --json -- true"},
           {"gate groups RUN --json", "gate groups" + trace + " --json"},
           {"gate groups RUN --json", "gate groups" + inputs + "gate/wrapped.txt --json"},
           {"gate explain RUN --policy P --json", "gate explain" + trace + " --policy slo --json"},
           {"gate explain RUN --policy P --json",
            "gate explain" + inputs + "table.txt --policy priority --json"},
           {"gate simulate RUN --policy P --json",
            "gate simulate" + trace + " --policy priority --json"},
           {"top PROCESS --once --json", "top $$ --once --json"},
           {"inject SCENARIO --json", "inject cpu --dry-run --json"},
           {"inject --list --json", "inject --list --json"},
           {"drill --json -- COMMAND", "drill -o d --json --scenarios cpu -- true"},
       }) {
    const Json document = json_of(folder.path(), c.arguments);
    ASSERT_FALSE(document.is_discarded()) << c.arguments;
    const Status status = check_json(document, document_of(c.command).fields);
    EXPECT_TRUE(status) << c.arguments << ": " << status.error().message;
  }
}

TEST(JsonFields, of_every_document_tell_what_was_lost) {
  for (const JsonDocument& document : json_documents()) {
    const auto has = [&](std::string_view path) {
      return std::any_of(document.fields.begin(), document.fields.end(),
                         [&](const JsonField& field) { return field.path == path; });
    };
    if (has("[]")) continue;  // a list has no place for it
    EXPECT_TRUE(has("warnings")) << document.command;
    EXPECT_TRUE(has("dropped")) << document.command;
  }
}

TEST(JsonFields, that_are_wrong_are_named) {
  constexpr JsonField kFields[] = {
      {"rows", "list", "", "rows"},
      {"rows[]", "object", "", "one"},
      {"rows[].ns", "integer?", "ns", "time"},
      {"rows[].note", "text", "", "remark", kSometimes},
      {"kinds", "object", "", "kinds"},
      {"kinds.*", "integer", "", "how many", kSometimes},
  };
  const auto message = [&](std::string_view text) {
    const Status status = check_json(Json::parse(text), kFields);
    return status ? std::string("good") : status.error().message;
  };
  EXPECT_EQ(message(R"({"rows":[{"ns":1},{"ns":null,"note":"a"}],"kinds":{"kernel":3}})"), "good");
  EXPECT_EQ(message(R"({"rows":[{"ns":"1"}],"kinds":{}})"), "rows[].ns is \"1\" and not integer?");
  EXPECT_EQ(message(R"({"rows":[{}],"kinds":{}})"), "rows[].ns is missing");
  EXPECT_EQ(message(R"({"rows":[],"kinds":{},"more":1})"), "more is not documented");
  EXPECT_EQ(message(R"({"rows":[],"kinds":{"a":"b"}})"), "kinds.* is \"b\" and not integer");
  EXPECT_EQ(message(R"({"rows":[]})"), "kinds is missing");
}

}  // namespace
}  // namespace tactus
