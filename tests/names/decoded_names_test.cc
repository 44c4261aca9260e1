// Names as profilers show them, and what they say: tests/names/decoded_names.tsv has kernels of two
// profiles with all details, library_names.tsv kernels of many libraries with what matters most,
// public_names.tsv the families of names from all over.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "names/kernel_name.h"
#include "support/files.h"
#include "support/paths.h"

namespace tactus {
namespace {

std::string or_dash(std::string_view text) {
  return text.empty() ? "-" : std::string(text);
}

std::string number(const std::optional<int>& value, const char* unknown) {
  return value ? std::to_string(*value) : unknown;
}

std::string tile_text(const KernelName& name) {
  if (!name.tile) return "-";
  return number(name.tile->m, "?") + "x" + number(name.tile->n, "?") + "x" +
         number(name.tile->k, "?");
}

std::string cluster_text(const KernelName& name) {
  if (!name.cluster) return "-";
  const auto& [x, y, z] = *name.cluster;
  return std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z);
}

/// What has no column of its own: "kv_split causal head_dim=128".
std::string more_text(const KernelName& name) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  if (name.kv_split) add("kv_split");
  if (name.causal) add(*name.causal ? "causal" : "not_causal");
  if (name.head_dim) add("head_dim=" + std::to_string(*name.head_dim));
  if (name.vector_width) add("vector_width=" + std::to_string(*name.vector_width));
  if (name.warps) add("warps=" + std::to_string(*name.warps));
  if (name.family == Family::kScan && !name.era.empty()) {
    std::string era(name.era);
    for (char& c : era) c = c == ' ' ? '_' : c;
    add("era=" + era);
  }
  return or_dash(text);
}

/// A row of the file, with its columns separated by tabs.
std::string row_of(const std::string& text) {
  const KernelName name = decode_kernel_name(text);
  std::string row;
  for (const std::string& cell :
       {std::string(family_name(name.family)), or_dash(name.op), or_dash(name.dtype_in),
        or_dash(name.dtype_out), tile_text(name), number(name.stages, "-"), cluster_text(name),
        std::string(name.split_k ? "yes" : "no"), more_text(name)}) {
    row += cell + "\t";
  }
  return row + text;
}

/// The same for tables of libraries.
std::string library_row_of(const std::string& text) {
  const KernelName name = decode_kernel_name(text);
  std::string row;
  for (const std::string& cell :
       {std::string(family_name(name.family)), or_dash(name.op), or_dash(name.library),
        or_dash(name.dtype_in), or_dash(name.dtype_out), tile_text(name)}) {
    row += cell + "\t";
  }
  return row + text;
}

void expect_rows(const char* file, std::string (*row)(const std::string&), std::size_t at_least) {
  std::istringstream table(testing::read_file(std::string(TACTUS_ROOT) + "/tests/names/" + file));
  std::size_t rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    ++rows;
    EXPECT_EQ(row(line.substr(line.rfind('\t') + 1)), line);
  }
  EXPECT_GE(rows, at_least);
}

TEST(DecodedNames, say_what_the_table_says) {
  expect_rows("decoded_names.tsv", row_of, 57);
}

/// The family alone: names of many programs, as they stand in public profiles and sources.
std::string family_row_of(const std::string& text) {
  return std::string(family_name(decode_kernel_name(text).family)) + "\t" + text;
}

TEST(DecodedNames, of_public_profiles_have_their_family) {
  expect_rows("public_names.tsv", family_row_of, 300);
}

TEST(DecodedNames, of_libraries_say_what_the_table_says) {
  expect_rows("library_names.tsv", library_row_of, 200);
}

}  // namespace
}  // namespace tactus
