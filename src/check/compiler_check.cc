#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "check/build_check.h"

namespace tactus {
namespace {

std::string with_version(const FoundProgram& program) {
  return program.version.empty() ? program.path
                                 : fmt::format("{} ({})", program.path, program.version);
}

CheckItem toolkit(const CompilerFacts& facts) {
  CheckItem item{.item = "CUDA toolkit"};
  if (facts.nvcc.empty()) {
    item.state = CheckState::kMissing;
    item.found = facts.nvcc_elsewhere.empty() ? "no nvcc on the PATH"
                                              : facts.nvcc_elsewhere + " is not on the PATH";
    item.fix =
        facts.nvcc_elsewhere.empty()
            ? std::string("install the CUDA toolkit; .cpp candidates work without")
            : fmt::format("export PATH={}:$PATH",
                          std::filesystem::path(facts.nvcc_elsewhere).parent_path().string());
    return item;
  }
  item.found = "nvcc " + with_version(facts.nvcc.front());
  if (facts.toolkit == 0) {
    item.state = CheckState::kDenied;
    item.found += ", which does not print its version";
    item.fix = fmt::format("run `{} --version` and see what it says", facts.nvcc.front().path);
  }
  return item;
}

/// "nvcc 13.0 accepts g++ up to 15"
std::string limit_of(const CompilerFacts& facts) {
  if (facts.newest_gcc == 0) return {};
  return fmt::format("; nvcc {} accepts g++ up to {}", cuda_version_text(facts.toolkit),
                     facts.newest_gcc);
}

CheckItem host_compiler(const CompilerFacts& facts) {
  CheckItem item{.item = "host compiler"};
  if (facts.gxx.empty() && facts.host_compiler.empty()) {
    item.state = CheckState::kMissing;
    item.found = "no g++ on the PATH" + limit_of(facts);
    item.fix = facts.newest_gcc == 0
                   ? std::string("apt install g++")
                   : fmt::format("install g++, up to version {}", facts.newest_gcc);
    return item;
  }
  const std::string first = facts.gxx.empty() ? "" : "g++ " + with_version(facts.gxx.front());
  if (facts.nvcc.empty()) {
    item.found = first + "; no nvcc to try it with";
    return item;
  }
  if (facts.host_compiler.empty()) {
    item.state = CheckState::kDenied;
    item.found = fmt::format("nvcc refuses {}{}", first, limit_of(facts));
    item.fix = facts.newest_gcc == 0
                   ? std::string("see the error of nvcc: nvcc -c FILE.cu")
                   : fmt::format("install g++-{0}; nvcc -ccbin g++-{0}", facts.newest_gcc);
    return item;
  }
  if (!facts.gxx.empty() && facts.host_compiler == facts.gxx.front().path) {
    item.found = first + limit_of(facts);
    return item;
  }
  item.state = CheckState::kDenied;
  item.found = fmt::format("nvcc refuses {}{}; `tactus bench` uses {}",
                           first.empty() ? "g++, which is missing" : first, limit_of(facts),
                           facts.host_compiler);
  item.fix = fmt::format("nvcc -ccbin {0}, or export NVCC_PREPEND_FLAGS=\"-ccbin {0}\"",
                         facts.host_compiler);
  return item;
}

bool is_conda(const std::string& path) {
  return path.find("conda") != std::string::npos || path.find("miniforge") != std::string::npos ||
         path.find("mamba") != std::string::npos;
}

/// Which of several wins. That is not an error, unless the winner is unexpected.
CheckItem one_on_the_path(const std::string& name, const std::vector<FoundProgram>& found) {
  CheckItem item{.item = name + " on the PATH"};
  if (found.empty()) {
    item.state = CheckState::kMissing;
    item.found = "none";
    item.fix = name == "nvcc" ? "see CUDA toolkit" : "see host compiler";
    return item;
  }
  if (found.size() == 1) {
    item.found = "only " + with_version(found.front());
    return item;
  }
  item.found = with_version(found.front()) + " wins over";
  bool differ = false;
  for (std::size_t i = 1; i < found.size(); ++i) {
    item.found += (i > 1 ? ", " : " ") + with_version(found[i]);
    differ = differ || found[i].version != found.front().version;
  }
  if (is_conda(found.front().path) && !is_conda(found[1].path)) {
    item.fix = fmt::format(
        "that is conda's; to use the system's: {}",
        name == "nvcc" ? "export PATH=" +
                             std::filesystem::path(found[1].path).parent_path().string() + ":$PATH"
                       : fmt::format("export CXX={0}; nvcc -ccbin {0}", found[1].path));
  } else if (differ) {
    item.fix =
        fmt::format("they differ in version; put the folder of the right one first in PATH{}",
                    name == "nvcc" ? "" : ", or name it: nvcc -ccbin");
  }
  return item;
}

}  // namespace

void check_compilers(const MachineFacts& facts, std::vector<CheckItem>& items) {
  items.push_back(toolkit(facts.compilers));
  items.push_back(host_compiler(facts.compilers));
  items.push_back(one_on_the_path("nvcc", facts.compilers.nvcc));
  items.push_back(one_on_the_path("g++", facts.compilers.gxx));
}

}  // namespace tactus
