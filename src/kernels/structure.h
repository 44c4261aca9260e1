#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

/// Forward passes of one kind.
struct PassGroup {
  std::string phase;  ///< prefill, decode, mixed, graph_capture, start_up or unknown
  std::int64_t passes = 0;
  std::optional<std::int64_t> total_ns;  ///< GPU time of their kernels, if known
};

/// The forward passes of one rank of several.
struct RankPasses {
  std::string label;  ///< "rank 1"; "GPU 1" where ranks are not known
  std::optional<std::int64_t> rank;
  std::int64_t passes = 0;
  std::optional<std::int64_t> layers;
  std::int64_t total_ns = 0;  ///< GPU time of their kernels
};

/// A count that must hold if the structure is right, and the count that was found.
struct Identity {
  std::string text;  ///< "add_rms_norm = 2 x layers x passes"
  std::int64_t expected = 0;
  std::int64_t actual = 0;

  bool holds() const { return expected == actual; }
};

/// A row with kernels of two kinds (one in prefill, many in decode), split.
struct RowPart {
  std::string phase;  ///< as in PassGroup; decode includes captures if there are both
  std::int64_t instances = 0;
  std::int64_t avg_ns = 0;
};
struct SplitRow {
  std::string name;
  std::vector<RowPart> parts;
};

/// What the kernels of a run say about the program that launched them. Ranks of one job run the
/// same passes, each its part of them, so passes and their times are those of one rank: the one
/// with most passes.
struct Structure {
  std::optional<std::int64_t> passes;  ///< through the model
  std::optional<std::int64_t> layers;
  std::optional<std::int64_t> gemms_per_layer;
  std::optional<std::int64_t> sampled_steps;
  std::vector<PassGroup> phases;
  std::vector<RankPasses> ranks;            ///< all that have passes, if several have; by rank
  std::string of_rank;                      ///< the label of the one whose passes these are
  bool decode_missing = false;              ///< decode steps ran, but their kernels are not in the
                                            ///< recording
  std::string decode_missing_why;           ///< a sentence, if they are missing
  std::vector<std::int64_t> capture_sizes;  ///< batch sizes that graphs were captured for
  std::int64_t longest_kernel_ns = 0;
  std::vector<Identity> identities;
  std::vector<SplitRow> split_rows;
  std::vector<std::string> signs;  ///< sentences: which card, which libraries, and how we know
};

}  // namespace tactus
