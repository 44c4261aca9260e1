#include "views/kernels/kernel_name_json.h"

namespace tactus {
namespace {

Json tile_json(const std::optional<Tile>& tile) {
  if (!tile) return nullptr;
  return Json::array({value_or_null(tile->m), value_or_null(tile->n), value_or_null(tile->k)});
}

Json launcher_json(const std::optional<Launcher>& launcher) {
  if (!launcher) return nullptr;
  return {{"file", launcher->file},
          {"line", nullptr},
          {"function", text_or_null(launcher->function)},
          {"evidence", launcher->certain ? "rule" : "guess"}};
}

}  // namespace

Json call_line_json(const std::optional<CallLine>& line) {
  if (!line) return nullptr;
  return {{"file", line->file},
          {"line", line->line},
          {"function", text_or_null(line->function)},
          {"evidence", evidence_name(line->evidence)}};
}

void add_kernel_name(Json& object, const KernelName& name) {
  object["family"] = family_name(name.family);
  object["operator"] = text_or_null(name.op);
  object["library"] = text_or_null(name.library);
  object["dtype_in"] = text_or_null(name.dtype_in);
  object["dtype_out"] = text_or_null(name.dtype_out);
  object["tile"] = tile_json(name.tile);
  object["stages"] = value_or_null(name.stages);
  object["cluster"] = value_or_null(name.cluster);
  object["split_k"] = name.split_k;
  object["kv_split"] = name.kv_split;
  object["causal"] = value_or_null(name.causal);
  object["head_dim"] = value_or_null(name.head_dim);
  object["vector_width"] = value_or_null(name.vector_width);
  object["warps"] = value_or_null(name.warps);
  object["era"] = text_or_null(name.era);
  object["source"] = launcher_json(name.launcher);
}

}  // namespace tactus
