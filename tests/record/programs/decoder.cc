// Continuous batching of a very small transformer on one core, without any GPU: real work whose
// time depends on batch, context and prompts, for trying watch on steps that nobody made up.
//   decoder STEPS SEED WALL.csv PROCESSOR.csv
// Writes one row per step in the layout of docs/watch.md, with the time that passed and with the
// processor time: what others do on the machine is in the first.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

namespace {

constexpr std::size_t kWidth = 256;
constexpr std::size_t kWide = 12 * kWidth;  // queries, keys, values, output and both of the MLP
constexpr std::size_t kLayers = 2;
constexpr std::size_t kBudget = 48;  // tokens of prompts per step
constexpr std::size_t kMostSequences = 24;
constexpr std::size_t kStepsPerLoad = 2500;

using Row = std::vector<float>;

struct Request {
  std::size_t waiting = 0;  ///< tokens of its prompt that are not computed yet
  std::size_t prompt = 0;
  std::size_t produced = 0;
  std::size_t left = 0;
  std::vector<Row> cache = std::vector<Row>(kLayers);  ///< keys
};

class Model {
 public:
  explicit Model(std::mt19937_64& random) {
    std::normal_distribution<float> normal(0, 0.02F);
    for (Row& of : weights_) {
      of.resize(kWidth * kWide);
      for (float& weight : of) weight = normal(random);
    }
  }

  /// One layer for a few tokens: products with all weights, then attention of each to its context.
  void run(std::vector<Row>& tokens, const std::vector<Request*>& owners) {
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      out_.assign(tokens.size() * kWide, 0);
      for (std::size_t i = 0; i < kWidth; ++i) {
        const float* const weights = &weights_[layer][i * kWide];
        for (std::size_t t = 0; t < tokens.size(); ++t) {
          const float x = tokens[t][i];
          float* const out = &out_[t * kWide];
          for (std::size_t o = 0; o < kWide; ++o) out[o] += x * weights[o];
        }
      }
      for (std::size_t t = 0; t < tokens.size(); ++t)
        attend(tokens[t], &out_[t * kWide], owners[t]->cache[layer]);
    }
  }

 private:
  static void attend(Row& token, const float* products, Row& keys) {
    keys.insert(keys.end(), products, products + kWidth);
    Row sum(kWidth, 0);
    for (std::size_t at = 0; at < keys.size(); at += kWidth) {
      for (std::size_t i = 0; i < kWidth; ++i) sum[i] += keys[at + i] * products[kWidth + i];
    }
    const auto length = static_cast<float>(keys.size() / kWidth);
    for (std::size_t i = 0; i < kWidth; ++i) {
      token[i] = std::tanh(token[i] + sum[i] / length + products[2 * kWidth + i]);
    }
  }

  std::vector<Row> weights_ = std::vector<Row>(kLayers);
  Row out_;
};

double now_us(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const auto steps = static_cast<std::size_t>(std::atoll(argv[1]));
  std::mt19937_64 random(static_cast<std::uint64_t>(std::atoll(argv[2])));
  std::FILE* const files[] = {std::fopen(argv[3], "w"), std::fopen(argv[4], "w")};
  for (std::FILE* const file : files) {
    if (file == nullptr) return 1;
    std::fputs(
        "job_name,start_ts,duration_us,batch_size,avg_input_length,avg_output_length,prompt_tokens,"
        "prompts\n",
        file);
  }
  Model model(random);
  std::vector<Request> requests;
  double rate = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    if (step % kStepsPerLoad == 0)
      rate = std::uniform_real_distribution<double>(0.01, 0.12)(random);
    std::size_t arrived = std::poisson_distribution<std::size_t>(rate)(random);
    if (requests.empty()) arrived = std::max<std::size_t>(arrived, 1);
    for (; arrived > 0 && requests.size() < kMostSequences; --arrived) {
      Request request;
      request.waiting = request.prompt = std::uniform_int_distribution<std::size_t>(8, 160)(random);
      request.left = 1 + std::geometric_distribution<std::size_t>(1.0 / 120)(random);
      requests.push_back(std::move(request));
    }
    std::vector<Row> tokens;
    std::vector<Request*> owners;
    std::size_t budget = kBudget;
    std::size_t sequences = 0;
    std::size_t prompts = 0;
    double input = 0;
    double output = 0;
    const auto add = [&](Request& of) {
      tokens.emplace_back(kWidth, 0.1F * static_cast<float>(tokens.size() % 7));
      owners.push_back(&of);
    };
    for (Request& request : requests) {
      if (request.waiting == 0) {
        add(request);
        ++sequences;
        input += static_cast<double>(request.prompt);
        output += static_cast<double>(++request.produced);
        --request.left;
        continue;
      }
      const std::size_t part = std::min(request.waiting, budget);
      prompts += part > 0 ? 1 : 0;
      budget -= part;
      request.waiting -= part;
      for (std::size_t i = 0; i < part; ++i) add(request);
    }
    const double start_us = now_us(CLOCK_REALTIME);
    const double start[] = {now_us(CLOCK_MONOTONIC), now_us(CLOCK_THREAD_CPUTIME_ID)};
    model.run(tokens, owners);
    const double end[] = {now_us(CLOCK_MONOTONIC), now_us(CLOCK_THREAD_CPUTIME_ID)};
    const double count = std::max(1.0, static_cast<double>(sequences));
    for (std::size_t i = 0; i < 2; ++i) {
      std::fprintf(files[i], "load%zu,%.0f,%.3f,%zu,%.3f,%.3f,%zu,%zu\n", step / kStepsPerLoad,
                   start_us, end[i] - start[i], sequences, input / count, output / count,
                   kBudget - budget, prompts);
    }
    std::erase_if(requests, [](const Request& request) { return request.left == 0; });
  }
  for (std::FILE* const file : files) std::fclose(file);
}
