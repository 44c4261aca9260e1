// Pages that `tactus report` writes, read as a browser would.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "base/json.h"
#include "page/packed_reader.h"
#include "page/sha256.h"
#include "support/files.h"
#include "support/paths.h"
#include "views/common/json_fields.h"
#include "views/page/page_html.h"
#include "views/page/restored_json.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

const std::string kDemo = std::string(TACTUS_ROOT) + "/data/demo/";
const std::string kInputs = std::string(TACTUS_ROOT) + "/tests/golden/inputs/";

/// Runs the tool; the value is its exit code.
int tactus(const std::string& arguments) {
  const int status =
      std::system(("'" + std::string(TACTUS_TOOL) + "' " + arguments + " >/dev/null 2>&1").c_str());
  return WEXITSTATUS(status);
}

struct Page {
  std::string html;
  Json head;
  std::set<std::string> names;
};

/// `command` is up to the name of the page.
Page page_by(const std::string& command, int code = 0) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("page.html");
  EXPECT_EQ(tactus(command + " '" + path + "'"), code) << command;
  Page page;
  page.html = testing::read_file(path);
  const std::string mark = "id=\"tactus-head\">";
  const std::size_t at = page.html.find(mark) + mark.size();
  page.head = Json::parse(page.html.substr(at, page.html.find("</script>", at) - at));
  for (const Json& name : page.head["documents"]) page.names.insert(name.get<std::string>());
  return page;
}

Page page_of(const std::string& arguments) {
  return page_by("report " + arguments + " -o");
}

TEST(Report, is_what_other_commands_write_as_html) {
  const Page compared =
      page_by("compare " + kDemo + "h200-good.tact " + kDemo + "h200-slow.tact --html");
  EXPECT_EQ(compared.head.text_at("open"), "compare");
  EXPECT_TRUE(compared.names.contains("compare"));
  EXPECT_TRUE(compared.names.contains("run/1/timeline"));
  const Page roofline = page_by("roofline --html");
  EXPECT_EQ(roofline.head.text_at("open"), "roofline");
  EXPECT_TRUE(roofline.names.contains("roofline"));
  const Page bench =
      page_by("bench --show " + kInputs + "bench/one.json --html", 1);  // a row is wrong
  EXPECT_EQ(bench.head.text_at("open"), "bench");
  EXPECT_TRUE(bench.names.contains("bench"));
}

TEST(Report, holds_all_documents_of_a_run) {
  const Page page = page_of(kDemo + "h200-good.tact");
  EXPECT_TRUE(check_json(page.head, page_head_fields()));
  const Json shared = Json::parse(testing::block_of_page(page.html, "id=\"tactus-json\""));
  const Json& documents = shared["documents"];
  for (const char* name : {"runs", "run/0/info", "run/0/overview", "run/0/kernels", "run/0/cycles",
                           "run/0/timeline", "run/0/slices", "run/0/links", "run/0/counters",
                           "run/0/flame", "run/0/kernels?phase=decode"}) {
    EXPECT_TRUE(page.names.contains(name)) << name;
    const std::string block = "data-name=\"" + std::string(name) + "\"";
    EXPECT_NE(documents.contains(name), !testing::block_of_page(page.html, block).empty()) << name;
  }
  EXPECT_FALSE(page.names.contains("compare"));
}

