#include "classic/roles/role_labels.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <tuple>

#include "classic/report_names.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

std::string plain_label(const RoleOrigin& role) {
  const std::string host = role.host.empty() ? "" : "_" + role.host;
  return fs::path(role.path).stem().string() + host + "_" + std::to_string(role.pid);
}

/// The folders above a file, the nearest first.
std::vector<std::string> folders_above(const std::string& path) {
  std::vector<std::string> folders;
  for (const fs::path& part : fs::path(path).lexically_normal().parent_path()) {
    if (part.has_filename() && part != "..") folders.push_back(part.string());
  }
  std::reverse(folders.begin(), folders.end());
  return folders;
}

/// Adds the next folder before labels that are not unique; false if no label got longer.
bool tell_apart(std::vector<std::string>& labels,
                const std::vector<std::vector<std::string>>& folders, std::size_t depth) {
  std::map<std::string, int> uses;
  for (const std::string& label : labels) ++uses[label];
  bool longer = false;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (uses[labels[i]] < 2 || depth >= folders[i].size()) continue;
    labels[i] = folders[i][depth] + "_" + labels[i];
    longer = true;
  }
  return longer;
}

}  // namespace

std::vector<std::string> label_roles(std::span<const RoleOrigin> roles) {
  // Sorted by origin, so _v2 does not depend on the order of the arguments.
  std::vector<std::size_t> order(roles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(roles[a].path, roles[a].host, roles[a].pid, a) <
           std::tie(roles[b].path, roles[b].host, roles[b].pid, b);
  });
  std::vector<std::string> labels;
  std::vector<std::vector<std::string>> folders;
  for (const std::size_t role : order) {
    labels.push_back(plain_label(roles[role]));
    folders.push_back(folders_above(roles[role].path));
  }
  for (std::size_t depth = 0; tell_apart(labels, folders, depth); ++depth) {
  }
  make_unique(labels);
  std::vector<std::string> in_given_order(roles.size());
  for (std::size_t i = 0; i < order.size(); ++i) in_given_order[order[i]] = std::move(labels[i]);
  return in_given_order;
}

}  // namespace tactus
