#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/json.h"
#include "base/progress.h"
#include "explain/prepare_sides.h"
#include "sources/sources.h"
#include "support/files.h"
#include "support/paths.h"

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
    const std::string path = kFolder + "/" + name;
    request.inputs = {path + (std::filesystem::exists(path + ".tact") ? ".tact" : ".json.zst")};
    Result<Imported> imported = open_or_import(request, quiet);
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
  Result<PreparedSides> prepared = prepare_sides({{{&normal}, {&abnormal}}}, {}, 1);
  if (!prepared) {
    ADD_FAILURE() << prepared.error().message;
    return {};
  }
  return tactus::compare(prepared->sides[0], prepared->sides[1]);
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
    auto right = label.at("accept").get<std::vector<std::string>>();
    // A few steps may be too few to say "none": then nothing is blamed, and the reason is given.
    const bool is_none = std::find(right.begin(), right.end(), "none") != right.end();
    if (is_none && !comparison.verdict.reason.empty()) right.emplace_back("unknown");
    // A load of the host is named only if it was felt, and two recordings on a shared machine
    // differ by more than some loads do.
    const auto& ratio = label.at("traced_ratio");
    const bool is_felt = ratio.is_number() && ratio.get<double>() > 1.05;
    const std::string injected = label.text_at("class");
    const bool is_load = injected == "host_memory" || injected == "disk";
    if ((is_load && !is_felt) || injected == "none") {
      right.insert(right.end(), {"unknown", "host_slower"});
    }
    EXPECT_NE(std::find(right.begin(), right.end(), said), right.end())
        << normal << " to " << name << ": " << comparison.verdict.text;
  }
}

}  // namespace
}  // namespace tactus
