#include "serve/runs/served_run.h"

#include <atomic>

#include "base/file.h"
#include "views/export/exports.h"
#include "views/sql/sql_view.h"

namespace tactus::serve {
namespace {

constexpr std::size_t kCacheBytes = 256 << 20;
constexpr double kQuerySeconds = 20;
constexpr std::int64_t kQueryMemory = std::int64_t{1} << 30;

/// Passes the first rows on. More end the query.
class FirstRows final : public sql::RowSink {
 public:
  FirstRows(sql::RowSink& sink, std::size_t most) : sink_(sink), most_(most) {}

  Status begin(const std::vector<std::string>& columns) override { return sink_.begin(columns); }
  Status row(std::span<const sql::Cell> cells) override {
    if (rows_ == most_) {
      is_cut_ = true;
      return usage_error("more rows than are shown");
    }
    ++rows_;
    return sink_.row(cells);
  }
  bool is_cut() const { return is_cut_; }

 private:
  sql::RowSink& sink_;
  std::size_t most_;
  std::size_t rows_ = 0;
  bool is_cut_ = false;
};

/// The bytes that `write` puts into a file of `folder`, which goes away at once.
template <class F>
Result<std::string> bytes_of(const std::string& folder, F&& write) {
  static std::atomic<unsigned> number = 0;
  const std::string path = folder + "/answer-" + std::to_string(++number);
  TemporaryPath temporary(path, TemporaryPath::Kind::kFile);
  Result<OutputFile> file = OutputFile::create(path, false);
  if (!file) return file.error();
  if (Status status = write(*file); !status) return status.error();
  if (Status status = file->commit(); !status) return status.error();
  const Result<File> read = File::open_for_reading(path);
  if (!read) return read.error();
  const Result<std::uint64_t> size = read->size(path);
  if (!size) return size.error();
  std::string bytes(*size, '\0');
  if (Status status = read->read_at(0, bytes.data(), bytes.size(), path); !status) {
    return status.error();
  }
  return bytes;
}

}  // namespace

ServedRun::ServedRun(std::string name, std::unique_ptr<Run> run, unsigned threads,
                     Progress& progress)
    : name_(std::move(name)),
      run_(std::move(run)),
      threads_(threads),
      progress_(progress),
      cache_(kCacheBytes) {
  begin();
}

ServedRun::ServedRun(std::string name, RunFollower follower, unsigned threads, Progress& progress)
    : name_(std::move(name)),
      follower_(std::move(follower)),
      threads_(threads),
      progress_(progress),
      cache_(kCacheBytes) {
  is_live_ = !follower_->is_finished();
  begin();
}

void ServedRun::begin() {
  documents_ = std::make_unique<RunDocuments>(
      run(), name_, DocumentOptions{.threads = threads_, .tiles = true}, progress_);
}

void ServedRun::prepare() {
  const std::shared_lock lock(growth_);
  if (!run().slices.empty()) documents_->prepare();
}

PageRun ServedRun::in_list() {
  const std::shared_lock lock(growth_);
  PageRun shown = documents_->in_list();
  shown.live = is_live();
  shown.generation = generation_;
  return shown;
}

bool ServedRun::poll() {
  if (!is_live()) return false;
  const std::unique_lock lock(growth_);
  const Result<bool> grown = follower_->poll();
  // A file that was replaced or cut is not followed further; what was read stays.
  if (!grown || follower_->is_finished()) is_live_ = false;
  if (!grown || !*grown) return false;
  ++generation_;
  session_.reset();
  cache_.clear();
  begin();
  return true;
}

Result<std::shared_ptr<const CachedDocument>> ServedRun::get(const DocumentName& name) {
  const std::shared_lock lock(growth_);
  const std::string key = canonical_name(name);
  if (std::shared_ptr<const CachedDocument> found = cache_.find(key)) return found;
  Result<PageDocument> made = documents_->make(name);
  if (!made) return made.error();
  // Tiles are made faster than they are packed, and hardly any is asked for twice.
  if (name.part == "slices") {
    auto tile = std::make_shared<CachedDocument>();
    tile->is_json = made->is_json;
    tile->bytes = std::move(made->bytes);
    return std::shared_ptr<const CachedDocument>(std::move(tile));
  }
  return cache_.keep(key, std::move(*made));
}

Result<std::string> ServedRun::query(const std::string& text, std::size_t most_rows,
                                     const std::string& folder) {
  const std::shared_lock lock(growth_);
  const std::lock_guard one(queries_);
  if (run().slices.empty()) return usage_error("this run has no slices to ask about");
  if (!session_) {
    Result<std::unique_ptr<sql::Session>> opened = sql::Session::open(
        run(), {.timeout_s = kQuerySeconds, .memory_bytes = kQueryMemory, .threads = threads_});
    if (!opened) return opened.error();
    session_ = std::move(*opened);
  }
  return bytes_of(folder, [&](OutputFile& file) -> Status {
    const std::unique_ptr<SqlView> view = sql_json_view(file, run());
    FirstRows rows(*view, most_rows);
    const Status status = session_->run(text, rows);
    if (!status && !rows.is_cut()) return status;
    std::vector<std::string> warnings = session_->warnings();
    if (rows.is_cut()) {
      warnings.push_back("The answer has more rows than the " + std::to_string(most_rows) +
                         " that are shown.");
    }
    return view->finish(warnings);
  });
}

Result<std::string> ServedRun::perfetto(const std::string& folder) {
  const std::shared_lock lock(growth_);
  return bytes_of(folder, [&](OutputFile& file) -> Status {
    NoProgress progress;
    return write_perfetto(run(), {}, file, progress);
  });
}

}  // namespace tactus::serve
