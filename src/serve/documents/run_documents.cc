#include "serve/documents/run_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "page/flame.h"
#include "ranks/rank_report.h"
#include "views/common/numbers.h"
#include "views/cycles/cycles_view.h"
#include "views/kernels/kernels_view.h"
#include "views/ranks/ranks_view.h"
#include "views/run/info_view.h"

namespace tactus::serve {
namespace {

constexpr std::size_t kMostLinks = 2'000'000;
constexpr std::size_t kMostSamples = 20'000;  // of a counter

Result<std::optional<Phase>> phase_in(const Query& query) {
  const auto at = query.find("phase");
  if (at == query.end() || at->second.empty() || at->second == "all") {
    return std::optional<Phase>();
  }
  for (const Phase phase : {Phase::kPrefill, Phase::kDecode, Phase::kMixed}) {
    if (phase_name(phase) == at->second) return std::optional(phase);
  }
  return usage_error("phase is one of prefill, decode, mixed and all");
}

std::string kernels_text(const KernelAnswer& answer, const Run& run, bool filtered) {
  KernelsViewOptions view;
  view.format = TableFormat::kJson;
  view.filtered = filtered;
  view.idle = answer.idle ? &*answer.idle : nullptr;
  view.launches = answer.launches ? &*answer.launches : nullptr;
  std::string text;
  // The sink never fails.
  const Status written = write_kernels_json(answer.report, answer.bounds, run, view,
                                            [&](std::string_view piece) -> Status {
                                              text += piece;
                                              return {};
                                            });
  return written ? text : std::string();
}

PageHolds holds_of(const Run& run) {
  if (run.has_kernels()) return PageHolds::kKernels;
  return has_only_launches(run) ? PageHolds::kLaunches : PageHolds::kNothing;
}

}  // namespace

RunDocuments::RunDocuments(const Run& run, std::string name, const DocumentOptions& options,
                           Progress& progress)
    : run_(run),
      span_(run.span()),
      own_slices_(run.own_slices()),
      holds_(holds_of(run)),
      name_(std::move(name)),
      options_(options),
      progress_(progress),
      kernels_(run, options.threads) {}

std::string RunDocuments::kind() const {
  if (!run_.slices.empty()) return "trace";
  if (run_.kernel_summary) return "table";
  return run_.patterns.rows != 0 ? "patterns" : "trace";
}

PageRun RunDocuments::in_list() const {
  PageRun shown{.name = name_, .kind = kind(), .holds = holds_, .rows = own_slices_};
  if (run_.kernel_summary) shown.rows = run_.kernel_summary->rows.size();
  if (shown.kind == "patterns") shown.rows = run_.patterns.rows;
  if (span_) shown.span_ns = span_->end_ns - span_->begin_ns;
  return shown;
}

const Result<Cycles>& RunDocuments::cycles() {
  const std::lock_guard lock(cycles_mutex_);
  if (!cycles_) cycles_ = find_cycles(run_, {});
  return *cycles_;
}

const page::SliceIndex& RunDocuments::index() {
  const std::lock_guard lock(index_mutex_);
  if (!index_) {
    index_ = std::make_unique<page::SliceIndex>(
        run_, options_.threads, options_.tiles || run_.slices.size() > options_.most_slices,
        progress_);
  }
  return *index_;
}

const page::Timeline& RunDocuments::timeline() {
  if (!timeline_) {
    timeline_ = std::make_unique<page::Timeline>(page::make_timeline(run_, index()));
  }
  return *timeline_;
}

const page::WholeSlices& RunDocuments::whole() {
  if (!whole_) whole_ = page::all_slices(run_, index(), options_.most_slices);
  return *whole_;
}

std::size_t RunDocuments::rank_count() const {
  std::set<std::int64_t> ranks;
  for (const Process& process : run_.processes) {
    if (process.rank) ranks.insert(*process.rank);
  }
  return ranks.size();
}

bool RunDocuments::has_modules() {
  const std::vector<LaunchSite>& sites = kernels().report.sites;
  return std::any_of(sites.begin(), sites.end(),
                     [](const LaunchSite& site) { return site.module != kNoRow; });
}

std::vector<std::string> RunDocuments::names() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names = {"info"};
  if (kind() == "patterns") return names;
  names.insert(names.end(), {"overview", "kernels"});
  if (run_.slices.empty()) return names;
  if (cycles()) {
    names.emplace_back("cycles");
    std::set<std::string> phases;
    for (const Cycle& cycle : cycles()->cycles) {
      if (cycle.phase != Phase::kUnknown) phases.emplace(phase_name(cycle.phase));
    }
    // With one phase only, its table is that of all.
    if (phases.size() > 1) {
      for (const std::string& phase : phases) names.push_back("kernels?phase=" + phase);
    }
    if (rank_count() > 1) names.emplace_back("ranks");
  }
  if (has_modules()) names.emplace_back("modules");
  names.insert(names.end(), {"timeline", "slices", "links"});
  if (run_.counters.rows != 0) names.emplace_back("counters");
  if (page::make_flame(run_, kernels().report).kind != page::FlameKind::kNone) {
    names.emplace_back("flame");
  }
  return names;
}

