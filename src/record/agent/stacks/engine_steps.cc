#include "record/agent/stacks/engine_steps.h"

#include <cstring>

#include "record/agent/stacks/python_objects.h"

namespace tactus::agent {
namespace {

using wire::Engine;
using wire::EngineStepPart;
using wire::kUnknownCount;

struct StepFunction {
  Engine engine;
  const char* file;      ///< how the path ends
  const char* function;  ///< how the qualified name ends; before 3.11 there is only the part behind
                         ///< the last point
  int argument;          ///< which one holds the batch; 0 is self
};

constexpr StepFunction kStepFunctions[] = {
    {Engine::kVllm, "/vllm/v1/worker/gpu_model_runner.py", "GPUModelRunner.execute_model", 1},
    {Engine::kVllm, "/vllm/v1/worker/gpu/model_runner.py", "GPUModelRunner.execute_model", 1},
    {Engine::kSglang, "/sglang/srt/managers/scheduler.py", "Scheduler.run_batch", 1},
    {Engine::kTransformers, "/transformers/generation/continuous_batching/continuous_api.py",
     "ContinuousBatchProcessor._generation_step", 0},
    {Engine::kTransformers, "/transformers/generation/continuous_batching.py",
     "ContinuousBatchProcessor._generation_step", 0},
};

bool ends_with(const char* text, std::size_t length, const char* end) {
  const std::size_t size = std::strlen(end);
  return size <= length && std::memcmp(text + length - size, end, size) == 0;
}

constexpr std::size_t kMostSequences = 1024;

std::uint32_t count_of(std::int64_t value) {
  return value < 0 || value >= kUnknownCount ? kUnknownCount : static_cast<std::uint32_t>(value);
}

/// Splits the tokens of each sequence into prompts and generated ones, and adds them up where the
/// engine does not. A sequence that generates has one token, and those that were drafted for it.
void split(const std::int64_t* tokens, const std::int64_t* drafts, std::size_t count,
           EngineStepPart& step) {
  std::int64_t sequences = 0;
  std::int64_t sum = 0;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (tokens[i] < 0) return;
    total += tokens[i];
    if (tokens[i] - (drafts != nullptr ? drafts[i] : 0) == 1) continue;
    ++sequences;
    sum += tokens[i];
  }
  step.context_sequences = count_of(sequences);
  step.context_tokens = count_of(sum);
  if (step.tokens == kUnknownCount) step.tokens = count_of(total);
}

/// The places of requests by their names. Both dicts of a step have them in about the same order.
class RequestNames {
 public:
  RequestNames(const PythonObjects& objects, const Address* names, std::size_t count)
      : objects_(objects), names_(names), count_(count) {}

  /// -1: there is none of that name.
  std::int64_t place(Address name) {
    for (std::size_t step = 0; step < count_; ++step) {
      const std::size_t at = (next_ + step) % count_;
      if (names_[at] == name) return found(at);
    }
    // Another object of the same text: the output came from another process.
    if (!has_hashes_) {
      for (std::size_t i = 0; i < count_; ++i) hashes_[i] = objects_.hash(names_[i]);
      has_hashes_ = true;
    }
    const std::uint64_t hash = objects_.hash(name);
    for (std::size_t step = 0; hash != 0 && step < count_; ++step) {
      const std::size_t at = (next_ + step) % count_;
      if (hashes_[at] == hash) return found(at);
    }
    return -1;
  }

 private:
  std::int64_t found(std::size_t at) {
    next_ = (at + 1) % count_;
    return static_cast<std::int64_t>(at);
  }

  static inline std::uint64_t hashes_[kMostSequences];  // guarded by the StackTable

