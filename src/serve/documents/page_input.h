#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/progress.h"
#include "bench/bench.h"
#include "catalogue/catalogue.h"
#include "classic/second_opinion/report_reader.h"
#include "run/run.h"

namespace tactus::serve {

/// A comparison of patterns of cycles: the processes of both sides.
struct PatternCase {
  std::vector<std::unique_ptr<Run>> normal;
  std::vector<std::unique_ptr<Run>> abnormal;
};

/// A catalogue, and sentences about the text that it was read from.
struct NamedCatalogue {
  Catalogue catalogue;
  std::vector<std::string> remarks;
};

/// What a page can show: a run, a classic report, results of a benchmark, a catalogue of operators,
/// or patterns of a normal and an abnormal run.
struct PageInput {
  std::string name;  ///< of the file, without its folder
  std::variant<std::unique_ptr<Run>, ClassicReportText, BenchResult, NamedCatalogue, PatternCase>
      content;
};

/// Opens an input of a page: anything that `import` reads, and the others above.
Result<PageInput> open_page_input(const std::string& path, unsigned threads, Progress& progress);

/// The name of a file for people: the last part of its path.
std::string file_name(std::string_view path);

}  // namespace tactus::serve
