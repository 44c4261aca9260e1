#include "serve/runs/served_page.h"

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "serve/documents/page_content.h"

namespace tactus::serve {
namespace {

constexpr std::size_t kOthersBytes = 256 << 20;
constexpr std::size_t kMostRows = 10'000;  // of an answer
constexpr std::size_t kMostRuns = 64;
constexpr std::chrono::seconds kPollEvery{1};

bool is_unfinished_run(const std::string& path, unsigned threads,
                       std::optional<RunFollower>& follower) {
  // What comes through a pipe can be read once only, and does not grow.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const Result<File> file = File::open_for_reading(path);
  if (!file) return false;
  std::string head(64, '\0');
  const Result<std::size_t> got = file->read(head.data(), head.size(), path);
  if (!got || !is_tact(std::string_view(head).substr(0, *got))) return false;
  Result<RunFollower> opened = RunFollower::open(path, threads);
  if (!opened || !opened->poll() || opened->is_finished()) return false;
  follower.emplace(std::move(*opened));
  return true;
}

std::shared_ptr<const CachedDocument> as_document(std::string text) {
  auto document = std::make_shared<CachedDocument>();
  document->bytes = std::move(text);
  return document;
}

}  // namespace

ServedPage::ServedPage(unsigned threads, Progress& progress)
    : threads_(threads), progress_(progress), others_(kOthersBytes) {}

ServedPage::~ServedPage() {
  {
    const std::lock_guard lock(stop_mutex_);
    is_stopping_ = true;
  }
  stop_.notify_all();
  if (follower_.joinable()) follower_.join();
}

Status ServedPage::make_folder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string path = (parent / "tactus-serve-XXXXXX").string();
  if (error || ::mkdtemp(path.data()) == nullptr) {
    return broke_error("cannot make a folder for uploads in " + parent.string() + ": " +
                       error_text(errno));
  }
  folder_ = std::make_unique<TemporaryPath>(path, TemporaryPath::Kind::kFolder);
  return {};
}

Status ServedPage::open(const std::string& path, const std::string& name) {
  if (size() >= kMostRuns) return usage_error("the page shows no more runs; start it again");
  std::optional<RunFollower> follower;
  if (is_unfinished_run(path, threads_, follower)) {
    auto run = std::make_shared<ServedRun>(name, std::move(*follower), threads_, progress_);
    const std::lock_guard lock(mutex_);
    runs_.push_back(std::move(run));
    return {};
  }
  Result<PageInput> input = open_page_input(path, threads_, progress_);
  if (!input) return input.error();
  input->name = name;
  if (auto* opened = std::get_if<std::unique_ptr<Run>>(&input->content)) {
    auto run = std::make_shared<ServedRun>(name, std::move(*opened), threads_, progress_);
    run->prepare();
    const std::lock_guard lock(mutex_);
    runs_.push_back(std::move(run));
    return {};
  }
  Result<std::vector<PageDocument>> documents = other_documents(*input, threads_);
  if (!documents) return documents.error();
  others_.clear();  // of two such inputs, the last one is shown
  for (PageDocument& document : *documents) {
    const std::string key = document.name;
    others_.keep(key, std::move(document));
  }
  return {};
}

std::size_t ServedPage::size() {
  const std::lock_guard lock(mutex_);
  return runs_.size();
}

std::shared_ptr<ServedRun> ServedPage::run_at(std::size_t index) {
  const std::lock_guard lock(mutex_);
  return index < runs_.size() ? runs_[index] : nullptr;
}

std::shared_ptr<const CachedDocument> ServedPage::runs_document() {
  std::vector<std::shared_ptr<ServedRun>> runs;
  {
    const std::lock_guard lock(mutex_);
    runs = runs_;
  }
  std::vector<PageRun> list;
  for (const auto& run : runs) list.push_back(run->in_list());
  return as_document(show_page_runs(list));
}

Result<std::shared_ptr<const CachedDocument>> ServedPage::comparison(const Query& query) {
  const Result<std::optional<std::int64_t>> normal = number_in(query, "normal");
  if (!normal) return normal.error();
  const Result<std::optional<std::int64_t>> abnormal = number_in(query, "abnormal");
  if (!abnormal) return abnormal.error();
  const std::shared_ptr<ServedRun> a = run_at(static_cast<std::size_t>(normal->value_or(0)));
  const std::shared_ptr<ServedRun> b = run_at(static_cast<std::size_t>(abnormal->value_or(1)));
  if (a == nullptr || b == nullptr) return usage_error("a comparison needs two runs");
  if (a == b) return usage_error("a run cannot be compared with itself");
  const PageRun shown[2] = {a->in_list(), b->in_list()};
  const std::string key = "compare?" + std::to_string(normal->value_or(0)) + "," +
                          std::to_string(abnormal->value_or(1)) + "," +
                          std::to_string(shown[0].generation) + "," +
                          std::to_string(shown[1].generation);
  if (std::shared_ptr<const CachedDocument> found = others_.find(key)) return found;
  Result<std::string> text = a->with_run([&](const Run& one) {
    return b->with_run([&](const Run& other) {
      return comparison_json({{{&one}, {&other}}}, {shown[0].name, shown[1].name}, threads_);
    });
  });
  if (!text) return text.error();
  return others_.keep(key, {.name = key, .is_json = true, .bytes = std::move(*text)});
}

Result<std::shared_ptr<const CachedDocument>> ServedPage::get(std::string_view text) {
  const Result<DocumentName> name = read_document_name(text);
  if (!name) return name.error();
  if (name->run) {
    const std::shared_ptr<ServedRun> run = run_at(*name->run);
    if (run == nullptr) return usage_error("there is no such run");
    if (name->part != "perfetto") return run->get(*name);
    Result<std::string> trace = run->perfetto(folder());
    if (!trace) return trace.error();
    auto document = std::make_shared<CachedDocument>();
    document->is_json = false;
    document->bytes = std::move(*trace);
    return std::shared_ptr<const CachedDocument>(std::move(document));
  }
  if (name->part == "runs") return runs_document();
  if (std::shared_ptr<const CachedDocument> found = others_.find(canonical_name(*name))) {
    return found;
  }
  if (name->part == "compare") return comparison(name->query);
  return usage_error(name->part + ": there is no such document");
}

Result<std::string> ServedPage::query(std::size_t index, const std::string& text) {
  const std::shared_ptr<ServedRun> run = run_at(index);
  if (run == nullptr) return usage_error("there is no such run");
  return run->query(text, kMostRows, folder());
}

void ServedPage::poll() {
  std::vector<std::shared_ptr<ServedRun>> runs;
  {
    const std::lock_guard lock(mutex_);
    runs = runs_;
  }
  for (const auto& run : runs) run->poll();
}

void ServedPage::follow() {
  follower_ = std::thread([this] {
    // What every page asks for first is made before somebody asks.
    for (std::size_t i = 0; i < size(); ++i) {
      for (const char* part : {"/timeline", "/cycles", "/overview"}) {
        static_cast<void>(get("run/" + std::to_string(i) + part));
      }
    }
    std::unique_lock lock(stop_mutex_);
    while (!stop_.wait_for(lock, kPollEvery, [this] { return is_stopping_; })) poll();
  });
}

}  // namespace tactus::serve
