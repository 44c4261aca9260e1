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

/// Two processes to compare, and the name of their report.
struct ClassicPair {
  ClassicRole normal;
  ClassicRole abnormal;
  std::string title;
  std::string file_stem;
};

/// A process that is in both files is compared with itself ("strict"). If both files also have
/// other processes, each of one file is compared with each of the other ("cross"): a restart gave
/// them new pids, and which one became which is unknown.
std::vector<ClassicPair> pair_processes(const PatternFile& normal, const PatternFile& abnormal,
                                        const std::string& identifier);

/// The pairs of a case with any number of files: files of the same name form a pair. JOB_decode and
/// JOB form a pair if there is no such file; JOB_layer forms none.
std::vector<ClassicPair> pair_case(std::span<const PatternFile> normal,
                                   std::span<const PatternFile> abnormal,
                                   const std::string& identifier);

ClassicReport report_pair(const ClassicPair& pair);

}  // namespace tactus
