#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kDrillFields[] = {
    {"recording", "text", "", "the file with steps, meters and injections"},
    {"rows", "list", "", "one per injection, in the order of time"},
    {"rows[]", "object", "", "one of them", kSometimes},
    {"rows[].scenario", "text", "", "what was injected"},
    {"rows[].intensity", "number", "0..1", "of the most that the scenario does"},
    {"rows[].shape", "text", "", "step, ramp, spike or square"},
    {"rows[].refused", "text?", "", "why it was not done"},
    {"rows[].problem", "text?", "", "why it ended early"},
    {"rows[].begin_ns", "integer?", "ns", "in the recording"},
    {"rows[].end_ns", "integer?", "ns", "in the recording"},
    {"rows[].cores", "number?", "", "that it used, on average"},
    {"rows[].bytes_per_s", "number?", "bytes/s", "moved, written or sent"},
    {"rows[].steps", "integer", "", "while it was injected"},
    {"rows[].normal_steps", "integer", "", "in the rests before and after it"},
    {"rows[].ratio", "number?", "", "of the typical step, injected over normal"},
    {"rows[].low", "number?", "", "of its 95% interval"},
    {"rows[].high", "number?", "", "of its 95% interval"},
    {"rows[].mean_ratio", "number?", "", "of the mean step, injected over normal"},
    {"rows[].mean_low", "number?", "", "of its 95% interval"},
    {"rows[].mean_high", "number?", "", "of its 95% interval"},
    {"rows[].slower", "text", "", "yes (5% or more), no, or not judged"},
    {"rows[].watched_steps", "integer", "", "while it was injected, that watch judged"},
    {"rows[].detected_steps", "integer?", "", "after how many steps watch noticed it; null: never"},
    {"rows[].detected_s", "number?", "s", "the same as time since the load began"},
    {"rows[].alert_s", "number?", "s", "until watch raised an alert; null: never"},
    {"rows[].in_alert_before", "bool", "", "an alert was open already when the load began"},
    {"rows[].named", "text?", "", "the class of the verdict; null: not compared"},
    {"rows[].accepted", "list", "", "classes that are right for this scenario"},
    {"rows[].accepted[]", "text", "", "one of them", kSometimes},
    {"rows[].seen", "list", "", "classes whose counters moved without being felt"},
    {"rows[].seen[]", "text", "", "one of them", kSometimes},
    {"rows[].text", "text", "", "the verdict in one sentence, or why there is none"},
    {"rows[].grade", "text", "", "right, missed, wrong or not judged"},
    {"rows[].normal_file", "text?", "", "with --pairs: a cut of the rest before it"},
    {"rows[].injected_file", "text?", "", "with --pairs: a cut of the injection"},
    {"felt", "object", "", "the injections that made steps slower by 5% or more"},
    {"felt.injections", "integer", "", "how many"},
    {"felt.detected", "integer", "", "that watch noticed"},
    {"felt.right", "integer", "", "that were named rightly"},
    {"rests", "object", "", "what watch said while nothing was injected"},
    {"rests.watched_steps", "integer", "", "that it judged"},
    {"rests.episodes", "integer", "", "false ones"},
    {"rests.alerts", "integer", "", "false ones"},
    {"rests.ready", "bool", "", "it learnt enough to judge"},
    {"dropped", "object", "", "always empty"},
    {"warnings", "list", "", "sentences about the recording"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

}  // namespace

std::span<const JsonField> drill_fields() {
  return kDrillFields;
}

}  // namespace tactus
