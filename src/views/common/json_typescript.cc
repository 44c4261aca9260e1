#include <algorithm>
#include <map>
#include <vector>

#include "views/common/json_fields.h"

namespace tactus {
namespace {

struct Member;

/// A field and the fields inside it, in the order of the table.
struct Node {
  const JsonField* field = nullptr;
  std::vector<Member> members;

  Node& member(const std::string& key);
  const Node* find(std::string_view key) const;
};

struct Member {
  std::string key;  ///< "[]" for items, "*" for any key
  Node node;
};

Node& Node::member(const std::string& key) {
  const auto at = std::find_if(members.begin(), members.end(),
                               [&](const Member& member) { return member.key == key; });
  if (at != members.end()) return at->node;
  return members.emplace_back(Member{key, {}}).node;
}

const Node* Node::find(std::string_view key) const {
  const auto at = std::find_if(members.begin(), members.end(),
                               [&](const Member& member) { return member.key == key; });
  return at == members.end() ? nullptr : &at->node;
}

/// "rows[].bound.s" as rows, [], bound, s.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    if (path.starts_with("[]")) {
      parts.emplace_back("[]");
      path.remove_prefix(2);
      continue;
    }
    if (path.front() == '.') path.remove_prefix(1);
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    parts.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return parts;
}

/// "input_dims" as InputDims.
std::string camel(std::string_view key) {
  std::string out;
  bool upper = true;
  for (const char c : key) {
    if (c == '_' || c == '-') {
      upper = true;
    } else {
      out.push_back(upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
      upper = false;
    }
  }
  return out;
}

std::string quoted(std::string_view text) {
  return Json(text).dump();
}

class TypeWriter {
 public:
  explicit TypeWriter(std::string& out) : out_(out) {}

  void write(const JsonDocument& document) {
    Node root;
    for (const JsonField& field : document.fields) {
      Node* node = &root;
      for (const std::string& part : parts_of(field.path)) node = &node->member(part);
      node->field = &field;
    }
    const std::string name(document.type);
    out_ += "\n/** " + std::string(document.what) + " (" + std::string(document.command) + ") */\n";
    if (root.find("[]") != nullptr) {
      out_ += "export type " + name + " = " + name + "Item[];\n";
      write_object(name + "Item", *root.find("[]"));
    } else {
      write_object(name, root);
    }
  }

 private:
  /// An interface, and those of the objects inside it.
  void write_object(const std::string& name, const Node& node) {
    std::vector<std::pair<std::string, const Node*>> inside;
    std::string lines;
    for (const auto& [key, member] : node.members) {
      if (key == "*") {
        lines += "  [key: string]: " + type_of(name + "Value", member, inside);
        // What has a key of its own may be of another type.
        if (node.members.size() > 1) lines += " | any";
        lines += ";\n";
        continue;
      }
      const bool optional =
          member.field != nullptr && member.field->presence == JsonPresence::kSometimes;
      lines += "  " + key + (optional ? "?" : "") + ": " +
               type_of(name + camel(key), member, inside) + ";\n";
    }
    out_ += "export interface " + name + " {\n" + lines + "}\n";
    for (const auto& [inner, of] : inside) write_object(inner, *of);
  }

  static std::string type_of(const std::string& name, const Node& node,
                             std::vector<std::pair<std::string, const Node*>>& inside) {
    std::string_view type = node.field != nullptr        ? node.field->type
                            : node.find("[]") != nullptr ? "list"
                                                         : "object";
    const bool nullable = type.ends_with('?');
    if (nullable) type.remove_suffix(1);
    std::string text = "unknown";
    if (type == "text") text = "string";
    if (type == "bool") text = "boolean";
    if (type == "integer" || type == "number") text = "number";
    if (type == "list") {
      const Node* item = node.find("[]");
      text = item == nullptr ? "unknown[]" : type_of(name, *item, inside);
      if (item != nullptr)
        text = text.find(' ') == std::string::npos ? text + "[]" : "(" + text + ")[]";
    }
    if (type == "object") {
      text = name;
      inside.emplace_back(name, &node);
    }
    return nullable ? text + " | null" : text;
  }

  std::string& out_;
};

}  // namespace

std::string json_typescript() {
  std::string out =
      "// Made by `tactus schema --typescript` from the tables of fields; do not edit.\n"
      "/* eslint-disable */\n";
  TypeWriter types(out);
  std::string meanings;
  for (const auto& documents : {json_documents(), page_documents()}) {
    for (const JsonDocument& document : documents) {
      types.write(document);
      meanings += "  " + std::string(document.type) + ": {\n";
      for (const JsonField& field : document.fields) {
        meanings += "    " + quoted(field.path) + ": [" + quoted(field.unit) + ", " +
                    quoted(field.meaning) + "],\n";
      }
      meanings += "  },\n";
    }
  }
  return out +
         "\n/** By document and path of the field: its unit and what it means. */\n"
         "export const fieldMeanings: Record<string, Record<string, readonly [unit: string, "
         "meaning: string]>> = {\n" +
         meanings + "};\n";
}

}  // namespace tactus