  const PythonObjects& objects_;
  const Address* names_;
  std::size_t count_;
  std::size_t next_ = 0;
  bool has_hashes_ = false;
};

/// How many tokens of each request were drafted, of a dict with those that have some. False if it
/// cannot be read.
bool read_drafts(const PythonObjects& objects, Address drafted, const Address* names,
                 std::size_t count, std::int64_t* drafts) {
  for (std::size_t i = 0; i < count; ++i) drafts[i] = 0;
  if (objects.length(drafted) <= 0) return true;  // older versions have none
  static Address keys[kMostSequences];            // guarded by the StackTable, as the next
  static Address lists[kMostSequences];
  const std::size_t requests = objects.pairs(drafted, keys, lists, kMostSequences);
  if (requests != static_cast<std::size_t>(objects.length(drafted))) return false;
  RequestNames places(objects, names, count);
  for (std::size_t i = 0; i < requests; ++i) {
    const std::int64_t place = places.place(keys[i]);
    const std::int64_t length = objects.length(lists[i]);
    if (place < 0 || length < 0) return false;
    drafts[place] = length;
  }
  return true;
}

/// vLLM: SchedulerOutput.
void read_vllm(const PythonObjects& objects, Address output, EngineStepPart& step) {
  const Address per_request = objects.attribute(output, "num_scheduled_tokens");
  step.tokens = count_of(objects.number(objects.attribute(output, "total_num_scheduled_tokens")));
  step.sequences = count_of(objects.length(per_request));
  if (step.sequences == kUnknownCount || step.sequences > kMostSequences) return;
  static Address names[kMostSequences];  // guarded by the StackTable, as the next
  static Address values[kMostSequences];
  static std::int64_t tokens[kMostSequences];
  static std::int64_t drafts[kMostSequences];
  const std::size_t count = objects.pairs(per_request, names, values, kMostSequences);
  if (count != step.sequences) return;
  for (std::size_t i = 0; i < count; ++i) tokens[i] = objects.number(values[i]);
  const Address drafted = objects.attribute(output, "scheduled_spec_decode_tokens");
  if (read_drafts(objects, drafted, names, count, drafts)) split(tokens, drafts, count, step);
}

/// The numbers of a list, if there are as many as sequences.
bool read_numbers(const PythonObjects& objects, Address list, std::uint32_t sequences,
                  std::int64_t* to) {
  static Address items[kMostSequences];  // guarded by the StackTable
  const std::int64_t length = objects.length(list);
  if (length != sequences || sequences > kMostSequences ||
      objects.items(list, items, kMostSequences) != sequences) {
    return false;
  }
  for (std::uint32_t i = 0; i < sequences; ++i) to[i] = objects.number(items[i]);
  return true;
}

/// A batch of SGLang with prompts and sequences that generate, one token each, behind them.
void split_mixed(const PythonObjects& objects, Address batch, EngineStepPart& step) {
  const std::int64_t generating = objects.length(objects.attribute(batch, "decoding_reqs"));
  const bool fits = generating > 0 && step.sequences != kUnknownCount &&
                    step.tokens != kUnknownCount && generating < step.sequences &&
                    generating < step.tokens;
  if (fits) {
    step.context_sequences = step.sequences - static_cast<std::uint32_t>(generating);
    step.context_tokens = step.tokens - static_cast<std::uint32_t>(generating);
    return;
  }
  // Versions that do not list them: the last piece of a prompt may have one token, too.
  static std::int64_t tokens[kMostSequences];  // guarded by the StackTable
  if (read_numbers(objects, objects.attribute(batch, "extend_lens"), step.sequences, tokens)) {
    split(tokens, nullptr, step.sequences, step);
  }
}

/// SGLang: ScheduleBatch.
void read_sglang(const PythonObjects& objects, Address batch, EngineStepPart& step) {
  step.sequences = count_of(objects.length(objects.attribute(batch, "reqs")));
  const Address mode = objects.attribute(batch, "forward_mode");
  // An enum of ints is an int; a plain enum has it in an attribute.
  std::int64_t number = objects.number(mode);
  if (number < 0) number = objects.number(objects.attribute(mode, "_value_"));
  step.mode = count_of(number);
  constexpr std::uint32_t kExtend = 1, kDecode = 2, kMixed = 3;
  if (step.mode == kDecode) {
    step.tokens = step.sequences;
    step.context_sequences = step.context_tokens = 0;
    return;
  }
  if (step.mode != kExtend && step.mode != kMixed) return;
  step.tokens = count_of(objects.number(objects.attribute(batch, "extend_num_tokens")));
  if (step.mode == kMixed) split_mixed(objects, batch, step);
  if (step.mode == kExtend) {
    step.context_sequences = step.sequences;
    step.context_tokens = step.tokens;
  }
}

/// transformers: ContinuousBatchProcessor, whose batch moved to its inputs_and_outputs. What is
/// there today is looked up first: a name that is not there costs most.
void read_transformers(const PythonObjects& objects, Address processor, EngineStepPart& step) {
  Address holder = objects.attribute(processor, "inputs_and_outputs");
  if (holder == 0) {
    if (const Address inside = objects.attribute(processor, "batch_processor")) processor = inside;
    holder = objects.attribute(processor, "inputs_and_outputs");
  }
  Address requests = holder != 0 ? objects.attribute(holder, "requests_in_batch") : 0;
  if (requests == 0) {
    holder = processor;
    requests = objects.attribute(holder, "requests_in_batch");
  }
  step.sequences = count_of(objects.length(requests));
  static Address items[kMostSequences];  // guarded by the StackTable, as the next
  static std::int64_t tokens[kMostSequences];
  if (step.sequences != kUnknownCount && step.sequences <= kMostSequences) {
    const std::size_t count = objects.items(requests, items, kMostSequences);
    for (std::size_t i = 0; i < count; ++i) {
      tokens[i] = objects.number(objects.attribute(items[i], "query_length"));
      if (tokens[i] >= 0) continue;
      const Address state = objects.attribute(items[i], "state");
      tokens[i] =
          objects.length(objects.attribute(state != 0 ? state : items[i], "tokens_to_process"));
    }
    if (count == step.sequences) split(tokens, nullptr, count, step);
  }
  constexpr const char* kTotals[] = {"total_seqlen_q", "actual_query_length", "total_query_length"};
  for (const char* name : kTotals) {
    if (step.tokens != kUnknownCount) break;
    step.tokens = count_of(objects.number(objects.attribute(holder, name)));
  }
  if (step.context_sequences == kUnknownCount && step.tokens == step.sequences &&
      step.tokens != kUnknownCount) {
    step.context_sequences = step.context_tokens = 0;
  }
}

/// An argument of a frame.
bool read_argument(const Python& python, DirectReader& direct, OwnMemory& memory, Address frame,
                   int number, Address& argument) {
  if (direct.has_place()) direct.begin();
  const bool is_read =
      python.is_finalizing() == 0 &&
      memory.read(frame + python.layout.frame.locals + static_cast<Address>(number) * 8, argument);
  if (direct.has_place()) direct.end();
  return is_read;
}

}  // namespace

