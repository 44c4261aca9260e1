#include <fmt/format.h>

#include "views/bench/bench_cells.h"
#include "views/bench/bench_page.h"
#include "views/bench/bench_view.h"
#include "views/common/html.h"
#include "views/common/text_table.h"
#include "views/roofline/roofline_svg.h"

namespace tactus {
namespace {

/// A cell that is sorted by its number.
std::string number_cell(const std::string& text, const std::optional<double>& value) {
  return fmt::format(R"(<td class="num" data-v="{}">{}</td>)",
                     value ? fmt::format("{:.6g}", *value) : "", html_text(text));
}

std::string count_cell(std::size_t count) {
  return number_cell(std::to_string(count), static_cast<double>(count));
}

std::string text_cell(std::string_view text) {
  return "<td>" + html_text(printable(text)) + "</td>";
}

/// S with a bar of the same length.
std::string s_cell(const std::optional<double>& s) {
  if (!s) return number_cell("-", s);
  const double part = std::min(100.0, 100 * *s);
  return fmt::format(R"(<td class="num s" style="--part: {:.1f}%" data-v="{:.6g}">{}</td>)", part,
                     *s, bench_percent_text(s));
}

std::string ratio_cell(const std::optional<double>& ratio) {
  if (!ratio) return number_cell("-", ratio);
  return fmt::format(R"(<td class="num {}" data-v="{:.6g}">{}</td>)",
                     *ratio >= 1 ? "better" : "worse", *ratio, bench_ratio_text(ratio));
}

std::string group_cells(const BenchReport& report, const ReportGroup& group) {
  std::string out = number_cell(bench_importance_text(group.importance), group.importance) +
                    count_cell(group.rows.size()) + count_cell(group.right) +
                    count_cell(group.failed) + count_cell(group.skipped) + s_cell(group.median_s);
  if (report.has_copies) out += s_cell(group.median_of_copy);
  if (!report.has_rivals) return out;
  const std::optional<double> wins =
      group.both == 0
          ? std::nullopt
          : std::optional(static_cast<double>(group.faster) / static_cast<double>(group.both));
  return out + s_cell(group.rival_median_s) + ratio_cell(group.ratio) +
         number_cell(bench_tally_text(group), wins) +
         text_cell(group.usual_rival.empty() ? "-" : group.usual_rival);
}

std::string families_table(const BenchReport& report) {
  std::vector<std::string> heads = {"Family",  "#Importance", "#Shapes", "#Right",
                                    "#Failed", "#Skipped",    "#S"};
  if (report.has_copies) heads.emplace_back("#Of a copy");
  if (report.has_rivals) {
    heads.insert(heads.end(),
                 {"#S rival", "#vs rival", "#Faster / same / slower", "Most frequent best rival"});
  }
  std::string out =
      R"(<div class="wide"><table id="families">)" + html_table_head(heads) + "<tbody>\n";
  std::vector<ReportGroup> groups = report.families;
  groups.push_back(report.total);
  for (const ReportGroup& group : groups) {
    const bool is_total = &group == &groups.back();
    const std::string key =
        is_total ? ""
                 : fmt::format(
                       "<svg class=\"plot key\" viewBox=\"0 0 12 12\">"
                       "<circle class=\"own f{}\" cx=\"6\" cy=\"6\" r=\"5\"/></svg> ",
                       group.family);
    out += fmt::format("<tr{}><td>{}{}</td>{}</tr>\n", is_total ? " class=\"total\"" : "", key,
                       html_text(group.name), group_cells(report, group));
  }
  return out + "</tbody></table></div>\n";
}

std::string shape_row(const BenchReport& report, const ReportRow& entry) {
  const BenchRow& row = *entry.row;
  std::string what = fmt::format("#{}", row.shape_id);
  if (entry.shape != nullptr) what += " " + entry.shape->label;
  std::string result(bench_status_name(row.status));
  if (!row.reason.empty()) result += ": " + row.reason.substr(0, row.reason.find('\n'));
  if (!row.note.empty()) result += " (" + row.note + ")";
  const std::size_t before_s = 5;
  std::string times = fmt::format(
      "<td colspan=\"{}\">{}</td>", before_s,
      entry.t_ns ? fmt::format("{}, bound {}{}", bench_time_text(entry.t_ns),
                               bench_time_text(entry.t_sol_ns),
                               row.note.empty() ? "" : "; " + html_text(printable(row.note)))
                 : html_text(printable(result)));
  std::string out = fmt::format("<tr class=\"shape\" hidden><td>{}</td>{}{}",
                                html_text(printable(what)), times, s_cell(entry.s));
  if (report.has_copies) out += s_cell(entry.of_copy());
  if (report.has_rivals) {
    out += s_cell(entry.rival_s) + ratio_cell(entry.ratio()) +
           fmt::format("<td class=\"num\">{}</td>", bench_outcome_text(entry.outcome)) +
           text_cell(bench_rival_text(entry.rival));
  }
  return out + "</tr>\n";
}

std::string operators_table(const BenchReport& report) {
  std::vector<std::string> heads = {
      "Operator and shape", "#Importance", "#Shapes", "#Right", "#Failed", "#Skipped", "#S"};
  if (report.has_copies) heads.emplace_back("#Of a copy");
  if (report.has_rivals) {
    heads.insert(heads.end(), {"#S rival", "#vs rival", "#Faster / same / slower", "Best rival"});
  }
  std::string out = R"(<div class="wide"><table id="operators">)" + html_table_head(heads);
  for (const ReportGroup& group : report.operators) {
    out += fmt::format(
        "<tbody data-op=\"{0}\" data-family=\"{1}\"><tr><td><button class=\"fold\" type=\"button\" "
        "aria-expanded=\"false\">{0}</button></td>{2}</tr>\n",
        html_text(group.name), group.family, group_cells(report, group));
    for (const std::size_t place : group.rows) out += shape_row(report, report.rows[place]);
    out += "</tbody>\n";
  }
  return out + "</table></div>\n";
}

std::string section(std::string_view heading, std::string_view note, const std::string& body) {
  return fmt::format("<section><h2>{}</h2>\n{}{}</section>\n", heading,
                     note.empty() ? "" : "<p class=\"quiet\">" + html_text(note) + "</p>\n", body);
}

std::string controls(const BenchReport& report) {
  std::string out =
      "<nav class=\"controls\" aria-label=\"what is shown\">\n"
      "<label class=\"pick\">family <select id=\"family\"><option value=\"\">all</option>";
  for (const ReportGroup& group : report.families) {
    out += fmt::format("<option value=\"{}\">{}</option>", group.family, html_text(group.name));
  }
  out +=
      "</select></label>\n<label class=\"pick\">operator <select id=\"operator\">"
      "<option value=\"\">all</option>";
  for (const ReportGroup& group : report.operators) {
    out += fmt::format(R"(<option data-family="{0}" value="{1}">{1}</option>)", group.family,
                       html_text(group.name));
  }
  out += "</select></label>\n";
  if (report.launch_floor_ns) {
    out += fmt::format(
        "<label class=\"pick\">S of the dots <select id=\"floor\"><option value=\"plain\">the "
        "bound</option><option value=\"launch\">the bound, but not below a launch ({})</option>"
        "</select></label>\n",
        bench_time_text(report.launch_floor_ns));
  }
  return out + "</nav>\n";
}

std::string header(const BenchReport& report) {
  std::string facts;
  const auto fact = [&facts](std::string_view name, const std::string& value) {
    facts += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, html_text(value));
  };
  const ReportGroup& total = report.total;
  fact("shapes right", fmt::format("{} of {}", total.right, total.rows.size()));
  if (total.failed > 0) fact("failed", std::to_string(total.failed));
  if (total.skipped > 0) fact("skipped", std::to_string(total.skipped));
  const BenchScore& score = report.result->score;
  if (score.weighted_s) {
    fact("importance-weighted S", bench_percent_text(score.weighted_s));
    fact("with launch floor", bench_percent_text(score.weighted_s_with_launch));
    fact("importance covered", fmt::format("{:.0f}%", 100 * score.covered_importance));
  }
  if (total.ratio) {
    fact("rival's time over ours", bench_ratio_text(total.ratio));
    fact("faster / same / slower", bench_tally_text(total));
  }
  return fmt::format(
      "<header><h1>{} against the bound{}</h1>\n<p class=\"quiet\">{}</p>\n"
      "<dl class=\"facts\">{}</dl></header>\n",
      html_text(report.candidates), report.has_rivals ? " and its rivals" : "",
      html_text(bench_machine_text(report.result->machine)), facts);
}

}  // namespace

std::string bench_html(const BenchReport& report) {
  const BenchPlot dots = bench_dots_plot(report);
  const BenchPlot roofline = bench_roofline_plot(report);
  std::string body = header(report) + controls(report);
  body += section("How close to the bound", dots.meaning, bench_plot_html(dots, "dots"));
  body += section("Under the roof", roofline.meaning, bench_plot_html(roofline, "roofline"));
  body += section("By family", "", families_table(report));
  body += section("By operator", "Click an operator to see its shapes.",
                  "<p><button id=\"expand\" type=\"button\">show all shapes</button></p>\n" +
                      operators_table(report));
  body += section("Notes", "", html_list(bench_meanings(report)));
  body += "<div id=\"tip\" role=\"status\" hidden></div>\n";
  const std::string style =
      std::string(kPlotStyle) + std::string(kBenchPlotStyle) + std::string(kBenchPageStyle);
  return page_html(
      {.title = fmt::format("{} on {}", report.candidates, report.result->machine.name),
       .style = style,
       .body = std::move(body),
       .json_id = "none",
       .json = "{}",
       .script = kBenchPageScript});
}

}  // namespace tactus
