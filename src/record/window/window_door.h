#pragma once

#include <optional>
#include <string>

#include "base/file.h"
#include "record/window/window_wish.h"

namespace tactus::record {

/// Where a recorder is asked for full mode. Only the same user and root are let in, one at a time;
/// nothing here waits.
class WindowDoor {
 public:
  /// Without an address (somebody has taken it) nobody can ask.
  WindowDoor();

  /// Readable when somebody asks, or goes away; -1: nobody can.
  int fd() const;
  /// A wish that has come; whoever asks waits for an answer.
  std::optional<WindowWish> take_wish();
  /// Whoever asked has gone away, or says something that makes no sense.
  bool is_left() const;
  void dismiss() { guest_ = File(); }
  /// To whoever asked last; a refusal and the end are the last answer.
  void answer(const WindowAnswer& answer);
  /// To everybody else who asks meanwhile.
  void refuse_others(const std::string& why);

 private:
  void let_in();

  File door_;
  File guest_;
  bool has_asked_ = false;
};

}  // namespace tactus::record