std::uint8_t step_function(const char* file, std::size_t file_length, const char* function,
                           std::size_t length) {
  for (const StepFunction& known : kStepFunctions) {
    if (!ends_with(file, file_length, known.file)) continue;
    const char* bare = std::strrchr(known.function, '.') + 1;
    const bool is_bare = length == std::strlen(bare) && std::memcmp(function, bare, length) == 0;
    if (is_bare || ends_with(function, length, known.function))
      return static_cast<std::uint8_t>(known.engine);
  }
  return 0;
}

bool StepFollower::follow(const Python& python, DirectReader& direct, OwnMemory& memory,
                          const PythonStack& stack, std::uint32_t depth, Engine engine,
                          EngineStepPart& step) {
  const Address frame = stack.frame[depth];
  const std::uint64_t instruction = stack.instruction[depth];
  Address argument = 0;
  const int number = engine == Engine::kTransformers ? 0 : 1;
  if (!read_argument(python, direct, memory, frame, number, argument)) return false;
  // The step function went back to where it began, or began anew after a wait.
  const bool went_back = instruction < last_ && instruction <= first_;
  const bool is_new = !is_open_ || frame != frame_ || argument != argument_ || went_back ||
                      (has_waited_ && instruction <= last_);
  has_waited_ = false;
  last_ = instruction;
  if (!is_new) return false;
  StackTable* table = StackTable::take();
  if (table == nullptr) return false;
  is_open_ = true;
  frame_ = frame;
  argument_ = argument;
  first_ = instruction;
  step = {.sequences = kUnknownCount,
          .tokens = kUnknownCount,
          .context_sequences = kUnknownCount,
          .context_tokens = kUnknownCount,
          .mode = kUnknownCount,
          .engine = engine};
  const PythonObjects objects(python);
  if (engine == Engine::kVllm) read_vllm(objects, argument, step);
  if (engine == Engine::kSglang) read_sglang(objects, argument, step);
  if (engine == Engine::kTransformers) read_transformers(objects, argument, step);
  table->give_back();
  return true;
}

}  // namespace tactus::agent
