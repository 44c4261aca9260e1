#include "catalogue/catalogue.h"
#include "cli/completion/completion.h"
#include "hardware/profile.h"

namespace tactus::cli {

std::vector<std::string> offered_words(const Option& option) {
  std::vector<std::string> words = option.allowed;
  words.insert(words.end(), option.suggested.begin(), option.suggested.end());
  if (option.kind == ValueKind::kOperator) {
    if (const Result<Catalogue> catalogue = built_in_catalogue()) {
      for (const Operator& op : catalogue->operators) words.push_back(op.name);
    }
  }
  if (option.kind == ValueKind::kMachine) {
    for (const HardwareProfile& profile : built_in_hardware()) words.push_back(profile.name);
    words.insert(words.end(), {"host", "cuda"});
  }
  if (option.kind == ValueKind::kCommand) {
    CommonOptions unused;
    const std::vector<std::string> names = command_names(declare_commands(unused));
    words.insert(words.end(), names.begin(), names.end());
  }
  return words;
}

bool offers_files(const Option& option) {
  return option.kind == ValueKind::kFile || option.kind == ValueKind::kMachine;
}

const Option* positional_of(const DeclaredCommand& command) {
  for (const Option& option : command.options.all()) {
    if (option.is_positional()) return &option;
  }
  return nullptr;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

}  // namespace tactus::cli
