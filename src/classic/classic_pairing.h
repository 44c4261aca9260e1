#pragma once

#include <span>
#include <string>
#include <vector>

#include "classic/classic_report.h"

namespace tactus {

/// The patterns of one file, or of the files that made one run.
struct PatternFile {
  std::string path;
  const Run* run = nullptr;
};

/// Two processes to compare, and what their report is called.
struct ClassicPair {
  ClassicRole normal;
  ClassicRole abnormal;
  std::string title;
  std::string file_stem;
};

/// Processes that both files have are compared with themselves ("strict"). If both have others
/// too, each of the one's is compared with each of the other's ("cross"): a restart gave them new
/// pids, and which became which is not known.
std::vector<ClassicPair> pair_processes(const PatternFile& normal, const PatternFile& abnormal,
                                        const std::string& identifier);

/// The pairs of a case with any number of files: a file goes with that of the same name.
/// JOB_decode and JOB go with one another where there is no such file; JOB_layer with none.
std::vector<ClassicPair> pair_case(std::span<const PatternFile> normal,
                                   std::span<const PatternFile> abnormal,
                                   const std::string& identifier);

ClassicReport report_pair(const ClassicPair& pair);

}  // namespace tactus
