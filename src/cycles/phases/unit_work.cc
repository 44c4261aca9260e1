#include "cycles/phases/unit_work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "cycles/phases/op_dims.h"
#include "launches/launch_sites.h"
#include "run/args/arg_lookup.h"
#include "stats/summary.h"

namespace tactus {
namespace {

bool is_product(Family family) {
  return family == Family::kGemm || family == Family::kGemv;
}

/// What was seen in one unit.
struct UnitFacts {
  std::map<std::int64_t, std::size_t> rows;  ///< products by their number of rows
  std::size_t products = 0;
  std::optional<Product> last;    ///< product: that of the vocabulary, if there is one
  std::int64_t widest = 0;        ///< columns of the other products
  std::set<std::int64_t> inners;  ///< of the products
  std::optional<AttentionShape> attention;
  std::map<std::int64_t, std::size_t> norm_grids;
  std::optional<std::int64_t> last_norm_grid;
  std::size_t last_norm = 0;  ///< its place
  std::optional<std::int64_t> sampling_grid;
  std::size_t vector_products = 0;  ///< by names: matrix times a few vectors
  std::size_t matrix_products = 0;
  std::size_t attention_kernels = 0;
  std::size_t prefill_names = 0;
  std::size_t decode_names = 0;
  bool checks_drafts = false;  ///< chooses words by comparing them with drafted ones
  bool writes_cache = false;
  bool reads_pages = false;  ///< of a cache of keys and values

  /// The rows that most layers have: experts and heads may have others, fewer or far fewer times.
  std::optional<std::int64_t> tokens() const {
    const std::size_t least = std::max<std::size_t>(2, attention_kernels / 2);
    std::optional<std::int64_t> largest;
    for (const auto& [size, times] : rows) {
      if (times >= std::min(least, products)) largest = size;
    }
    return largest;
  }
  /// The rows of most norms; nothing if no number comes twice.
  std::optional<std::int64_t> usual_norm_grid() const {
    const auto usual =
        std::max_element(norm_grids.begin(), norm_grids.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (usual == norm_grids.end() || usual->second < 2) return std::nullopt;
    return usual->first;
  }
  /// Kernels for a matrix and a few vectors are chosen for a few tokens.
  bool is_few_tokens() const { return vector_products > matrix_products; }
  std::size_t norms() const {
    std::size_t count = 0;
    for (const auto& [rows_of_norm, times] : norm_grids) count += times;
    return count;
  }
  /// As many as there are attention kernels, or norms; 0 if neither is known by name.
  std::size_t layers() const { return attention_kernels > 0 ? attention_kernels : norms(); }
  /// The last norm has fewer rows than those before: only positions that get a word are left.
  bool drops_positions() const {
    const std::optional<std::int64_t> usual = usual_norm_grid();
    return usual && last_norm_grid && *last_norm_grid < *usual;
  }
  /// The last product has far more columns than others: one per word.
  bool ends_with_vocabulary() const {
    return last && last->columns >= 4 * last->inner && last->columns > 2 * widest;
  }
};

class UnitReader {
 public:
  UnitReader(const Run& run, const UnitKernels& kernels, DecodedNames& names)
      : run_(run), kernels_(kernels), names_(names), facts_(kernels.count) {}

  std::vector<StepWork> read() {
    read_names();
    read_shapes();
    read_grids();
    const Model model = {.generates = model_generates(), .norms_with_words = norms_with_words()};
    std::vector<StepWork> work;
    for (UnitFacts& facts : facts_) {
      // Where keys are written into a cache, those beside as many queries are the new ones.
      std::optional<AttentionShape>& attention = facts.attention;
      if (attention && attention->is_packed && !attention->knows_lengths && facts.writes_cache &&
          attention->keys == attention->queries) {
        attention->keys = 0;
      }
      work.push_back(work_of(facts, model));
    }
    if (model.generates) {
      name_by_sequences(work);
      name_by_reference(work);
      doubt_names(work);
    }
    return work;
  }

 private:
  /// What some unit of the run shows.
  struct Model {
    bool generates = false;
    /// Norms of most units that drop positions before they make words; 0 if none does.
    std::size_t norms_with_words = 0;
  };

