#include <fmt/format.h>

#include <functional>

#include "base/text.h"
#include "kernels/hints.h"

namespace tactus {
namespace {

// A hint about less than this share of the GPU time is not worth reading.
constexpr double kLeastShare = 0.005;

struct Recipe {
  std::string_view kind;
  bool (*applies)(const KernelName& name);
  std::string_view what;    ///< "Copies, casts and concatenations take"
  std::string_view advice;  ///< what to do about it
};

constexpr Recipe kRecipes[] = {
    {"copies", [](const KernelName& name) { return name.family == Family::kCopy; },
     "Copies, casts and concatenations take",
     "the kernel before can often write the tensor contiguous, cast or joined, so that no layer "
     "has to do it again"},
    {"kv_write",
     [](const KernelName& name) {
       return name.family == Family::kKvWrite && name.op == "index_put";
     },
     "K and V go into the cache by index_put, which takes",
     "a fused write (with the rotary embedding, or one kernel for both) moves the same bytes at "
     "several times the rate"},
    {"fills", [](const KernelName& name) { return name.family == Family::kFill; }, "Fills take",
     "buffers that are overwritten anyway need no zeroes; fills at start-up do not matter"},
};

}  // namespace

std::vector<Hint> hints_of_table(const KernelTable& table, std::span<const KernelName> names) {
  std::vector<Hint> hints;
  for (const Recipe& recipe : kRecipes) {
    Hint hint{.kind = std::string(recipe.kind)};
    std::int64_t launches = 0;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      if (!recipe.applies(names[i])) continue;
      hint.total_ns += table.rows[i].total_ns;
      launches += table.rows[i].instances;
      hint.rows.push_back(table.rows[i].name);
    }
    if (table.total_ns <= 0) break;
    hint.share = static_cast<double>(hint.total_ns) / static_cast<double>(table.total_ns);
    if (hint.share < kLeastShare) continue;
    hint.text = fmt::format("{} {:.1f}% of the GPU time in {}: {}.", recipe.what, 100 * hint.share,
                            count_of(launches, "launch", "launches"), recipe.advice);
    hints.push_back(std::move(hint));
  }
  return hints;
}

}  // namespace tactus
