#pragma once

#include <span>
#include <string_view>

#include "kernels/table/table_rows.h"

namespace tactus {

/// Kernels that come from one call: how to recognise them by name, and the call.
struct GroupRecipe {
  using Wanted = bool (*)(const TableRow&);

  std::string_view name;
  Wanted head;
  Wanted middle;  ///< null if there is none
  Wanted tail;
  bool tail_optional;  ///< some calls launch no tail
  bool tail_repeats;   ///< a call may launch it several times
  std::string_view api;
  std::string_view op;
  std::string_view python;
  bool sglang_only;  ///< op and python are SGLang's; other engines call the same kernels in other
                     ///< ways
  std::string_view because;
};

std::span<const GroupRecipe> group_recipes();

/// A GEMM whose name says that it is split.
bool is_split_k_gemm(const TableRow& row);

}  // namespace tactus