TEST(Report, of_a_light_recording_has_launches_and_calls_unknown_what_it_does_not_know) {
  for (const char* name : {"light", "graphs"}) {
    const Page page = page_of(kInputs + "light/" + name + ".tact");
    EXPECT_FALSE(page.names.contains("run/0/flame"));
    const Json shared = Json::parse(testing::block_of_page(page.html, "id=\"tactus-json\""));
    const Json kernels = testing::document_of_page(shared, "run/0/kernels");
    EXPECT_TRUE(check_json(kernels, kernels_fields()));
    EXPECT_TRUE(kernels["total_ns"].is_null());
    EXPECT_TRUE(kernels["coverage"]["source"].is_null());
    EXPECT_GT(kernels["launches"]["total"].get<std::int64_t>(), 0);
    EXPECT_EQ(kernels["launches"]["gpu_times"].at(0)["name"], Json("step"));
    // A graph has a time, so that it is known when the device was busy; a single kernel has none.
    EXPECT_EQ(kernels.find("idle") != nullptr, std::string_view(name) == "graphs");
    const Json overview = testing::document_of_page(shared, "run/0/overview");
    EXPECT_NE(overview.text_at("sentence").find("light recording"), std::string_view::npos);
    EXPECT_TRUE(overview["warnings"].empty());
    EXPECT_EQ(overview["remarks"].size(), 1u);
    EXPECT_EQ(testing::document_of_page(shared, "runs").at(0)["holds"], Json("launches"));
    EXPECT_NE(page.html.find("<th>Launches</th>"), std::string::npos);  // without JavaScript
  }
}

TEST(Report, says_what_it_wrote_unless_it_is_to_be_quiet) {
  const testing::TemporaryFolder folder;
  const auto said = [&](const std::string& arguments) {
    const std::string out = folder.file("said");
    EXPECT_EQ(std::system(
                  ("'" + std::string(TACTUS_TOOL) + "' " + arguments + " 2>'" + out + "'").c_str()),
              0);
    return testing::read_file(out);
  };
  const std::string run = kInputs + "small.json";
  const std::string page = folder.file("p.html");
  EXPECT_TRUE(
      std::regex_match(said("report " + run + " -o '" + page + "'"),
                       std::regex("wrote .*p\\.html \\([0-9.]+ kB\\); open it in a browser\n")));
  EXPECT_EQ(said("report -q --force " + run + " -o '" + page + "'"), "");
  EXPECT_NE(said("export " + run + " --format perfetto -o '" + folder.file("x") + "'")
                .find("open it in https://ui.perfetto.dev"),
            std::string::npos);
  EXPECT_EQ(said("export " + run + " --format csv -o - >/dev/null"), "");
}

TEST(Report, of_two_runs_compares_them) {
  const Page page = page_of(kDemo + "h200-good.tact " + kDemo + "h200-slow.tact");
  EXPECT_TRUE(page.names.contains("compare"));
  EXPECT_TRUE(page.names.contains("run/1/kernels"));
  EXPECT_EQ(page.head.text_at("open"), "compare");
}

TEST(Report, has_ranks_and_modules_where_the_run_has_them) {
  EXPECT_TRUE(page_of(kDemo + "h200-two-ranks.tact").names.contains("run/0/ranks"));
  EXPECT_TRUE(page_of(kDemo + "h200-modules.json.gz").names.contains("run/0/modules"));
}

TEST(Report, allows_only_its_own_script_and_style) {
  const Page page = page_of(kDemo + "h200-decode.json.gz");
  const std::size_t at = page.html.rfind("<script>") + 8;
  const std::string script = page.html.substr(at, page.html.find("</script>", at) - at);
  std::string hash = csp_hash(script);
  hash = std::regex_replace(hash, std::regex("'"), "&#39;");
  EXPECT_NE(page.html.find(" " + hash + "; style-src"), std::string::npos);
  EXPECT_EQ(page.html.find("unsafe-"), std::string::npos);
  EXPECT_EQ(page.html.find("src=\"http"), std::string::npos);
}

TEST(Report, holds_no_paths_of_the_machine_unless_asked) {
  const testing::TemporaryFolder folder;
  const std::string copy = folder.file("secret-run.json.gz");
  fs::copy_file(kDemo + "h200-modules.json.gz", copy);
  // The plain tables and the head are not packed.
  EXPECT_EQ(page_of(copy).html.find(folder.path().string()), std::string::npos);
  EXPECT_NE(page_of(copy + " --with-paths").html, page_of(copy).html);
}

