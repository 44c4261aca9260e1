#include "sources/kineto/averages_table.h"

#include <algorithm>

namespace tactus::kineto {

bool is_averages_table(std::string_view head) {
  while (!head.empty()) {
    const std::size_t length = std::min(head.find('\n'), head.size());
    const std::string_view line = head.substr(0, length);
    const auto has = [&](std::string_view text) {
      return line.find(text) != std::string_view::npos;
    };
    const bool counts = has("# of Calls") || has("Number of Calls");
    if (counts && has("Name") && (has("CPU total") || has("Self CUDA") || has("Self CPU"))) {
      return true;
    }
    head.remove_prefix(std::min(length + 1, head.size()));
  }
  return false;
}

Status refuse_averages_table(const InputBytes& bytes) {
  return input_error(bytes.path() +
                     ": is a table of torch.profiler (key_averages), which mixes ops with the "
                     "kernels that they launch and cuts the kernels' names; give the trace: "
                     "prof.export_chrome_trace(\"trace.json.gz\")");
}

}  // namespace tactus::kineto
