#include "support/sample_trace.h"

#include <fmt/format.h>

namespace tactus::testing {
namespace {

class TraceText {
 public:
  void add(const std::string& event) { text_ += (text_.empty() ? "  " : ",\n  ") + event; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_step(TraceText& trace, int step) {
  const double at = 1000.0 * step;
  trace.add(fmt::format(
      R"~({{"ph": "X", "cat": "user_annotation", "name": "step[DECODE bs={}]", "pid": 395, "tid": 395, "ts": {:.3f}, "dur": 900.5}})~",
      32 + step % 3, at));
  for (int op = 0; op < 7; ++op) {
    const int id = step * 7 + op + 1;
    const double ts = at + op * 100 + 0.125;
    trace.add(fmt::format(
        R"~({{"ph": "X", "cat": "cpu_op", "name": "aten::op{}", "pid": 395, "tid": 395, "ts": {:.3f}, "dur": {}.25, "args": {{"External id": {}, "Concrete Inputs": ["", "[{}, 1]"], "Input Dims": [[32, {}], []], "Ev Idx": {}}}}})~",
        op, ts, 40 + op, id, step % 5, 128 << op % 3, id));
    trace.add(fmt::format(
        R"~({{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 395, "tid": 395, "ts": {:.3f}, "dur": 3.5, "args": {{"External id": {}, "cbid": 211, "correlation": {}}}}})~",
        ts + 5, id, id * 3));
    trace.add(fmt::format(
        R"~({{"ph": "s", "id": {}, "pid": 395, "tid": 395, "ts": {:.3f}, "cat": "ac2g", "name": "ac2g"}})~",
        id * 3, ts + 5));
    trace.add(fmt::format(
        R"~({{"ph": "X", "cat": "kernel", "name": "void k<{}>(T*, \"}}, {{\\\"ph\\\": 1\")", "pid": 0, "tid": 7, "ts": {:.3f}, "dur": {}.001, "args": {{"device": 0, "stream": 7, "correlation": {}, "grid": [{}, 1, 1], "blocks per SM": {}.5, "est. achieved occupancy %": 75}}}})~",
        op, ts + 20, 10 + op, id * 3, 1 << op, op));
    trace.add(fmt::format(
        R"~({{"ph": "f", "id": {}, "pid": 0, "tid": 7, "ts": {:.3f}, "cat": "ac2g", "name": "ac2g", "bp": "e"}})~",
        id * 3, ts + 20));
  }
  trace.add(fmt::format(
      R"~({{"ph": "X", "cat": "python_function", "name": "model.py({}): forward", "pid": 395, "tid": 395, "ts": {:.3f}, "dur": 800, "args": {{"Python parent id": {}, "Python id": {}, "Ev Idx": {}}}}})~",
      step, at + 1, step == 0 ? "null" : std::to_string(step), step + 1, step));
  trace.add(fmt::format(
      R"~({{"ph": "C", "name": "memory", "pid": 395, "ts": {:.3f}, "args": {{"used": {}, "free": 0.5}}}})~",
      at + 2, step * 4096));
  trace.add(fmt::format(
      R"~({{"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "s": "t", "pid": 395, "tid": 395, "ts": {:.3f}, "args": {{"Addr": 140000000000{}, "Bytes": -512}}}})~",
      at + 3, step));
}

}  // namespace

std::string sample_trace(int steps) {
  TraceText trace;
  trace.add(
      R"~({"ph": "B", "name": "whole run", "cat": "app", "pid": "node-1(77)", "tid": "main", "ts": 1})~");
  trace.add(
      R"~({"ph": "E", "name": "before", "cat": "app", "pid": "node-1(77)", "tid": "io", "ts": 2})~");
  for (int step = 0; step < steps; ++step) add_step(trace, step);
  trace.add(
      R"~({"ph": "s", "id": 9, "pid": 395, "tid": 395, "ts": 50, "cat": "fwdbwd", "name": "fwdbwd"})~");
  trace.add(
      R"~({"ph": "f", "id": 9, "pid": 0, "tid": 7, "ts": 130, "cat": "fwdbwd", "name": "fwdbwd", "bp": "e"})~");
  trace.add(
      R"~({"name": "process_name", "ph": "M", "ts": 0, "pid": 395, "tid": 0, "args": {"name": "python3"}})~");
  trace.add(
      R"~({"name": "process_labels", "ph": "M", "ts": 0, "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}})~");
  trace.add(
      R"~({"name": "thread_name", "ph": "M", "ts": 0, "pid": 0, "tid": 7, "args": {"name": "stream 7"}})~");
  trace.add(
      R"~({"name": "thread_sort_index", "ph": "M", "ts": 0, "pid": 0, "tid": 7, "args": {"sort_index": 7}})~");
  trace.add(
      R"~({"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 99999})~");
  return "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA "
         "H200\"}],\n"
         "  \"baseTimeNanoseconds\": 1790857026000000000,\n  \"traceEvents\": [\n" +
         trace.text() + "\n  ],\n  \"traceName\": \"sample.json\"\n}\n";
}

}  // namespace tactus::testing
