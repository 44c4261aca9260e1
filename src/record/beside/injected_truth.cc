#include "record/beside/injected_truth.h"

#include <fmt/format.h>

#include <algorithm>

#include "run/args/value.h"

namespace tactus::record {

std::optional<InjectedTruth> part_behind(const InjectedTruth& truth, std::int64_t from_ns) {
  if (truth.end_ns <= from_ns) return std::nullopt;
  InjectedTruth part = truth;
  part.begin_ns = std::max(truth.begin_ns, from_ns);
  return part;
}

TruthFiller::TruthFiller(RunBuilder& builder, std::int64_t origin_ns, std::string host_name)
    : builder_(builder), origin_ns_(origin_ns), host_name_(std::move(host_name)) {}

void TruthFiller::begin() {
  has_begun_ = true;
  const SourceId source = builder_.begin_source("injections", "tactus");
  builder_.source().host_name = builder_.intern_repaired(host_name_);
  builder_.end_source(origin_ns_, 0);
  const ProcessId process = builder_.process(source, builder_.ident("injections"));
  builder_.run().processes[process.value].name = builder_.intern("injections");
  track_ = builder_.track(builder_.thread(process, RunBuilder::ident(0)), false);
  category_ = builder_.category("injection");
  ArgShape shape;
  shape.push_back({builder_.intern("intensity"), ValueType::kDecimal});
  shape.push_back({builder_.intern("shape"), ValueType::kText});
  shape.push_back({builder_.intern("seconds"), ValueType::kDecimal});
  shape.push_back({builder_.intern("before"), ValueType::kDecimal});
  shape_ = builder_.shape(shape);
}

void TruthFiller::add(const InjectedTruth& truth) {
  if (!has_begun_) begin();
  Run& run = builder_.run();
  const std::int64_t values[] = {
      Decimal::from_text(fmt::format("{:.6g}", truth.intensity), run.strings),
      static_cast<std::int64_t>(builder_.intern(truth.shape).value),
      Decimal::from_text(fmt::format("{:.6f}", truth.seconds), run.strings),
      Decimal::from_text(fmt::format("{:.6f}", truth.before), run.strings)};
  run.slices.append(truth.begin_ns - origin_ns_, truth.end_ns - truth.begin_ns,
                    builder_.intern(truth.scenario), track_.value, category_.value, shape_, values);
}

void TruthFiller::add(const Note& note) {
  if (!has_begun_) begin();
  Run& run = builder_.run();
  ArgShape shape;
  std::vector<std::int64_t> values;
  for (const auto& [key, value] : note.args) {
    const StringId name = builder_.intern_repaired(key);
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      shape.push_back({name, ValueType::kInt});
      values.push_back(*number);
    } else if (const auto* decimal = std::get_if<double>(&value)) {
      shape.push_back({name, ValueType::kDecimal});
      values.push_back(Decimal::from_double(*decimal, run.strings));
    } else {
      shape.push_back({name, ValueType::kText});
      const StringId text = builder_.intern_repaired(std::get<std::string>(value));
      values.push_back(static_cast<std::int64_t>(text.value));
    }
  }
  run.instants.append(note.time_ns - origin_ns_, 0, builder_.intern_repaired(note.name),
                      track_.value, builder_.category(note.category).value, builder_.shape(shape),
                      values);
}

}  // namespace tactus::record
