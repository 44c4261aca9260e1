#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "views/common/html.h"
#include "views/common/numbers.h"
#include "views/common/text_table.h"
#include "views/page/page_html.h"

namespace tactus {
namespace {

constexpr std::size_t kRows = 30;
constexpr std::size_t kLongestText = 160;  // characters; a kernel's name may have a thousand

std::string cell(const Json& value, std::string_view key) {
  if (value.is_null()) return "unknown";
  if (value.is_number() && key.ends_with("_ns")) return format_duration(value.get<std::int64_t>());
  if (value.is_number() && key.ends_with("_pct"))
    return fmt::format("{:.1f}%", value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

struct PlainColumn {
  std::string_view key;
  std::string_view head;
};

std::string table(const Json& document, std::string_view list,
                  std::initializer_list<PlainColumn> columns) {
  const Json* rows = document.find(list);
  if (rows == nullptr || rows->empty()) return {};
  std::string out = "<div class=\"wide\"><table><thead><tr>";
  for (const PlainColumn& column : columns) out += "<th>" + html_text(column.head) + "</th>";
  out += "</tr></thead><tbody>\n";
  std::size_t shown = 0;
  for (const Json& row : *rows) {
    if (shown++ == kRows) break;
    out += "<tr>";
    for (const PlainColumn& column : columns) {
      const Json* value = row.find(column.key);
      out += "<td>" +
             html_text(value == nullptr ? "" : shorten(cell(*value, column.key), kLongestText)) +
             "</td>";
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (rows->size() > kRows) {
    out += fmt::format("<p>and {} more</p>\n", format_count(rows->size() - kRows));
  }
  return out;
}

std::string overview(const Json& document) {
  std::string out =
      "<p><strong>" + html_text(document.text_at("sentence")) + "</strong></p>\n<dl>\n";
  if (const Json* lines = document.find("lines")) {
    for (const Json& line : *lines) {
      out += "<dt>" + html_text(line.text_at("label")) + "</dt><dd>" +
             html_text(line.text_at("text")) + "</dd>\n";
    }
  }
  return out + "</dl>\n";
}

std::string verdict(const Json& document) {
  const Json* verdict = document.find("verdict");
  if (verdict == nullptr) return {};
  return "<p><strong>" + html_text(verdict->text_at("text")) + "</strong></p>\n" +
         table(document, "time_breakdown",
               {{"what", "What"}, {"kind", "Kind"}, {"phase", "Phase"}, {"share", "Share"}});
}

std::string section(const PageDocument& document) {
  const std::string_view name = document.name;
  const auto is = [&](std::string_view end) {
    return name == end || name.ends_with("/" + std::string(end));
  };
  const bool shown = is("overview") || is("kernels") || is("table") || is("compare") ||
                     is("opinion") || is("roofline") || is("operators") || is("bench") ||
                     is("cycles");
  if (!shown) return {};
  const Json json = Json::parse(document.bytes);
  if (json.is_discarded()) return {};
  const std::string head = "<h2>" + html_text(name) + "</h2>\n";
  if (is("overview")) return head + overview(json);
  if (is("compare") || is("opinion")) return head + verdict(json);
  if (const Json* launches = json.find("launches"); is("kernels") && launches != nullptr) {
    return head + table(*launches, "rows",
                        {{"launches", "Launches"}, {"host_ns", "Host"}, {"name", "Name"}});
  }
  if (is("kernels") || is("table")) {
    return head + table(json, "rows",
                        {{"time_pct", "Time"},
                         {"total_ns", "Total"},
                         {"instances", "Instances"},
                         {"med_ns", "Median"},
                         {"family", "Family"},
                         {"name", "Name"}});
  }
  if (is("cycles")) {
    return head + table(json, "phases",
                        {{"phase", "Phase"},
                         {"cycles", "Steps"},
                         {"med_ns", "Median"},
                         {"max_ns", "Longest"}});
  }
  if (is("operators")) {
    Json wrapped;
    wrapped["rows"] = json;
    return head + table(wrapped, "rows", {{"name", "Operator"}, {"importance", "Importance"}});
  }
  if (is("roofline")) {
    return head + table(json, "operators", {{"name", "Operator"}, {"regime", "Regime"}});
  }
  return head + table(json, "rows",
                      {{"operator", "Operator"},
                       {"shape", "Shape"},
                       {"status", "Result"},
                       {"t_ns", "Time"}});
}

}  // namespace

std::string plain_tables(const std::vector<PageDocument>& documents) {
  std::string out;
  for (const PageDocument& document : documents) {
    if (document.is_json) out += section(document);
  }
  return out.empty() ? "<p>This page needs JavaScript.</p>\n" : out;
}

}  // namespace tactus
