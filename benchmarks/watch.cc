// Scores steps that were made up, and prints what one costs. usage: watch [STEPS]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "watch/evaluate/synthetic.h"
#include "watch/streams.h"

int main(int argc, char** argv) {
  using namespace tactus::watch;
  using Clock = std::chrono::steady_clock;
  const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
  for (const Deployment& deployment : deployments()) {
    const StepStream stream = make_steps(deployment, count, 7);
    StreamWatch watch(stream.name, std::nullopt, {});
    std::vector<WatchEvent> events;
    double slowest = 0;
    const Clock::time_point start = Clock::now();
    for (const Step& step : stream.steps) {
      const Clock::time_point before = Clock::now();
      watch.add(step, events);
      slowest = std::max(slowest,
                         std::chrono::duration<double, std::micro>(Clock::now() - before).count());
    }
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    const OnlineModel* decode = watch.model(ModelKind::kDecode);
    fmt::print(
        "{:<26} {:>10} steps {:>8.0f} ns per step, the slowest {:.1f} us; {} fits, {} episodes, {} "
        "alerts\n",
        deployment.name, count, ns / static_cast<double>(count), slowest,
        decode != nullptr ? decode->fits() : 0, watch.account().episodes, watch.account().alerts);
  }
}
