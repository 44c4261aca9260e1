#include "views/gate/gate_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "views/common/text_table.h"

namespace tactus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

gate::GateStatus two_classes() {
  gate::GateStatus status;
  status.pid = 4711;
  status.policy = "priority";
  status.max_hold_ns = 5'000'000;
  gate::ClassStatus decode;
  decode.name = "decode";
  decode.admitted = 1'234'567;
  gate::ClassStatus prefill;
  prefill.name = "prefill";
  prefill.is_closed = true;
  prefill.held = 4242;
  prefill.held_ns = 987'000'000;
  status.classes = {decode, prefill};
  return status;
}

TEST(GateView, has_every_figure_of_a_class_where_there_is_room) {
  const std::string text = show_gate(two_classes(), false, 160);
  for (const char* head :
       {"Admitted", "Held time", "Longest", "Expired", "Rested", "Queued", "Unfinished", "Class"}) {
    EXPECT_THAT(text, HasSubstr(head));
  }
  EXPECT_THAT(text, HasSubstr("1,234,567"));
  EXPECT_THAT(text, HasSubstr("987.0 ms"));
}

TEST(GateView, leaves_out_what_matters_least_on_a_narrow_terminal) {
  const std::string text = show_gate(two_classes(), false, 80);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), 80u) << line;
  EXPECT_THAT(text, HasSubstr("closed"));
  EXPECT_THAT(text, HasSubstr("4,242"));
  EXPECT_THAT(text, Not(HasSubstr("Rested")));
}

}  // namespace
}  // namespace tactus
