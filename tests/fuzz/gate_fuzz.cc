// What a gate reads: a message of a client, a policy file, the answer of another gate, and counts
// in memory that a client writes.
#include <cstring>
#include <string>

#include "gate/broker.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const std::string text(reinterpret_cast<const char*>(data), size);
  gate::read_message(text);
  std::string message = text;
  message.resize(sizeof(wire::GateHello));
  wire::GateHello hello{};
  std::memcpy(&hello, message.data(), sizeof hello);
  hello.magic = wire::kGateMagic;
  hello.version = wire::kGateVersion;
  gate::read_message(std::string_view(reinterpret_cast<const char*>(&hello), sizeof hello));
  static_cast<void>(gate::read_policy(text, "p.toml"));
  gate::read_status(text);
  wire::GateCounts counts{};
  std::memcpy(static_cast<void*>(&counts), text.data(), std::min(size, sizeof counts));
  gate::ClientCounts sum;
  for (int i = 0; i < 300; ++i) sum.add(gate::read_counts(counts));
  if (sum.submitted < sum.done) __builtin_trap();
  return 0;
}