  void read_names() {
    for (std::size_t i = 0; i < kernels_.rows.size(); ++i) {
      const KernelName& name = names_.of(kernels_.names[i]);
      UnitFacts& facts = facts_[kernels_.units[i]];
      if (name.family == Family::kKvWrite) facts.writes_cache = true;
      if (name.family == Family::kGemv) ++facts.vector_products;
      if (name.family == Family::kGemm) ++facts.matrix_products;
      if (name.family == Family::kSampling &&
          names_.text(kernels_.names[i]).find("reject") != std::string_view::npos) {
        facts.checks_drafts = true;
      }
      if (name.family != Family::kAttention) continue;
      ++facts.attention_kernels;
      const std::string_view text = names_.text(kernels_.names[i]);
      if (text.find("PagedK") != std::string_view::npos) facts.reads_pages = true;
      if (name.op == "attention_decode" || name.kv_split) {
        ++facts.decode_names;
      } else if (name.causal == true || (name.op == "attention_prefill" && name.causal != false)) {
        ++facts.prefill_names;
      }
    }
  }

  const OpDims& dims_of(const Value& value) {
    const auto [at, is_new] = dims_.try_emplace(value.raw);
    if (is_new && value.type == ValueType::kJson) {
      at->second = parse_op_dims(run_.strings[StringId(static_cast<std::uint64_t>(value.raw))]);
    }
    return at->second;
  }

  /// Some of the kernels by ascending rows, as look-ups want them, and where they are in the list.
  struct Picked {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> places;
  };
  template <class Wanted>
  Picked pick(Wanted&& wanted) const {
    Picked picked;
    for (std::size_t i = 0; i < kernels_.rows.size(); ++i) {
      if (wanted(i)) picked.places.push_back(i);
    }
    std::sort(picked.places.begin(), picked.places.end(),
              [&](std::size_t a, std::size_t b) { return kernels_.rows[a] < kernels_.rows[b]; });
    for (const std::size_t place : picked.places) picked.rows.push_back(kernels_.rows[place]);
    return picked;
  }

  void read_shapes() {
    const Picked picked = pick([&](std::size_t i) {
      const Family family = names_.of(kernels_.names[i]).family;
      return is_product(family) || family == Family::kAttention;
    });
    const std::vector<LaunchSite> sites = launch_sites(run_, picked.rows);
    std::vector<std::pair<std::uint32_t, std::size_t>> ops;  // row of the op, place of the kernel
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (sites[i].op != kNoRow) ops.emplace_back(sites[i].op, picked.places[i]);
    }
    std::sort(ops.begin(), ops.end());
    std::vector<std::uint32_t> rows;
    rows.reserve(ops.size());
    for (const auto& [row, place] : ops) rows.push_back(row);
    const std::vector<std::optional<Value>> dims = args_of_slices(run_, rows, "Input Dims");
    std::vector<std::pair<std::size_t, const OpDims*>> products;  // by place
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (!dims[i]) continue;
      const OpDims& of = dims_of(*dims[i]);
      if (of.empty()) continue;
      const std::size_t place = ops[i].second;
      if (is_product(names_.of(kernels_.names[place]).family)) {
        products.emplace_back(place, &of);
      } else {
        const StringId op(static_cast<std::uint64_t>(run_.slices.name()[ops[i].first]));
        UnitFacts& facts = facts_[kernels_.units[place]];
        if (!facts.attention) facts.attention = attention_of(run_.strings[op], of);
      }
    }
    std::sort(products.begin(), products.end());
    for (const auto& [place, of] : products) {
      UnitFacts& facts = facts_[kernels_.units[place]];
      std::optional<Product> product = product_of(*of);
      if (!product) {
        // As wide inside as the layers are, and far wider outside.
        product = batched_product_of(*of);
        const bool is_vocabulary = product && facts.inners.contains(product->inner) &&
                                   product->columns >= 4 * product->inner;
        if (!is_vocabulary) continue;
      }
      facts.inners.insert(product->inner);
      ++facts.products;
      ++facts.rows[product->rows];
      if (facts.last) facts.widest = std::max(facts.widest, facts.last->columns);
      facts.last = product;
    }
  }

