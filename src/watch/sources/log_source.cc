#include <fcntl.h>

#include "base/text.h"
#include "sources/text/line_reader.h"
#include "watch/sources/engine_log.h"
#include "watch/sources/step_source.h"

namespace tactus::watch {
namespace {

constexpr std::size_t kLongestLine = 1 << 20;

/// Lines of a file that may grow. A line is taken when its end is there.
class LogSource final : public StepSource {
 public:
  LogSource(File file, std::string path, bool follow)
      : file_(std::move(file)), path_(std::move(path)), follow_(follow) {}

  Result<bool> poll(std::vector<SourcedStep>& into) override {
    // At most so much at a time, so that others are served in between.
    constexpr std::size_t kAtOnce = 4 << 20;
    char buffer[64 << 10];
    for (std::size_t taken = 0; taken < kAtOnce;) {
      const Result<std::size_t> got = file_.read(buffer, sizeof buffer, path_);
      if (!got) return got.error();
      if (*got == 0) {
        if (follow_) return true;
        if (!rest_.empty()) add_line(rest_, into);
        rest_.clear();
        if (log_.bad_lines() > 0) {
          note(count_of(static_cast<std::int64_t>(log_.bad_lines()),
                        "line about a step could not be read",
                        "lines about steps could not be read"));
        }
        return false;
      }
      taken += *got;
      rest_.append(buffer, *got);
      take_lines(into);
    }
    return true;
  }
  std::chrono::milliseconds interval() const override {
    return std::chrono::milliseconds(follow_ ? 200 : 0);
  }

 private:
  void take_lines(std::vector<SourcedStep>& into) {
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos;
         end = rest_.find('\n', begin)) {
      add_line(std::string_view(rest_).substr(begin, end - begin), into);
      begin = end + 1;
    }
    rest_.erase(0, begin);
    if (rest_.size() > kLongestLine) rest_.clear();
  }
  void add_line(std::string_view line, std::vector<SourcedStep>& into) {
    if (std::optional<EngineLog::Found> found = log_.add(line)) {
      into.push_back({stream_of(found->stream, found->rank), found->step});
    }
  }

  File file_;
  std::string path_;
  bool follow_;
  std::string rest_;
  EngineLog log_;
};

}  // namespace

Result<std::unique_ptr<StepSource>> log_source(const std::string& path, bool follow) {
  Result<File> file = path == "-" ? Result<File>(File(::fcntl(0, F_DUPFD_CLOEXEC, 3)))
                                  : File::open_for_reading(path);
  if (!file) return file.error();
  return std::unique_ptr<StepSource>(std::make_unique<LogSource>(std::move(*file), path, follow));
}

}  // namespace tactus::watch
