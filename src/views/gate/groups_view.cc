#include "views/gate/groups_view.h"

#include "views/common/json.h"

namespace tactus {
namespace {

Json word_json(const gate::MemberWord& word) {
  Json out;
  out["word"] = word.word;
  out["following"] = word.following;
  out["launches"] = word.launches;
  out["kernels"] = word.kernels;
  return out;
}

}  // namespace

std::string groups_json(const gate::GroupMembers& members, const Run& run,
                        const std::optional<std::string>& file) {
  Json document;
  document["members"] = Json::array();
  for (const gate::MemberWord& word : members.members) {
    document["members"].push_back(word_json(word));
  }
  document["left_out"] = Json::array();
  for (const gate::MemberWord& word : members.left_out) {
    Json out = word_json(word);
    out["why"] = gate::why_left_out(word);
    document["left_out"].push_back(out);
  }
  document["file"] = value_or_null(file);
  add_account(document, run);
  return to_text(document);
}

}  // namespace tactus
