#include "sources/kineto/document_facts.h"

#include <charconv>
#include <unordered_map>

#include "base/json.h"
#include "sources/kineto/json_scan.h"

namespace tactus::kineto {
namespace {

/// A member that is a whole number.
std::optional<std::int64_t> whole_number(const Json& object, const char* key) {
  const Json* value = object.find(key);
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  return value->get<std::int64_t>();
}

void take_devices(RunBuilder& builder, const Json& properties) {
  if (!properties.is_array()) return;
  for (const Json& device : properties) {
    const std::optional<std::int64_t> id = whole_number(device, "id");
    if (!id) continue;
    builder.run().described_devices.push_back(
        {.source = builder.source_id(),
         .index = *id,
         .name = builder.intern_repaired(device.text_at("name")),
         .uuid = builder.intern_repaired(device.text_at("uuid"))});
  }
}

void take_rank(RunBuilder& builder, const Json& info) {
  Source& source = builder.source();
  source.rank = whole_number(info, "rank");
  source.world_size = whole_number(info, "world_size");
  for (const char* key : {"hostname", "host_name"}) {
    const std::string host = info.text_at(key);
    if (!host.empty()) source.host_name = builder.intern_repaired(host);
  }
}

/// 1790857026000000000, or the same in quotes.
std::optional<std::int64_t> base_time(std::string_view text) {
  if (text.size() > 1 && text.front() == '"') text = text.substr(1, text.size() - 2);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

StackId StackFrames::id(const std::string& frame) {
  const auto [at, is_new] = index_.try_emplace(frame, static_cast<std::uint32_t>(frames_.size()));
  if (is_new) frames_.push_back(frame);
  return StackId(first_ + at->second);
}

void StackFrames::resolve(const std::string& text) {
  if (frames_.empty()) return;
  const Json table = Json::parse(text);
  std::unordered_map<std::string_view, const Json*> by_id;
  for (const auto& [key, frame] : table.items()) by_id[key] = &frame;
  const auto as_key = [](const Json& id) {
    return id.is_string() ? id.get<std::string>() : id.dump();
  };
  // Callers that no event names are found during the walk, so the list grows meanwhile.
  // NOLINTNEXTLINE(modernize-loop-convert)
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    std::int64_t parent = -1;
    std::string name = "(unknown frame " + frames_[i] + ")";
    if (const auto found = by_id.find(frames_[i]); found != by_id.end()) {
      const Json& frame = *found->second;
      if (const Json* own = frame.find("name"); own != nullptr) name = as_key(*own);
      if (const Json* caller = frame.find("parent"); caller != nullptr) {
        parent = id(as_key(*caller)).value;
      }
    }
    builder_.run().stacks.append({parent, builder_.intern(name).value});
  }
}

std::int64_t take_document_facts(RunBuilder& builder, const DocumentMembers& members) {
  std::int64_t base_ns = 0;
  for (const auto& [name, text] : members) {
    if (name == "stackFrames") continue;
    if (name == "baseTimeNanoseconds") {
      if (const auto base = base_time(text)) {
        base_ns = *base;
      } else {
        builder.warn("baseTimeNanoseconds is not a whole number; times are used as they are");
      }
      continue;
    }
    if (name == "deviceProperties") take_devices(builder, Json::parse(text));
    if (name == "distributedInfo") take_rank(builder, Json::parse(text));
    if (name == "hostname" || name == "host_name" || name == "hostName") {
      const Json host = Json::parse(text);
      if (host.is_string()) {
        builder.source().host_name = builder.intern_repaired(host.get<std::string>());
      }
    }
    bool repaired = false;
    const std::optional<std::string> compact = compact_json(text);
    if (!compact) {
      builder.repair("invalid_json_value");
      continue;
    }
    builder.source().metadata.push_back(
        {builder.intern(unescape(name, repaired)), builder.intern(*compact)});
  }
  return base_ns;
}

}  // namespace tactus::kineto