  /// Blocks of the largest launch of each elementwise kernel of some units, by unit and name.
  std::map<std::size_t, std::map<std::uint32_t, double>> blocks_of(
      const std::vector<bool>& wanted) const {
    const Picked picked = pick([&](std::size_t i) {
      const Family family = names_.of(kernels_.names[i]).family;
      return wanted[kernels_.units[i]] &&
             (family == Family::kElementwise || family == Family::kActivation);
    });
    std::map<std::size_t, std::map<std::uint32_t, double>> found;
    const std::vector<std::optional<Value>> grids = args_of_slices(run_, picked.rows, "grid");
    for (std::size_t i = 0; i < grids.size(); ++i) {
      if (!grids[i] || grids[i]->type != ValueType::kJson) continue;
      const StringId text(static_cast<std::uint64_t>(grids[i]->raw));
      const OpDims sizes = parse_op_dims("[" + std::string(run_.strings[text]) + "]");
      double blocks = 1;
      for (std::size_t d = 0; !sizes.empty() && d < sizes[0].size(); ++d) {
        blocks *= static_cast<double>(sizes[0][d]);
      }
      const std::size_t place = picked.places[i];
      double& most = found[kernels_.units[place]][kernels_.names[place]];
      most = std::max(most, blocks);
    }
    return found;
  }

  /// Units whose tokens are known, but not for how many sequences they are: those of another unit
  /// of as many layers, by their attention or norms.
  void name_by_sequences(std::vector<StepWork>& work) const {
    std::map<std::size_t, double> sequences;  // the most, by layers
    for (std::size_t unit = 0; unit < work.size(); ++unit) {
      if (work[unit].evidence < Evidence::kShapes || !work[unit].sequences) continue;
      double& most = sequences[facts_[unit].layers()];
      most = std::max(most, *work[unit].sequences);
    }
    for (std::size_t unit = 0; unit < work.size(); ++unit) {
      StepWork& of = work[unit];
      const auto known = sequences.find(facts_[unit].layers());
      if (of.evidence != Evidence::kNone || !of.tokens || known == sequences.end()) continue;
      if (known->first == 0 || *of.tokens < known->second) continue;
      of.evidence = Evidence::kShapes;
      of.phase = phase_of_work(*of.tokens, known->second);
    }
  }

  /// Units without shapes (a graph that is replayed) beside one with shapes: the same elementwise
  /// kernels work on as many times the tokens as they have blocks.
  void name_by_reference(std::vector<StepWork>& work) const {
    std::size_t reference = work.size();
    std::vector<bool> wanted(work.size(), false);
    bool any = false;
    for (std::size_t unit = 0; unit < work.size(); ++unit) {
      const StepWork& of = work[unit];
      if (of.evidence >= Evidence::kShapes && of.tokens && of.sequences) reference = unit;
      wanted[unit] = of.evidence <= Evidence::kNames && !of.tokens;
      any = any || wanted[unit];
    }
    if (!any || reference == work.size()) return;
    wanted[reference] = true;
    const auto blocks = blocks_of(wanted);
    const auto known = blocks.find(reference);
    if (known == blocks.end()) return;
    for (const auto& [unit, by_name] : blocks) {
      if (unit == reference) continue;
      // Large launches count: those of a few blocks are as large as a block, for any tokens.
      std::vector<std::pair<double, double>> ratios;  // and their weights
      for (const auto& [name, count] : by_name) {
        const auto other = known->second.find(name);
        if (other == known->second.end() || !(other->second > 0)) continue;
        ratios.emplace_back(count / other->second, std::max(count, other->second));
      }
      if (ratios.size() < 2) continue;
      const double tokens =
          *work[reference].tokens * weighted_median(std::move(ratios)).value_or(0);
      const double sequences = *work[reference].sequences;
      work[unit].tokens = std::round(tokens);
      work[unit].evidence = Evidence::kGrid;
      // A block more or less is no other phase.
      work[unit].phase =
          tokens <= 1.25 * sequences ? Phase::kDecode : phase_of_work(tokens, sequences);
    }
  }

  /// Attention that has the name of a prompt's for any number of rows says nothing about the units
  /// of few rows.
  void doubt_names(std::vector<StepWork>& work) const {
    constexpr std::int64_t kFarMore = 8;
    const auto is_prompt_by_name = [&](std::size_t unit) {
      return work[unit].evidence == Evidence::kNames && work[unit].phase == Phase::kPrefill &&
             facts_[unit].usual_norm_grid();
    };
    std::int64_t most = 0;
    for (std::size_t unit = 0; unit < work.size(); ++unit) {
      if (is_prompt_by_name(unit)) most = std::max(most, *facts_[unit].usual_norm_grid());
    }
    for (std::size_t unit = 0; unit < work.size(); ++unit) {
      if (!is_prompt_by_name(unit)) continue;
      const std::int64_t rows = *facts_[unit].usual_norm_grid();
      if (!work[unit].tokens) work[unit].tokens = static_cast<double>(rows);
      if (rows > most / kFarMore) continue;
      work[unit].phase = Phase::kUnknown;
      work[unit].evidence = Evidence::kNone;
    }
  }

