#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "record/session/recording.h"
#include "record/session/targets.h"
#include "record/window/window_door.h"

namespace tactus::record {

/// Full mode for some seconds of a recording in light mode: asked for by a command, by a signal or
/// by the program that records. CUPTI is there only meanwhile.
class FullWindow {
 public:
  /// What a signal asks for. Long enough for some steps of any server, short enough that nobody
  /// has to hurry with the second signal.
  static constexpr double kSignalSeconds = 5;

  struct Options {
    Wishes wishes;        ///< of the recording
    std::string refusal;  ///< why there is no full mode here; empty: there is
    std::string file;     ///< of the recording
    std::function<void(const std::string&)> say;  ///< to whoever looks at the recorder
  };
  FullWindow(Options options, Targets& targets, Recording& recording)
      : options_(std::move(options)), targets_(targets), recording_(recording) {}

  /// Readable when there is something to do before the next commit.
  int fd() const { return door_.fd(); }
  /// A signal: full mode on, or off.
  void toggle();
  /// To be called whenever `fd` is readable, and with each commit.
  void look(bool has_committed);
  /// The recording ends.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  enum class State : unsigned char {
    kOff,
    kBeginning,  ///< agents look for CUPTI
    kOn,
    kEnding,  ///< CUPTI hands over what it still has
  };

  void begin(const WindowWish& wish, bool is_asked);
  void follow_beginning();
  void follow_end(bool has_committed);
  void stop();
  void refuse(const std::string& why);
  /// Also to whoever reads the file.
  void tell(const std::string& message) const;
  void say_begun(const std::string& more);
  WindowAnswer answer(WindowNews news) const;

  Options options_;
  Targets& targets_;
  Recording& recording_;
  WindowDoor door_;
  State state_ = State::kOff;
  WindowWish wish_;
  bool is_asked_ = false;  ///< by whoever stands at the door
  Clock::time_point since_;
  std::uint64_t attempts_before_ = 0;
  std::uint64_t kernels_before_ = 0;
  std::int64_t from_ns_ = 0, to_ns_ = 0;  ///< of the recording
};

}  // namespace tactus::record
