#include "record/window/full_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "record/session/process_warnings.h"

namespace tactus::record {
namespace {

/// An agent looks for CUPTI at the next launch; loading it takes a second at most.
constexpr std::chrono::seconds kToBegin{3};
/// CUPTI hands over what it has within some tens of milliseconds.
constexpr std::chrono::seconds kToEnd{2};

double in_seconds(std::int64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

/// How agents of a recording are doing.
struct Outcome {
  std::uint64_t attempts = 0;
  std::size_t on = 0;
  std::vector<std::string> failures;
};

Outcome outcome_of(const Recording& recording) {
  Outcome outcome;
  for (const auto& [pid, counts] : recording.agents()) {
    outcome.attempts += counts.activity_attempts;
    outcome.on += counts.activity_state == wire::ActivityState::kOn ? 1 : 0;
    if (std::string why = why_no_activities(pid, counts); !why.empty()) {
      outcome.failures.push_back(std::move(why));
    }
  }
  return outcome;
}

}  // namespace

WindowAnswer FullWindow::answer(WindowNews news) const {
  WindowAnswer answer;
  answer.news = news;
  answer.from_ns = from_ns_;
  answer.to_ns = to_ns_;
  answer.kernels = recording_.kernels() - kernels_before_;
  put_text(answer.file, options_.file);
  return answer;
}

void FullWindow::refuse(const std::string& why) {
  if (is_asked_) {
    WindowAnswer refusal = answer(WindowNews::kRefused);
    put_text(refusal.text, why);
    door_.answer(refusal);
  }
  tell("full mode: " + why);
}

void FullWindow::tell(const std::string& message) const {
  options_.say(message);
  recording_.warn(message);
}

void FullWindow::toggle() {
  if (state_ == State::kOff) {
    begin({.seconds = kSignalSeconds}, false);
  } else if (state_ != State::kEnding) {
    stop();
  }
}

void FullWindow::begin(const WindowWish& wish, bool is_asked) {
  is_asked_ = is_asked;
  if (!options_.refusal.empty()) return refuse(options_.refusal);
  if (recording_.agents().empty()) {
    return refuse("no process that is recorded has used CUDA yet");
  }
  wish_ = wish;
  if (!(wish_.seconds >= 0) || wish_.seconds > 1e7) wish_.seconds = kSignalSeconds;
  attempts_before_ = outcome_of(recording_).attempts;
  kernels_before_ = recording_.kernels();
  from_ns_ = to_ns_ = recording_.now_ns();
  recording_.note_stacks(wish_.stacks);
  Wishes wishes = options_.wishes;
  wishes.activities = true;
  wishes.stacks |= wish_.stacks & (wire::kNativeStacks | wire::kPythonStacks);
  targets_.wish(wishes);
  state_ = State::kBeginning;
  since_ = Clock::now();
}

void FullWindow::say_begun(const std::string& more) {
  state_ = State::kOn;
  since_ = Clock::now();
  from_ns_ = recording_.now_ns();
  if (is_asked_) {
    WindowAnswer begun = answer(WindowNews::kBegun);
    put_text(begun.text, more);
    door_.answer(begun);
  }
  options_.say(
      fmt::format("full mode since {:.1f} s{}{}", in_seconds(from_ns_),
                  wish_.seconds > 0 ? fmt::format(", for {:g} s", wish_.seconds) : std::string(),
                  more.empty() ? more : "; " + more));
}

void FullWindow::follow_beginning() {
  const Outcome outcome = outcome_of(recording_);
  const bool has_tried = outcome.attempts > attempts_before_;
  if (outcome.on > 0) {
    std::string failures;
    for (const std::string& why : outcome.failures) {
      failures += (failures.empty() ? "" : "; ") + why;
    }
    return say_begun(failures);
  }
  const bool is_late = Clock::now() - since_ > kToBegin;
  if (has_tried && !outcome.failures.empty()) {
    targets_.wish(options_.wishes);
    state_ = State::kOff;
    return refuse(outcome.failures.front());
  }
  if (is_late) say_begun("nothing was launched so far; it begins with the next launch");
}

void FullWindow::stop() {
  targets_.wish(options_.wishes);
  to_ns_ = recording_.now_ns();
  state_ = State::kEnding;
  since_ = Clock::now();
}

/// What was on the way when CUPTI ended is in the file with the next commit.
void FullWindow::follow_end(bool has_committed) {
  const bool is_late = Clock::now() - since_ > kToEnd;
  if (!is_late && (outcome_of(recording_).on > 0 || !has_committed)) return;
  state_ = State::kOff;
  const WindowAnswer over = answer(WindowNews::kOver);
  if (is_asked_) door_.answer(over);
  tell(fmt::format("full mode from {:.1f} s to {:.1f} s: {} kernels; others have no times",
                   in_seconds(over.from_ns), in_seconds(over.to_ns), over.kernels));
}

void FullWindow::look(bool has_committed) {
  if (state_ == State::kOff) {
    if (const std::optional<WindowWish> wish = door_.take_wish()) begin(*wish, true);
  } else {
    door_.refuse_others("full mode is on already; wait until that is over");
  }
  if (state_ == State::kBeginning) follow_beginning();
  if (state_ == State::kBeginning || state_ == State::kOn) {
    const std::chrono::duration<double> lasted = Clock::now() - since_;
    const bool is_time_up =
        state_ == State::kOn && wish_.seconds > 0 && lasted.count() >= wish_.seconds;
    const bool is_left = is_asked_ && door_.is_left();
    if (is_left) {
      door_.dismiss();
      is_asked_ = false;
    }
    if (is_time_up || is_left) stop();
  }
  if (state_ == State::kEnding) follow_end(has_committed);
}

void FullWindow::end() {
  if (state_ == State::kOff) return;
  if (state_ != State::kEnding) to_ns_ = recording_.now_ns();
  state_ = State::kOff;
  if (is_asked_) {
    WindowAnswer over = answer(WindowNews::kOver);
    put_text(over.text, "the recording has ended");
    door_.answer(over);
  }
  tell(fmt::format("full mode from {:.1f} s to the end; other kernels have no times",
                   in_seconds(from_ns_)));
}

}  // namespace tactus::record