  /// The first number of a launch grid: one block per row in kernels that normalise or choose.
  void read_grids() {
    const Picked picked = pick([&](std::size_t i) {
      const Family family = names_.of(kernels_.names[i]).family;
      return family == Family::kNorm || family == Family::kSampling;
    });
    for (const std::string_view key : {"grid", "gridX"}) {
      const std::vector<std::optional<Value>> grids = args_of_slices(run_, picked.rows, key);
      for (std::size_t i = 0; i < grids.size(); ++i) {
        if (!grids[i]) continue;
        std::int64_t blocks = 0;
        if (grids[i]->type == ValueType::kInt) {
          blocks = grids[i]->raw;
        } else if (grids[i]->type == ValueType::kJson) {
          const StringId text(static_cast<std::uint64_t>(grids[i]->raw));
          const OpDims sizes = parse_op_dims("[" + std::string(run_.strings[text]) + "]");
          if (!sizes.empty() && !sizes[0].empty()) blocks = sizes[0][0];
        }
        if (blocks <= 0) continue;
        UnitFacts& facts = facts_[kernels_.units[picked.places[i]]];
        if (names_.of(kernels_.names[picked.places[i]]).family == Family::kNorm) {
          ++facts.norm_grids[blocks];
          if (!facts.last_norm_grid || picked.places[i] >= facts.last_norm) {
            facts.last_norm = picked.places[i];
            facts.last_norm_grid = blocks;
          }
        } else {
          facts.sampling_grid = blocks;
        }
      }
    }
  }

