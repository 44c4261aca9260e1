#include <fmt/format.h>

#include "watch/sources/metrics_steps.h"
#include "watch/sources/step_source.h"

namespace tactus::watch {
namespace {

constexpr const char* kWanted =
    "vLLM has them unless started with --disable-log-stats, SGLang with --enable-metrics";

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class MetricsSource final : public StepSource {
 public:
  MetricsSource(http::Url url, std::chrono::milliseconds every)
      : url_(std::move(url)), every_(every) {}

  Status ask(std::vector<SourcedStep>& into) {
    const Result<http::Answer> answer = http::get(url_, {});
    if (!answer) return answer.error();
    if (answer->status != 200) {
      return input_error(fmt::format("{}: answers with status {}", url_.text(), answer->status));
    }
    const MetricsPage page = parse_metrics(answer->body);
    for (MetricsSteps::Found& found : steps_.add(engine_metrics(page), now_ns())) {
      into.push_back(
          {stream_of(found.engine.empty() ? url_.host : found.engine, std::nullopt), found.step});
    }
    if (!steps_.was_understood()) {
      return input_error(
          fmt::format("{}: holds {} metrics, but not the latency between tokens and the running "
                      "requests of vLLM "
                      "or SGLang; {}",
                      url_.text(), page.samples.size(), kWanted));
    }
    if (steps_.restarts() > restarts_) {
      restarts_ = steps_.restarts();
      note(url_.text() + ": its counters began again: the server was restarted");
    }
    return {};
  }

  Result<bool> poll(std::vector<SourcedStep>& into) override {
    const Status status = ask(into);
    if (!status && !is_failing_) note(status.error().message + "; asking on");
    if (status && is_failing_) note(url_.text() + ": answers again");
    is_failing_ = !status;
    return true;
  }
  std::chrono::milliseconds interval() const override { return every_; }

 private:
  http::Url url_;
  std::chrono::milliseconds every_;
  MetricsSteps steps_;
  std::uint64_t restarts_ = 0;
  bool is_failing_ = false;
};

}  // namespace

Result<std::unique_ptr<StepSource>> metrics_source(const http::Url& url,
                                                   std::chrono::milliseconds every) {
  auto source = std::make_unique<MetricsSource>(url, every);
  std::vector<SourcedStep> none;
  if (Status status = source->ask(none); !status) return status.error();
  return std::unique_ptr<StepSource>(std::move(source));
}

}  // namespace tactus::watch
