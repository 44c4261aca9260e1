// Every command over inputs whose names try to control the terminal, to pose as lines of their own
// and to turn text around.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/printable.h"
#include "base/utf8.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

// ESC, BEL, NEL, CSI, right-to-left override and isolate, line separator, marks, DEL, line ends.
constexpr std::string_view kRaw =
    "evil\x1b[31m\x07\u0085\u009b2J\u202egnp\u2066\u2028\u200f\u061c\x7f\r\t\nINJECTED";
constexpr std::string_view kInJson =
    "evil\\u001b[31m\\u0007\\u0085\\u009b2J\\u202egnp\\u2066\\u2028\\u200f\\u061c\\u007f\\r\\t\\n"
    "INJECTED";
/// In a profile, texts have to be of one line.
constexpr std::string_view kInToml = "evil\\u009b2J\\u202Egnp\\u2066\\u2028\\u200F";
const std::string kFile = "evil\x1b[31m\u202e\u009b\x07\nINJECTED";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string golden_input(const std::string& name) {
  return testing::read_file((fs::path(TACTUS_ROOT) / "tests/golden/inputs" / name).string());
}

/// The control characters in a text that is shown to people; line ends are fine.
std::string control_characters(std::string_view text) {
  std::string found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
    const bool is_line_end = character == "\n";
    if (!is_line_end && printable(character) != character) {
      found += printable(text.substr(at > 30 ? at - 30 : 0, 60)) + "\n";
    }
    at += character.size();
  }
  if (text.starts_with("INJECTED") || text.find("\nINJECTED") != std::string_view::npos) {
    found += "a name makes a line\n";
  }
  return found;
}

class HostileNames : public ::testing::Test {
 protected:
  HostileNames() {
    std::string trace = replaced(golden_input("steps/steps.json"), "nvjet_sm90_tst_64x32", kInJson);
    trace = replaced(trace, "decode_step", kInJson);
    trace = replaced(trace, "\"traceEvents\": [",
                     "\"traceEvents\": [" + name_event("process_name") + name_event("thread_name") +
                         name_event("process_labels"));
    write(kFile + ".json", trace);
    write("trace.json", replaced(trace, "NVIDIA H200", kInJson));
    write("trace.counters.csv", replaced(replaced(golden_input("steps/steps.counters.csv"), "Host",
                                                  "\"" + std::string(kRaw) + "\""),
                                         "GPU 0", "\"" + std::string(kRaw) + "\""));
    write("shapes.json", replaced(golden_input("shapes/layer.json"), "_C::fused_add", kInJson));
    write("table.txt", replaced(golden_input("table.txt"), "gemm_kernel",
                                replaced(std::string(kRaw), "\r\t\n", " ")));
    write("broken.json", replaced(golden_input("broken.json"), "fine", kInJson));
    write("a_perf_data.csv", patterns(1000));
    write(kFile + "_perf_data.csv", patterns(1300));
    write("bench.json", bench());
    write("catalogue.json", catalogue());
    write("machine.toml",
          replaced(testing::read_file(std::string(TACTUS_ROOT) + "/data/hardware/h200.toml"),
                   "\"H200\"", "\"" + std::string(kInToml) + "\""));
  }

  void write(const std::string& name, const std::string& text) { folder_.write(name, text); }