TEST(Report, hostile_names_are_inert) {
  const testing::TemporaryFolder folder;
  const std::string trace = folder.write(
      "<img src=x onerror=alert(1)>.json",
      R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"</script><img src=x onerror=alert(1)>",)"
      R"("ts":1,"dur":2,"pid":0,"tid":7,"args":{"device":0,"stream":7}},{"ph":"X","cat":"kernel",)"
      R"("name":"\"><svg onload=alert(2)>'&lt;","ts":5,"dur":2,"pid":0,"tid":7,)"
      R"("args":{"device":0,"stream":7}}]})");
  const Page page = page_of("'" + trace + "'");
  EXPECT_EQ(page.html.find("<img"), std::string::npos);
  EXPECT_EQ(page.html.find("<svg onload"), std::string::npos);
  EXPECT_NE(page.html.find("&lt;img src=x onerror=alert(1)&gt;"), std::string::npos);
  EXPECT_TRUE(page.names.contains("run/0/kernels"));
}

TEST(Report, of_little_is_still_a_page) {
  const testing::TemporaryFolder folder;
  const std::string host_only = folder.write(
      "host.json",
      R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":1,"dur":2,"pid":1,"tid":1}]})");
  const Page page = page_of(host_only);
  EXPECT_TRUE(page.names.contains("run/0/slices"));
  EXPECT_NE(page.html.find("no GPU events"), std::string::npos);
}

TEST(Report, of_runs_that_cannot_be_compared_says_so) {
  const Page page = page_of(kDemo + "h200-good.tact " + kInputs + "table.txt");
  EXPECT_FALSE(page.names.contains("compare"));
  ASSERT_GE(page.head["warnings"].size(), 1U);
  EXPECT_TRUE(
      page.head["warnings"][0].get<std::string>().starts_with("The two runs cannot be compared"));
}

TEST(Report, does_not_overwrite_without_being_told) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("page.html", "mine");
  EXPECT_EQ(tactus("report " + kDemo + "h200-decode.json.gz -o " + path), 2);
  EXPECT_EQ(testing::read_file(path), "mine");
  EXPECT_EQ(tactus("report " + kDemo + "h200-decode.json.gz --force -o " + path), 0);
  EXPECT_EQ(tactus("report " + folder.file("none.json") + " -o " + folder.file("x.html")), 2);
  EXPECT_FALSE(fs::exists(folder.file("x.html")));
}

TEST(Report, shows_each_of_the_seeds) {
  const std::map<std::string, std::string> expected = {{"000_1bed086f7a4328da.txt", "opinion"},
                                                       {"001_9d4567749f1494f6.txt", "table"},
                                                       {"002_f016f53a8cb403b0.txt", "table"},
                                                       {"003_43bc38207cb4bebe.txt", "roofline"}};
  for (const auto& [seed, document] : expected) {
    const std::optional<std::string> path = testing::shared_file("seeds/" + seed);
    if (!path) GTEST_SKIP() << "the seeds are not here";
    EXPECT_TRUE(page_of(*path).names.contains(document)) << seed;
  }
}

TEST(PageHtml, a_document_that_is_nested_too_deeply_to_share_its_texts_stays_as_it_is) {
  const std::string deep = std::string(20'000, '[') + std::string(20'000, ']');
  PageRequest request;
  request.documents = {{.name = "deep", .is_json = true, .bytes = deep},
                       {.name = "flat", .is_json = true, .bytes = R"(["a text"])"}};
  const std::string html = show_page(request);
  EXPECT_EQ(testing::block_of_page(html, "data-name=\"deep\""), deep);
  EXPECT_EQ(testing::block_of_page(html, "id=\"tactus-json\""),
            R"({"strings":["a text"],"documents":{"flat":["~0"]}})");
}

TEST(PlainTables, show_kernels_without_a_script) {
  const std::string html = plain_tables(
      {{.name = "run/0/kernels",
        .is_json = true,
        .bytes = R"({"rows":[{"name":"<b>","family":"gemm","total_ns":1500,"instances":2}]})"}});
  EXPECT_NE(html.find("<td>&lt;b&gt;</td>"), std::string::npos);
  EXPECT_NE(html.find("1.500"), std::string::npos);
}

}  // namespace
}  // namespace tactus
