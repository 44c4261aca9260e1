// "The walk": simdjson's on-demand reader over the bytes of a trace, with a fresh parser, visiting
// every field of every event and reading name, ts and dur. Nothing is kept.
// usage: walk_simdjson TRACE.json
#include <simdjson.h>

#include <chrono>
#include <cstdio>
#include <string_view>

namespace {

struct Totals {
  std::size_t events = 0;
  std::size_t fields = 0;
  std::size_t name_bytes = 0;
  double dur_us = 0;
  double last_ts = 0;
};

void walk_event(simdjson::ondemand::object event, Totals& totals) {
  ++totals.events;
  for (auto field : event) {
    ++totals.fields;
    const std::string_view key = field.unescaped_key();
    simdjson::ondemand::value value = field.value();
    if (key == "name") {
      std::string_view name;
      if (value.get_string().get(name) == simdjson::SUCCESS) totals.name_bytes += name.size();
    } else if (key == "ts") {
      double ts = 0;
      if (value.get_double().get(ts) == simdjson::SUCCESS) totals.last_ts = ts;
    } else if (key == "dur") {
      double dur = 0;
      if (value.get_double().get(dur) == simdjson::SUCCESS) totals.dur_us += dur;
    }
  }
}

}  // namespace

int main(int, char** argv) {
  const simdjson::padded_string json = simdjson::padded_string::load(argv[1]);
  const auto begin = std::chrono::steady_clock::now();
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document = parser.iterate(json);
  Totals totals;
  for (auto member : document.get_object()) {
    if (std::string_view(member.unescaped_key()) != "traceEvents") continue;
    for (auto event : member.value().get_array()) walk_event(event.get_object(), totals);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("{\"seconds\": %.6f, \"bytes\": %zu, \"events\": %zu, \"dur_us\": %.3f}\n",
              seconds.count(), json.size(), totals.events, totals.dur_us);
}