  std::size_t norms_with_words() const {
    std::map<std::size_t, std::size_t> units_with;
    for (const UnitFacts& facts : facts_) {
      if (facts.drops_positions()) ++units_with[facts.norms()];
    }
    const auto most =
        std::max_element(units_with.begin(), units_with.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == units_with.end() ? 0 : most->first;
  }

  /// By grids alone: units of as many norms choose as many words, for many rows in one and for one
  /// row each in another. A model that classifies has no unit of the second kind.
  bool chooses_words_by_grids() const {
    std::set<std::pair<std::size_t, std::int64_t>> one_row_each;
    for (const UnitFacts& facts : facts_) {
      if (facts.sampling_grid && facts.usual_norm_grid() == facts.sampling_grid) {
        one_row_each.emplace(facts.norms(), *facts.sampling_grid);
      }
    }
    return std::any_of(facts_.begin(), facts_.end(), [&](const UnitFacts& facts) {
      const std::optional<std::int64_t> rows = facts.usual_norm_grid();
      return rows && facts.sampling_grid && *rows > *facts.sampling_grid &&
             one_row_each.contains({facts.norms(), *facts.sampling_grid});
    });
  }

  /// Some unit has a cache of keys, or makes words for fewer positions than it computes.
  bool model_generates() const {
    if (chooses_words_by_grids()) return true;
    return std::any_of(facts_.begin(), facts_.end(), [](const UnitFacts& facts) {
      if (facts.writes_cache || facts.decode_names > 0) return true;
      if (facts.reads_pages && !facts.attention) return true;
      if (facts.attention && facts.attention->keys > facts.attention->queries) return true;
      const std::optional<std::int64_t> tokens = facts.tokens();
      if (!tokens || !facts.ends_with_vocabulary()) return false;
      const bool sees_itself_only = facts.attention && facts.attention->queries > 1 &&
                                    facts.attention->keys == facts.attention->queries;
      return facts.last->rows < *tokens || !sees_itself_only;
    });
  }

  static StepWork work_of(const UnitFacts& facts, const Model& model) {
    StepWork work;
    const std::optional<std::int64_t> tokens = facts.tokens();
    if (tokens) work.tokens = static_cast<double>(*tokens);
    if (facts.attention && facts.attention->keys > 0) {
      work.context = static_cast<double>(facts.attention->keys);
    }
    if (by_attention(facts, work) || by_products(facts, work) || by_grids(facts, model, work)) {
      if (!model.generates) work.phase = Phase::kUnknown;
      return work;
    }
    if (model.generates) by_names(facts, work);
    return work;
  }

  /// Queries of each sequence, where sequences are apart.
  static bool by_attention(const UnitFacts& facts, StepWork& work) {
    if (!facts.attention) return false;
    const AttentionShape& shape = *facts.attention;
    // One sequence with several queries may be many that are packed, unless it sees only itself.
    const bool may_be_packed = shape.sequences == 1 && shape.queries > 1 &&
                               shape.keys != shape.queries && !shape.knows_lengths;
    if (may_be_packed) return false;
    work.evidence = Evidence::kAttention;
    work.tokens = static_cast<double>(shape.queries);
    work.sequences = static_cast<double>(shape.sequences);
    // A few drafted tokens each, checked at once against a long context, are decoding, too. Where
    // the context is in pages, its length is not known; but prompts need one word per sequence,
    // and drafted tokens one each.
    const bool reads_cache = shape.keys == 0 && !makes_words_for(facts, shape.sequences);
    const bool is_draft = is_few_each(shape.queries, shape.sequences) &&
                          (shape.keys > 4 * shape.queries || reads_cache);
    work.phase = is_draft ? Phase::kDecode : phase_of_work(*work.tokens, *work.sequences);
    return true;
  }

  /// As many tokens for each sequence, more than one, and as few as are drafted at a time.
  static bool is_few_each(std::int64_t tokens, std::int64_t sequences) {
    const std::int64_t each = tokens / sequences;
    return tokens % sequences == 0 && each > 1 && each <= 8;
  }

  static bool makes_words_for(const UnitFacts& facts, std::int64_t sequences) {
    return facts.ends_with_vocabulary() && facts.last->rows == sequences;
  }

  /// Rows inside layers are tokens; rows of the vocabulary are sequences that get one.
  static bool by_products(const UnitFacts& facts, StepWork& work) {
    const std::optional<std::int64_t> tokens = facts.tokens();
    if (!tokens || !facts.ends_with_vocabulary() || facts.last->rows > *tokens) return false;
    work.evidence = Evidence::kShapes;
    work.sequences = static_cast<double>(facts.last->rows);
    work.phase = phase_of_work(*work.tokens, *work.sequences);
    return true;
  }

  /// One row per token inside layers; at the end one per word: in the kernel that chooses words, or
  /// in the last norm of a model that is seen to drop the other positions before.
  static bool by_grids(const UnitFacts& facts, const Model& model, StepWork& work) {
    const std::optional<std::int64_t> tokens = facts.usual_norm_grid();
    std::optional<std::int64_t> words = facts.sampling_grid;
    if (!words && model.norms_with_words > 0) {
      // A piece of a prompt that is not the last one makes no words, and has no norm for them.
      const bool makes_none = facts.norms() < model.norms_with_words && !facts.is_few_tokens();
      words = makes_none ? 0 : facts.last_norm_grid;
    }
    if (!tokens || !words || *tokens < *words) return false;
    work.evidence = Evidence::kGrid;
    if (!work.tokens) work.tokens = static_cast<double>(*tokens);
    if (!facts.sampling_grid && *words > 0) work.sequences = static_cast<double>(*words);
    const bool is_draft = facts.checks_drafts && *words > 0 && is_few_each(*tokens, *words);
    work.phase = *words == 0 ? Phase::kPrefill
                 : is_draft
                     ? Phase::kDecode
                     : phase_of_work(static_cast<double>(*tokens), static_cast<double>(*words));
    return true;
  }

  static void by_names(const UnitFacts& facts, StepWork& work) {
    if (facts.prefill_names + facts.decode_names == 0) {
      if (!facts.is_few_tokens()) return;
      work.evidence = Evidence::kNames;
      work.phase = Phase::kDecode;
      return;
    }
    work.evidence = Evidence::kNames;
    const std::size_t fewer = std::min(facts.prefill_names, facts.decode_names);
    // Both in each layer: prompts and new tokens in one batch.
    if (2 * fewer >= facts.attention_kernels - fewer) {
      work.phase = Phase::kMixed;
    } else {
      work.phase = facts.prefill_names > facts.decode_names ? Phase::kPrefill : Phase::kDecode;
    }
  }

  const Run& run_;
  const UnitKernels& kernels_;
  DecodedNames& names_;
  std::vector<UnitFacts> facts_;
  std::unordered_map<std::int64_t, OpDims> dims_;
};

}  // namespace

std::vector<StepWork> work_of_units(const Run& run, const UnitKernels& kernels,
                                    DecodedNames& names) {
  return UnitReader(run, kernels, names).read();
}

}  // namespace tactus