Result<std::string> RunDocuments::kernels_json(const Query& query) {
  const Result<std::optional<Phase>> phase = phase_in(query);
  if (!phase) return phase.error();
  const Result<SliceFilter> filter = read_filter(query);
  if (!filter) return filter.error();
  KernelQuestion question;
  question.phase = *phase;
  question.filter = *filter;
  const bool filtered = *phase || filter->limits_time() || filter->limits_tracks();
  if (filtered && run_.kernel_summary) {
    return usage_error("a table does not say when a kernel ran; a part of it needs a trace");
  }
  if (!filtered) return kernels_text(kernels(), run_, false);
  const Cycles* known = *phase && cycles() ? &*cycles() : nullptr;
  return kernels_text(kernels_.of(question, known), run_, true);
}

std::string RunDocuments::modules_json() {
  KernelQuestion question;
  question.by = GroupBy::kModule;
  return kernels_text(kernels_.of(question), run_, false);
}

Result<std::string> RunDocuments::cycles_json() {
  if (!cycles()) return cycles().error();
  return show_cycles(*cycles(), summarise_phases(*cycles()), run_, {.json = true});
}

Result<std::string> RunDocuments::ranks_json() {
  if (!cycles()) return cycles().error();
  const RankReport report = report_ranks(run_, *cycles(), options_.threads);
  return show_ranks(report, run_, {.format = RanksFormat::kJson});
}

std::string RunDocuments::overview_json() {
  OverviewParts parts;
  parts.report = &kernels().report;
  parts.bounds = &kernels().bounds;
  parts.idle = kernels().idle ? &*kernels().idle : nullptr;
  parts.launches = kernels().launches ? &*kernels().launches : nullptr;
  if (!run_.slices.empty() && cycles()) parts.phases = summarise_phases(*cycles());
  parts.file = name_;
  return show_page_overview(parts, run_);
}

std::string RunDocuments::timeline_json() {
  ShownTimeline shown{.tiles = options_.tiles, .whole = timeline().span, .warnings = {}};
  if (!options_.tiles) {
    shown.whole = whole().whole;
    if (whole().is_merged) {
      shown.warnings.push_back(fmt::format(
          "The run has {} slices, and this page has room for {}: from {} to {} all are shown, and "
          "before and after that short ones are merged. tactus serve shows all of them.",
          format_count(index().size()), format_count(options_.most_slices),
          format_duration(whole().whole.begin_ns), format_duration(whole().whole.end_ns)));
    }
  }
  return show_page_timeline(timeline(), shown);
}

