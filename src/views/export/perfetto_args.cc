#include "views/export/perfetto_args.h"

#include <cmath>

#include "sources/perfetto/schema.h"

namespace tactus {
namespace {

namespace annotation = perfetto::annotation;

constexpr int kDeepestStack = 1024;  // a damaged file may have a loop

StringId text_id(std::int64_t raw) {
  return StringId(static_cast<std::uint64_t>(raw));
}

/// Calls f(StringId) for the frames of a stack, the innermost first.
template <class F>
void for_each_frame(const Run& run, std::int64_t stack, F&& f) {
  for (int depth = 0; depth < kDeepestStack; ++depth) {
    if (stack < 0 || static_cast<std::size_t>(stack) >= run.stacks.rows) return;
    f(text_id(run.stacks.frame()[static_cast<std::size_t>(stack)]));
    stack = run.stacks.parent()[static_cast<std::size_t>(stack)];
  }
}

void write_value(const Run& run, Value value, PerfettoTexts& texts, ProtobufWriter& out) {
  switch (value.type) {
    case ValueType::kInt:
      out.number(annotation::kInt, static_cast<std::uint64_t>(value.raw));
      return;
    case ValueType::kDecimal: {
      const double number = Decimal::to_double(value.raw, run.strings);
      if (!std::isnan(number)) out.real(annotation::kDouble, number);
      return;
    }
    case ValueType::kText:
      out.number(annotation::kStringIid, texts.number(PerfettoTexts::kValue, text_id(value.raw)));
      return;
    case ValueType::kJson: out.text(annotation::kJson, run.strings[text_id(value.raw)]); return;
    case ValueType::kBool: out.number(annotation::kBool, value.raw != 0 ? 1 : 0); return;
    case ValueType::kNull: return;
    case ValueType::kStack:
      for_each_frame(run, value.raw, [&](StringId frame) {
        const std::size_t item = out.begin(annotation::kArrayValues);
        out.number(annotation::kStringIid, texts.number(PerfettoTexts::kValue, frame));
        out.end(item);
      });
      return;
  }
}

}  // namespace

void PerfettoTexts::write(const Run& run, ProtobufWriter& out) {
  static constexpr std::uint32_t kFields[kKinds] = {
      perfetto::interned::kNames, perfetto::interned::kCategories,
      perfetto::interned::kAnnotationNames, perfetto::interned::kAnnotationStrings};
  const std::size_t data = out.begin(perfetto::packet::kInternedData);
  for (const Unwritten& text : unwritten_) {
    const std::size_t entry = out.begin(kFields[text.kind]);
    out.number(perfetto::interned::kIid, text.number);
    out.text(perfetto::interned::kText, run.strings[text.id]);
    out.end(entry);
  }
  out.end(data);
  unwritten_.clear();
}

void number_arg_texts(const Run& run, const EventTable& events, const EventView& event,
                      PerfettoTexts& texts) {
  const ArgShape& shape = run.shapes[event.shape];
  for (std::size_t i = 0; i < shape.size(); ++i) {
    texts.number(PerfettoTexts::kKey, shape[i].key);
    if (shape[i].type != ValueType::kText && shape[i].type != ValueType::kStack) continue;
    const Value value = field_value(run, events, event, i);
    if (value.type == ValueType::kText) {
      texts.number(PerfettoTexts::kValue, text_id(value.raw));
    } else {
      for_each_frame(run, value.raw,
                     [&](StringId frame) { texts.number(PerfettoTexts::kValue, frame); });
    }
  }
}

void write_args(const Run& run, const EventTable& events, const EventView& event,
                PerfettoTexts& texts, ProtobufWriter& out) {
  const ArgShape& shape = run.shapes[event.shape];
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t argument = out.begin(perfetto::event::kDebugAnnotations);
    out.number(annotation::kNameIid, texts.number(PerfettoTexts::kKey, shape[i].key));
    write_value(run, field_value(run, events, event, i), texts, out);
    out.end(argument);
  }
}

}  // namespace tactus