  static std::string name_event(const std::string& kind) {
    return R"({"ph":"M","name":")" + kind + R"(","pid":395,"tid":395,"args":{"name":")" +
           std::string(kInJson) + R"(","labels":")" + std::string(kInJson) + "\"}},";
  }

  static std::string patterns(int length) {
    std::string text =
        "cycle,pid,hostname,beta_pct,function_name,metric_name,device,mu_pct,anchor_name,"
        "anchor_dur_us\n";
    const std::string name = "\"" + std::string(kRaw) + "\"";
    for (int cycle = 1; cycle <= 9; ++cycle) {
      for (const int process : {7, 8}) {
        text += std::to_string(cycle) + "," + std::to_string(process) + "," + name + "," +
                std::to_string(length / 50 + cycle) + "," + name + ",gpu_usage," + name + "," +
                std::to_string(process * length / 100 + cycle) + "," + name + "," +
                std::to_string(length + cycle) + "\n";
      }
    }
    return text;
  }

  static std::string bench() {
    std::string text = replaced(golden_input("bench/two.json"), "l2_norm", kInJson);
    text = replaced(text, "NVIDIA H200", kInJson);
    text = replaced(text, "\"profile\":\"H200\"", "\"profile\":\"" + std::string(kInJson) + "\"");
    text = replaced(text, "13.0", kInJson);
    text = replaced(text, "\"cuda\"", "\"" + std::string(kInJson) + "\"");
    text = replaced(text, "torch_compiled", kInJson);
    text = replaced(text, "\"shape\":\"1\"", "\"shape\":\"" + std::string(kInJson) + "\"");
    text = replaced(text, "\"note\":null", "\"note\":\"" + std::string(kInJson) + "\"");
    return replaced(text, "cuda has no fused_moe", kInJson);
  }

  /// Names of its operators have to be known.
  std::string catalogue() {
    const std::string mined = run("tactus mine shapes.json -o - -q");
    std::string text = replaced(mined, "mined from shapes.json", kInJson);
    text = replaced(text, "share of the GPU time of kernels whose shape is known", kInJson);
    text = replaced(text, "\"id\":\"gemm\"", "\"id\":\"" + std::string(kInJson) + "\"");
    text = replaced(text, "aten::mm", kInJson);
    return replaced(text, "\"framework\":\"pytorch\"",
                    "\"framework\":\"" + std::string(kInJson) + "\"");
  }

  /// What a command prints on standard output and standard error.
  std::string run(const std::string& command) const {
    const std::string tool = fs::path(TACTUS_TOOL).parent_path().string();
    const std::string line = "cd '" + folder_.path().string() + "' && export PATH='" + tool +
                             "':$PATH COLUMNS=120 EVIL='" + kFile + "' && { " + command +
                             "\n} 2>&1";
    FILE* pipe = ::popen(line.c_str(), "r");
    std::string output;
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) {
      output.append(buffer, got);
    }
    ::pclose(pipe);
    return output;
  }

  void expect_clean(const std::string& command) const {
    const std::string output = run(command);
    EXPECT_NE(output, "") << command;
    EXPECT_EQ(control_characters(output), "") << command;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(HostileNames, do_not_reach_the_terminal) {
  for (const char* command : {
           "tactus import \"$EVIL.json\" -o \"$EVIL.tact\"",
           "tactus import \"$EVIL.json\" -o \"$EVIL.tact\"",
           "tactus import trace.json -o run.tact --json",
           "tactus info \"$EVIL.json\"",
           "tactus info run.tact",
           "tactus info run.tact --json",
           "tactus info trace.json",
           "tactus info broken.json",
           "tactus kernels \"$EVIL.json\"",
           "tactus kernels trace.json",
           "tactus kernels trace.json --by operator",
           "tactus kernels trace.json --by source",
           "tactus kernels trace.json --by group",
           "tactus kernels trace.json --by module",
           "tactus kernels trace.json --by module --unfold --format md",
           "tactus kernels trace.json --format md",
           "tactus kernels trace.json --json",
           "tactus kernels trace.json \"$EVIL.json\"",
           "tactus kernels trace.json \"$EVIL.json\" --json",
           "tactus kernels shapes.json",
           "tactus kernels shapes.json --hardware machine.toml",
           "tactus kernels table.txt",
           "tactus kernels broken.json",
           "tactus cycles trace.json",
           "tactus cycles trace.json --json",
           "tactus cycles trace.json --anchor \"$EVIL\"",
           "tactus patterns trace.json -o \"$EVIL\"",
           "tactus patterns trace.json -o folder --json",
           "tactus compare a_perf_data.csv \"${EVIL}_perf_data.csv\"",
           "tactus compare a_perf_data.csv \"${EVIL}_perf_data.csv\" --json",
           "tactus compare trace.json \"$EVIL.json\"",
           "tactus compare --roles a_perf_data.csv \"${EVIL}_perf_data.csv\" -o -",
           "tactus compare a_perf_data.csv \"${EVIL}_perf_data.csv\" --fail-on \"$EVIL\"",
           "tactus mine shapes.json",
           "tactus mine shapes.json --json",
           "tactus mine shapes.json --hardware machine.toml --what-if \"$EVIL=1\"",
           "tactus operators --catalogue catalogue.json",
           "tactus operators --catalogue catalogue.json --json",
           "tactus roofline --catalogue catalogue.json",
           "tactus roofline --catalogue catalogue.json --hardware H200,machine.toml",
           "tactus roofline gemm --catalogue catalogue.json --hardware machine.toml",
           "tactus roofline gemm/0 --catalogue catalogue.json --hardware machine.toml",
           "tactus roofline --catalogue catalogue.json --hardware machine.toml --format md",
           "tactus roofline --catalogue catalogue.json --hardware machine.toml --json",
           "tactus roofline \"$EVIL\"",
           "tactus roofline --hardware \"$EVIL\"",
           "tactus bench --show bench.json",
           "tactus bench --show bench.json --json",
           "tactus bench --compare bench.json bench.json",
           "tactus bench --compare bench.json bench.json --json",
           "tactus bench --operator \"$EVIL\"",
           "tactus check --build \"$EVIL.json\"",
           "tactus decode \"$EVIL\"",
           "tactus decode \"$EVIL\" --json",
           "tactus \"$EVIL\"",
           "tactus kernels \"$EVIL\"",
           "tactus kernels --by \"$EVIL\" trace.json",
           "tactus kernels \"--$EVIL\" trace.json",
       }) {
    expect_clean(command);
  }
}

TEST_F(HostileNames, do_not_break_the_columns_of_a_profiler) {
  const std::string output = run("tactus kernels trace.json --format tsv");
  EXPECT_EQ(control_characters(replaced(output, "\t", " ")), "");
  EXPECT_EQ(std::count(output.begin(), output.end(), '\t') % 8, 0);
}

TEST_F(HostileNames, do_not_reach_pages_and_reports) {
  for (const char* command : {
           "tactus compare a_perf_data.csv \"${EVIL}_perf_data.csv\" --html a.html --md a.md",
           "tactus compare a_perf_data.csv \"${EVIL}_perf_data.csv\" --classic reports",
           "tactus compare --roles a_perf_data.csv \"${EVIL}_perf_data.csv\" -o roles",
           "tactus compare trace.json \"$EVIL.json\" --html b.html --md b.md --classic reports",
           "tactus roofline --catalogue catalogue.json --hardware machine.toml --html c.html --svg "
           "c.svg",
           "tactus bench --show bench.json --html d.html --md d.md --svg d.svg --dots e.svg",
       }) {
    expect_clean(command);
  }
  std::size_t reports = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".html" && ending != ".md" && ending != ".svg") continue;
    EXPECT_EQ(control_characters(testing::read_file(entry.path().string())), "") << entry.path();
    ++reports;
  }
  EXPECT_GE(reports, 12U);
}

TEST_F(HostileNames, are_exact_in_data) {
  EXPECT_NE(run("tactus export trace.json --format csv").find(kRaw), std::string::npos);
  EXPECT_NE(run("tactus kernels trace.json --format csv").find(kRaw), std::string::npos);
}

}  // namespace
}  // namespace tactus