Result<std::string> RunDocuments::slices(const Query& query) {
  if (!options_.tiles && query.empty()) {
    const std::lock_guard lock(timeline_mutex_);
    return whole().bytes;
  }
  const Result<page::TileRequest> tile = read_tile(query, span_.value_or(TimeSpan()));
  if (!tile) return tile.error();
  return page::tile_bytes(run_, index(), *tile);
}

std::optional<LaunchSite> RunDocuments::known_site(std::uint32_t row) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || !kernels_.has_all()) return std::nullopt;
  const KernelReport& report = kernels().report;
  const std::vector<std::uint32_t>& rows = report.kernels.rows;
  const auto at = std::lower_bound(rows.begin(), rows.end(), row);
  const auto place = static_cast<std::size_t>(at - rows.begin());
  if (at == rows.end() || *at != row || place >= report.sites.size()) return std::nullopt;
  return report.sites[place];
}

Result<std::string> RunDocuments::slice_json(const Query& query) {
  const Result<std::optional<std::int64_t>> row = number_in(query, "row");
  if (!row) return row.error();
  if (!*row || static_cast<std::uint64_t>(**row) >= run_.slices.size()) {
    return usage_error("the run has no such slice");
  }
  const auto number = static_cast<std::uint32_t>(**row);
  const std::vector<page::IndexedTrack>& tracks = index().tracks();
  const auto track = static_cast<std::uint32_t>(run_.slices.track()[number]);
  const auto at = std::find_if(tracks.begin(), tracks.end(),
                               [&](const page::IndexedTrack& t) { return t.track == track; });
  return show_page_slice(run_, number,
                         at == tracks.end()
                             ? std::nullopt
                             : std::optional(static_cast<std::size_t>(at - tracks.begin())),
                         known_site(number));
}

Result<std::string> RunDocuments::search_json(const Query& query) {
  const auto text = query.find("text");
  if (text == query.end() || text->second.empty()) return usage_error("give a text to search for");
  return show_page_search(timeline(), index().name_counts(), text->second);
}

Result<PageDocument> RunDocuments::make(const DocumentName& name) {
  const std::string& part = name.part;
  PageDocument document{.name = part, .is_json = true, .bytes = {}};
  const auto made = [&](Result<std::string> bytes, bool is_json = true) -> Result<PageDocument> {
    if (const Status status = run_.status(); !status) return status.error();
    if (!bytes) return bytes.error();
    document.is_json = is_json;
    document.bytes = std::move(*bytes);
    return std::move(document);
  };
  // Some need no lock, so that a timeline moves while the kernels are being summed up.
  if (part == "slices") return made(slices(name.query), false);
  if (part == "info") return made(show_info(run_, true));
  if (kind() == "patterns") {
    return usage_error("this run is patterns of cycles; only a comparison shows more of it");
  }
  const bool of_summary = part == "kernels" || part == "overview";
  if (run_.slices.empty() && !of_summary) {
    return usage_error("this run has no slices; give the trace that it was made from");
  }
  if (part == "cycles") return made(cycles_json());
  if (part == "counters") return made(page::counter_bytes(run_, kMostSamples), false);
  if (part == "slice") return made(slice_json(name.query));
  if (part == "links" && options_.tiles) return made(page::link_bytes(run_, kMostLinks), false);
  if (part == "timeline" || part == "search" || part == "links") {
    const std::lock_guard lock(timeline_mutex_);
    if (part == "timeline") return made(timeline_json());
    if (part == "search") return made(search_json(name.query));
    return made(page::link_bytes(run_, kMostLinks, whole().place_of_row), false);
  }
  const std::lock_guard lock(mutex_);
  if (part == "kernels") return made(kernels_json(name.query));
  if (part == "overview") return made(overview_json());
  if (part == "modules") return made(modules_json());
  if (part == "ranks") return made(ranks_json());
  if (part == "flame") return made(show_page_flame(page::make_flame(run_, kernels().report)));
  return usage_error(part + ": there is no such document");
}

}  // namespace tactus::serve
