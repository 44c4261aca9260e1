#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/builder.h"
#include "sources/kineto/dialects/rocprof.h"
#include "sources/kineto/dialects/xla.h"
#include "sources/kineto/document_facts.h"
#include "sources/kineto/layout.h"
#include "sources/kineto/open_slices.h"
#include "sources/kineto/translation.h"

namespace tactus::kineto {

/// Puts the events of batches into a Run, in order.
class Assembler {
 public:
  Assembler(RunBuilder& builder, std::string path) : builder_(builder), path_(std::move(path)) {}

  void take(EventBatch& batch);
  /// Call at the end of the text. `disk_bytes` is the size of the input on disk.
  void finish(std::uint64_t disk_bytes);

 private:
  using Values = const std::int64_t*;

  Translation& translation(const std::shared_ptr<const Dictionary>& dictionary);
  void begin_document();
  void end_document(std::uint64_t disk_bytes);

  void take_event(Plan& plan, Values values);
  void take_slice(Plan& plan, Values values);
  bool take_foreign_slice(Plan& plan, Values values);
  void take_begin_or_end(Plan& plan, Values values);
  void take_instant(Plan& plan, Values values, std::int64_t time);
  void take_flow(Plan& plan, Values values);
  void take_counter(Plan& plan, Values values);
  void take_metadata(Plan& plan, Values values);
  std::int64_t counter_number(const Plan::Pick& pick, std::int64_t raw);

  bool is_launch_arrow(const Plan& plan, Values values, bool& starts);
  StringId name(const Plan& plan, Values values);
  Ident ident(int index, Hole hole, Values values);
  TrackId track(Plan& plan, Values values, bool on_device);
  std::span<const std::int64_t> args(const Plan& plan, Values values);
  StackId stack(const Plan::Pick& pick, std::int64_t raw);
  void note_time(std::int64_t time) { latest_ = std::max(latest_.value_or(time), time); }

  RunBuilder& builder_;
  std::string path_;
  std::vector<std::unique_ptr<Translation>> translations_;
  Translation* current_ = nullptr;
  std::vector<std::int64_t> arg_values_;

  // The document being read.
  int documents_ = 0;
  std::unique_ptr<OpenSlices> open_;
  std::optional<std::int64_t> latest_;  ///< latest time seen
  std::vector<std::pair<std::string, std::string>> metadata_;
  std::unique_ptr<StackFrames> stack_frames_;
  std::unique_ptr<XlaEvents> xla_;
  std::unique_ptr<RocprofEvents> rocprof_;

  // The last slice: a launch arrow follows the slice that it belongs to.
  struct LastSlice {
    bool valid = false;
    Ident pid;
    Ident tid;
    std::int64_t start = 0;
    std::int64_t correlation = 0;
  };
  LastSlice last_slice_;
};

}  // namespace tactus::kineto
