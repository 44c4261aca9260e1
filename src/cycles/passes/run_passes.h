#pragma once

#include <deque>
#include <vector>

#include "cycles/passes/passes.h"
#include "run/filter.h"
#include "run/run.h"

namespace tactus {

struct StreamPasses {
  KernelStream stream;
  std::vector<Pass> passes;
};

/// The passes of a run and the names of its kernels. Whoever needs them is given this, so that
/// passes are found once per filter and names are decoded once, when they are first asked for.
class RunPasses {
 public:
  explicit RunPasses(const Run& run) : run_(run), names_(run) {}

  DecodedNames& names() { return names_; }

  /// The passes of all streams that have kernels, the one with most of them first. Where the engine
  /// annotated its steps, the annotation says their phase. Stays valid.
  const std::vector<StreamPasses>& streams(const SliceFilter& filter) {
    return find(filter).streams;
  }

  /// The phase of each slice by its row: kUnknown for what is not a kernel, for kernels that are
  /// not wanted, and for those of which neither an annotation nor the pass around them tells it.
  std::vector<Phase> phases(const SliceFilter& filter);

 private:
  struct Found {
    SliceFilter filter;
    std::vector<StreamPasses> streams;
    std::vector<Phase> annotated;  ///< by slice row; empty if there are no annotations
  };
  const Found& find(const SliceFilter& filter);

  const Run& run_;
  DecodedNames names_;
  std::deque<Found> found_;
};

}  // namespace tactus
