#include <gtest/gtest.h>

#include <set>

#include "names/rule_index.h"

namespace tactus::names {
namespace {

TEST(Rules, each_fits_its_own_example_first) {
  const RuleIndex index(rule_tables());
  for (const RuleTable& table : rule_tables()) {
    for (const Rule& rule : table.rules) {
      NameTokens tokens;
      tokenise(rule.example, tokens);
      const RuleMatch match = index.match(tokens);
      EXPECT_EQ(match.rule, &rule)
          << rule.words << ": its example goes to "
          << (match.rule == nullptr ? "no rule" : match.rule->words) << ": " << rule.example;
    }
  }
}

TEST(Rules, each_has_words_of_its_own_an_operator_and_a_family) {
  std::set<std::string_view> words;
  for (const RuleTable& table : rule_tables()) {
    for (const Rule& rule : table.rules) {
      EXPECT_TRUE(words.insert(rule.words).second) << rule.words << ": twice";
      EXPECT_FALSE(rule.op.empty()) << rule.words;
      EXPECT_NE(rule.family, Family::kOther) << rule.words;
    }
  }
}

TEST(Rules, launchers_are_files_of_a_project) {
  for (const RuleTable& table : rule_tables()) {
    for (const Rule& rule : table.rules) {
      const std::string_view file = rule.launcher.file;
      if (file.empty()) continue;
      EXPECT_NE(file.find('/'), std::string_view::npos) << rule.words;
      EXPECT_NE(file.substr(file.rfind('/')).find('.'), std::string_view::npos)
          << rule.words << ": " << file << " is no file";
    }
  }
}

}  // namespace
}  // namespace tactus::names
