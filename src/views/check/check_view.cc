#include "views/check/check_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "views/common/json.h"
#include "views/common/text_table.h"

namespace tactus {
namespace {

constexpr std::size_t kStateWidth = 9;

std::string_view heading(CheckPurpose purpose) {
  switch (purpose) {
    case CheckPurpose::kBuild: return "To build GPU kernels";
    case CheckPurpose::kRun: return "To run them";
    case CheckPurpose::kRecord: return "To record";
  }
  return "";
}

std::string item_text(const CheckItem& item, std::size_t width, std::size_t name_width) {
  const std::size_t head_width = 2 + kStateWidth + name_width;
  const std::string head =
      fmt::format("  {:<{}}{}", check_state_name(item.state), kStateWidth, printable(item.item));
  // What a compiler said keeps its lines.
  std::vector<std::string> found = printable_lines(item.found);
  if (found.empty()) found.emplace_back();
  std::string out = paragraph(head, found.front(), width, head_width);
  for (std::size_t i = 1; i < found.size(); ++i) out += paragraph("", found[i], width, head_width);
  if (!item.fix.empty()) out += paragraph("", "fix: " + item.fix, width, head_width);
  return out;
}

/// The compiler's output keeps its lines.
std::string quoted(const std::string& text) {
  std::string out;
  for (const std::string& line : printable_lines(text)) out += "  | " + line + "\n";
  return out;
}

std::string summary(const std::vector<FileCheck>& files, const std::vector<CheckItem>& items) {
  int missing = 0;
  int denied = 0;
  const auto count = [&](const CheckItem& item) {
    missing += item.state == CheckState::kMissing ? 1 : 0;
    denied += item.state == CheckState::kDenied ? 1 : 0;
  };
  for (const FileCheck& file : files) count(file.item);
  for (const CheckItem& item : items) count(item);
  if (missing + denied == 0) return "Nothing is missing.\n";
  return fmt::format("{} of {} missing, {} denied.\n", missing, files.size() + items.size(),
                     denied);
}

void texts(JsonText& json, std::string_view key, const std::vector<std::string>& values) {
  json.key(key).open_array();
  bool repaired = false;
  for (const std::string& value : values) json.text(to_valid_utf8(value, repaired));
  json.close_array();
}

void write_item(JsonText& json, const CheckItem& item) {
  bool repaired = false;
  json.key("item").text(to_valid_utf8(item.item, repaired));
  json.key("state").text(check_state_name(item.state));
  json.key("fix").text(to_valid_utf8(item.fix, repaired));
  json.key("found").text(to_valid_utf8(item.found, repaired));
  json.key("for").text(check_purpose_name(item.purpose));
}

}  // namespace

std::string check_text(const std::vector<FileCheck>& files, const std::vector<CheckItem>& items,
                       std::size_t width) {
  std::size_t name_width = 0;
  for (const FileCheck& file : files) name_width = std::max(name_width, text_width(file.item.item));
  for (const CheckItem& item : items) name_width = std::max(name_width, text_width(item.item));
  name_width = std::min<std::size_t>(name_width, 40) + 2;
  std::string out;
  for (const FileCheck& file : files) {
    out += item_text(file.item, width, name_width);
    if (!file.complaint.empty()) out += quoted(file.complaint);
  }
  for (const CheckPurpose purpose :
       {CheckPurpose::kBuild, CheckPurpose::kRun, CheckPurpose::kRecord}) {
    bool first = true;
    for (const CheckItem& item : items) {
      if (item.purpose != purpose) continue;
      if (first) out += (out.empty() ? "" : "\n") + std::string(heading(purpose)) + "\n";
      first = false;
      out += item_text(item, width, name_width);
    }
  }
  return out + "\n" + summary(files, items);
}

std::string check_json(const std::vector<FileCheck>& files, const std::vector<CheckItem>& items) {
  JsonText json;
  json.open_array();
  bool repaired = false;
  for (const FileCheck& file : files) {
    json.open_object();
    write_item(json, file.item);
    texts(json, "architectures", file.architectures);
    texts(json, "command", file.command);
    json.key("complaint").text(to_valid_utf8(file.complaint, repaired));
    json.close_object();
  }
  for (const CheckItem& item : items) {
    json.open_object();
    write_item(json, item);
    json.close_object();
  }
  json.close_array();
  return std::move(json).take() + "\n";
}

}  // namespace tactus
