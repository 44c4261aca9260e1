#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/json.h"
#include "base/progress.h"
#include "compare/patterns/patterns.h"
#include "compare/runs/regroup.h"
#include "compare/verdict.h"
#include "sources/sources.h"
#include "support/files.h"

namespace tactus {
namespace {

const std::string kFolder = std::string(TACTUS_ROOT) + "/data/faults";

/// Recordings of the set, each read once.
class Recordings {
 public:
  const tactus::Run& of(const std::string& name) {
    const auto known = runs_.find(name);
    if (known != runs_.end()) return known->second;
    NoProgress quiet;
    ImportRequest request;
    request.inputs = {kFolder + "/" + name + ".json.zst"};
    Result<Imported> imported = import_run(request, quiet);
    if (!imported) {
      ADD_FAILURE() << imported.error().message;
      return runs_[name];
    }
    return runs_.emplace(name, std::move(imported->run)).first->second;
  }

 private:
  std::map<std::string, tactus::Run> runs_;
};

Comparison compare(const tactus::Run& normal, const tactus::Run& abnormal) {
  const auto cycles = cycles_to_compare(normal, abnormal, {});
  if (!cycles) {
    ADD_FAILURE() << cycles.error().message;
    return {};
  }
  const tactus::Run patterns[2] = {run_of_patterns(normal, cycles->first),
                                   run_of_patterns(abnormal, cycles->second)};
  return compare_runs(compared_trace(normal, cycles->first, patterns[0]),
                      compared_trace(abnormal, cycles->second, patterns[1]), {});
}

TEST(FaultSet, every_fault_that_was_injected_is_named_and_normal_runs_are_not_blamed) {
  Recordings recordings;
  const auto labels = Json::parse(testing::read_file(kFolder + "/labels.json"));
  ASSERT_GE(labels.size(), 10U);
  for (const auto& label : labels) {
    const std::string normal = label.text_at("normal");
    const std::string name = label.text_at("name");
    const Comparison comparison = compare(recordings.of(normal), recordings.of(name));
    const std::string said(verdict_class_name(comparison.verdict.verdict));
    const auto right = label.at("accept").get<std::vector<std::string>>();
    EXPECT_NE(std::find(right.begin(), right.end(), said), right.end())
        << normal << " to " << name << ": " << comparison.verdict.text;
  }
}

}  // namespace
}  // namespace tactus
