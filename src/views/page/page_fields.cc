#include "views/common/json_fields.h"

namespace tactus {
namespace {

constexpr JsonField kHeadFields[] = {
    {"version", "integer", "", "of the form of the page's data"},
    {"mode", "text", "", "report (all data in the file) or serve (data by HTTP)"},
    {"open", "text", "", "the part to show first"},
    {"title", "text", "", "of the page"},
    {"tactus", "text", "", "the version of tactus"},
    {"documents", "list", "", "names of the documents in the file; empty for serve"},
    {"documents[]", "text", "", "one of them", kSometimes},
    {"warnings", "list", "", "sentences about what the page leaves out"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

constexpr JsonField kRunsFields[] = {
    {"[]", "object", "", "one of them", kSometimes},
    {"[].index", "integer", "", "its number in names of documents"},
    {"[].name", "text", "", "the name of its file"},
    {"[].kind", "text", "", "trace, table, patterns, results, catalogue or report"},
    {"[].holds", "text?", "", "kernels; launches, if no kernel has a time; null: neither"},
    {"[].rows", "integer", "", "slices of a trace, rows of a table"},
    {"[].span_ns", "integer?", "ns", "from the first slice to the last"},
    {"[].live", "bool", "", "it is still being recorded"},
    {"[].generation", "integer", "", "grows when a live run has grown"},
};

constexpr JsonField kOverviewFields[] = {
    {"sentence", "text", "", "the run in a sentence"},
    {"lines", "list", "", "what the text of tactus kernels says below its table"},
    {"lines[]", "object", "", "one of them", kSometimes},
    {"lines[].label", "text", "", "what it is about; empty: as the line before"},
    {"lines[].text", "text", "", "a sentence or two"},
    {"next", "list", "", "commands to type next"},
    {"next[]", "text", "", "one of them", kSometimes},
    {"remarks", "list", "", "sentences about how it was recorded"},
    {"remarks[]", "text", "", "one of them", kSometimes},
    {"warnings", "list", "", "sentences about the recording"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

constexpr JsonField kTimelineFields[] = {
    {"origin_ns", "text", "ns", "time 0 of the run, since the epoch"},
    {"start_ns", "integer", "ns", "start of the first slice"},
    {"span_ns", "integer", "ns", "from the first slice to the end of the last"},
    {"names", "list", "", "names of slices, the most frequent first"},
    {"names[]", "text", "", "one of them", kSometimes},
    {"short_names", "list", "", "by name: short name of a kernel; empty for others"},
    {"short_names[]", "text", "", "one of them", kSometimes},
    {"families", "list", "", "families of kernels that occur"},
    {"families[]", "text", "", "one of them", kSometimes},
    {"family_of_name", "list", "", "by name: index of families, -1 if it is not a kernel"},
    {"family_of_name[]", "integer", "", "one of them", kSometimes},
    {"tracks", "list", "", "streams and threads that have slices"},
    {"tracks[]", "object", "", "one of them", kSometimes},
    {"tracks[].id", "integer", "", "its number in requests"},
    {"tracks[].kind", "text", "", "stream or thread"},
    {"tracks[].label", "text", "", "stream 7"},
    {"tracks[].group", "text", "", "its device or process"},
    {"tracks[].host", "text?", "", "its host"},
    {"tracks[].rank", "integer?", "", "its rank"},
    {"tracks[].device", "integer?", "", "number of its device"},
    {"tracks[].pid", "integer?", "", "its process"},
    {"tracks[].tid", "integer?", "", "its thread"},
    {"tracks[].depth", "integer", "", "levels of nesting"},
    {"tracks[].count", "integer", "", "slices"},
    {"counters", "list", "", "counters that have samples"},
    {"counters[]", "object", "", "one of them", kSometimes},
    {"counters[].id", "integer", "", "its number in the columns"},
    {"counters[].name", "text", "", "its name"},
    {"counters[].unit", "text?", "", "of its values"},
    {"counters[].device", "text?", "", "what was measured"},
    {"counters[].count", "integer", "", "samples"},
    {"tiles", "bool", "", "slices are asked for by segment (serve)"},
    {"whole_from_ns", "integer", "ns", "slices from here are all there, none merged"},
    {"whole_to_ns", "integer", "ns", "up to here"},
    {"warnings", "list", "", "sentences about what is not shown"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

constexpr JsonField kFlameFields[] = {
    {"kind", "text", "", "what the nodes are: python or ops"},
    {"nodes", "list", "", "callers before what they call; kernels are the leaves"},
    {"nodes[]", "object", "", "one of them", kSometimes},
    {"nodes[].name", "text", "", "function, op or kernel"},
    {"nodes[].parent", "integer", "", "index of its caller; -1 for none"},
    {"nodes[].launches", "integer", "", "kernels that it and what it calls launched"},
    {"nodes[].device_ns", "integer", "ns", "their time"},
    {"warnings", "list", "", "sentences about what is not shown"},
    {"warnings[]", "text", "", "one of them", kSometimes},
};

constexpr JsonField kSliceFields[] = {
    {"row", "integer", "", "its row in the run"},
    {"name", "text", "", "its name"},
    {"kind", "text", "", "kernel, cpu_op, python_function and so on"},
    {"track", "integer?", "", "the number of its track in the timeline"},
    {"start_ns", "integer", "ns", "since the start of the run"},
    {"dur_ns", "integer", "ns", "how long it took"},
    {"args", "object", "", "what the recording says about it"},
    {"args.*", "json", "", "a value", kSometimes},
    {"op", "text?", "", "the framework op that launched it"},
    {"shapes", "json", "", "input shapes of that op"},
    {"python", "text?", "", "the Python function that launched it"},
    {"module", "text?", "", "the module that launched it"},
    {"launched_by", "integer?", "", "row of the call that launched it"},
    {"launches", "list", "", "rows of the work that it launched"},
    {"launches[]", "integer", "", "one of them", kSometimes},
};

constexpr JsonField kSearchFields[] = {
    {"names", "list", "", "names that hold the text, the most frequent first"},
    {"names[]", "object", "", "one of them", kSometimes},
    {"names[].name", "integer", "", "index of the timeline's names"},
    {"names[].count", "integer", "", "slices of that name"},
    {"total", "integer", "", "names found, also those that are not listed"},
};

}  // namespace

std::span<const JsonField> page_head_fields() {
  return kHeadFields;
}
std::span<const JsonField> page_runs_fields() {
  return kRunsFields;
}
std::span<const JsonField> page_overview_fields() {
  return kOverviewFields;
}
std::span<const JsonField> page_timeline_fields() {
  return kTimelineFields;
}
std::span<const JsonField> page_flame_fields() {
  return kFlameFields;
}
std::span<const JsonField> page_slice_fields() {
  return kSliceFields;
}
std::span<const JsonField> page_search_fields() {
  return kSearchFields;
}

}  // namespace tactus
