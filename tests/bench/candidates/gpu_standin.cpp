// Kernels for the stand-in of the CUDA driver (tests/standin): functions of the host. The judge's
// own kernels, and candidates for rms_norm that are right or try to fool it. The name of the file
// decides which: copies of this library under other names are other candidates.
#include <dlfcn.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "candidate.h"
#include "operators/refresh_plan.h"

namespace {

using Handle = void*;
using Word = std::uint16_t;

template <class Function>
Function driver(const char* name) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}

struct Arguments {
  const Word* x;
  const Word* weight;
  Word* out;
  std::int64_t rows;
  std::int64_t hidden;
  float eps;
};

void compute(const Arguments& a, std::int64_t row) {
  using candidate::widened;
  float squares = 0;
  const Word* x = a.x + row * a.hidden;
  for (std::int64_t i = 0; i < a.hidden; ++i) squares += widened(x[i]) * widened(x[i]);
  const float scale = 1 / std::sqrt(squares / static_cast<float>(a.hidden) + a.eps);
  for (std::int64_t i = 0; i < a.hidden; ++i) {
    a.out[row * a.hidden + i] = candidate::narrowed(widened(x[i]) * scale * widened(a.weight[i]));
  }
}

Arguments arguments_of(const tactus_call* call) {
  const tactus_tensor* x = tactus_input(call, "x");
  return {static_cast<const Word*>(x->data),
          candidate::input<Word>(call, "weight"),
          candidate::output<Word>(call, "out"),
          x->shape[0],
          x->shape[1],
          static_cast<float>(tactus_value(call, "eps", 0))};
}

std::string own_path() {
  Dl_info info = {};
  dladdr(reinterpret_cast<void*>(&own_path), &info);
  return info.dli_fname;
}

Handle function(const char* name) {
  static Handle module = [] {
    const std::string image = "STANDIN\nlibrary " + own_path() + "\n";
    Handle made = nullptr;
    driver<int (*)(Handle*, const void*)>("cuModuleLoadData")(&made, image.c_str());
    return made;
  }();
  Handle found = nullptr;
  driver<int (*)(Handle*, Handle, const char*)>("cuModuleGetFunction")(&found, module, name);
  return found;
}

int launch(const char* kernel, const tactus_call* call, Handle stream) {
  Arguments arguments = arguments_of(call);
  void* parameters[] = {&arguments};
  using Launch = int (*)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned, Handle, void**, void**);
  return driver<Launch>("cuLaunchKernel")(function(kernel), 1, 1, 1, 32, 1, 1, 0, stream,
                                          parameters, nullptr);
}

bool capturing(const tactus_call* call) {
  int status = 0;
  driver<int (*)(Handle, int*)>("cuStreamIsCapturing")(call->stream, &status);
  return status != 0;
}

Handle other_stream() {
  static Handle stream = [] {
    Handle made = nullptr;
    driver<int (*)(Handle*, unsigned)>("cuStreamCreate")(&made, 1);
    return made;
  }();
  return stream;
}

int right(const tactus_call* call) {
  return launch("rows", call, call->stream);
}
int waits(const tactus_call* call) {
  const int error = launch("rows", call, call->stream);
  const int waited = driver<int (*)(Handle)>("cuStreamSynchronize")(call->stream);
  return error != 0 ? error : waited;
}
int joined_stream(const tactus_call* call) {
  static Handle events[2] = {};
  for (Handle& event : events) {
    if (event == nullptr) driver<int (*)(Handle*, unsigned)>("cuEventCreate")(&event, 0);
  }
  const auto record = driver<int (*)(Handle, Handle)>("cuEventRecord");
  const auto wait = driver<int (*)(Handle, Handle, unsigned)>("cuStreamWaitEvent");
  record(events[0], call->stream);
  wait(other_stream(), events[0], 0);
  const int error = launch("rows", call, other_stream());
  record(events[1], other_stream());
  wait(call->stream, events[1], 0);
  return error;
}

int own_stream(const tactus_call* call) {
  return launch("rows", call, other_stream());
}
int own_stream_and_a_kernel(const tactus_call* call) {
  launch("rows", call, other_stream());
  return launch("trifle", call, call->stream);
}
int nothing_if_captured(const tactus_call* call) {
  return capturing(call) ? 0 : right(call);
}
int a_trifle_if_captured(const tactus_call* call) {
  return launch(capturing(call) ? "trifle" : "rows", call, call->stream);
}
int host_function(const tactus_call* call) {
  right(call);
  using Launch = int (*)(Handle, void (*)(void*), void*);
  return driver<Launch>("cuLaunchHostFunc")(
      call->stream, [](void*) {}, nullptr);
}
int only_if_poisoned(const tactus_call* call) {
  return launch("rows_if_poisoned", call, call->stream);
}
int without_every_10th_row(const tactus_call* call) {
  return launch("rows_but_every_10th", call, call->stream);
}
int remembers_by_address(const tactus_call* call) {
  return launch("rows_of_new_addresses", call, call->stream);
}
int right_for_20_launches(const tactus_call* call) {
  return launch("rows_20_times", call, call->stream);
}
int one_launch_behind(const tactus_call* call) {
  return launch("rows_of_the_launch_before", call, call->stream);
}
int changes_input(const tactus_call* call) {
  return launch("rows_and_input", call, call->stream);
}
int writes_behind(const tactus_call* call) {
  return launch("rows_and_one_more", call, call->stream);
}
int busy_thread(const tactus_call* call) {
  static std::atomic<bool> started = false;
  if (!started.exchange(true)) {
    std::thread([] {
      for (std::atomic<long> i = 0;; ++i) {
      }
    }).detach();
  }
  return right(call);
}
int error_if_captured(const tactus_call* call) {
  return capturing(call) ? 77 : right(call);
}
int does_nothing(const tactus_call*) {
  return 0;
}

struct Choice {
  const char* name;
  int (*run)(const tactus_call*);
};
constexpr Choice kChoices[] = {
    {"gains_nothing_right", right},
    {"gains_nothing_by_waiting", waits},
    {"gains_nothing_by_joined_stream", joined_stream},
    {"own_stream", own_stream},
    {"own_stream_and_a_kernel", own_stream_and_a_kernel},
    {"nothing_if_captured", nothing_if_captured},
    {"a_trifle_if_captured", a_trifle_if_captured},
    {"host_function", host_function},
    {"only_if_poisoned", only_if_poisoned},
    {"without_every_10th_row", without_every_10th_row},
    {"remembers_by_address", remembers_by_address},
    {"right_for_20_launches", right_for_20_launches},
    {"one_launch_behind", one_launch_behind},
    {"changes_input", changes_input},
    {"writes_behind", writes_behind},
    {"busy_thread", busy_thread},
    {"error_if_captured", error_if_captured},
    {"does_nothing", does_nothing},
};

tactus_entry entry = {"rms_norm", TACTUS_CUDA, does_nothing, nullptr};
const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "standin", &entry,
                                   1};

std::uint64_t threads_of(const unsigned grid[3], const unsigned block[3]) {
  return std::uint64_t{grid[0]} * block[0];
}

const Arguments& arguments_at(void** params) {
  return *static_cast<const Arguments*>(params[0]);
}

void all_rows(const Arguments& a) {
  for (std::int64_t row = 0; row < a.rows; ++row) compute(a, row);
}

}  // namespace

#define KERNEL(name)                                               \
  extern "C" {                                                     \
  TACTUS_VISIBLE unsigned name##_sizes[] = {sizeof(Arguments), 0}; \
  }                                                                \
  TACTUS_EXPORT void name(const unsigned*, const unsigned*, void** params)

KERNEL(trifle) {
  static_cast<void>(params);
}
KERNEL(rows) {
  all_rows(arguments_at(params));
}
KERNEL(rows_if_poisoned) {
  const Arguments& a = arguments_at(params);
  if (a.out[a.rows * a.hidden - 1] == 0xffff) all_rows(a);
}
KERNEL(rows_but_every_10th) {
  const Arguments& a = arguments_at(params);
  for (std::int64_t row = 0; row < a.rows; ++row) {
    if (row % 10 != 9) compute(a, row);
  }
}
KERNEL(rows_of_new_addresses) {
  const Arguments& a = arguments_at(params);
  static std::vector<const Word*> known;
  for (const Word* x : known) {
    if (x == a.x) return;
  }
  known.push_back(a.x);
  all_rows(a);
}
KERNEL(rows_20_times) {
  static int launches = 0;
  if (++launches <= 20) all_rows(arguments_at(params));
}
KERNEL(rows_of_the_launch_before) {
  static Arguments before = {};
  if (before.out != nullptr) all_rows(before);
  before = arguments_at(params);
}
KERNEL(rows_and_input) {
  all_rows(arguments_at(params));
  const_cast<Word*>(arguments_at(params).x)[3] ^= 1;
}
KERNEL(rows_and_one_more) {
  const Arguments& a = arguments_at(params);
  all_rows(a);
  a.out[a.rows * a.hidden] = 0;
}

// The judge's kernels.
TACTUS_EXPORT void judge_empty(const unsigned*, const unsigned*, void**) {}

extern "C" {
TACTUS_VISIBLE unsigned judge_copy_sizes[] = {8, 8, 0};
}
TACTUS_EXPORT void judge_copy(const unsigned grid[3], const unsigned block[3], void** params) {
  std::memcpy(*static_cast<void**>(params[1]), *static_cast<void**>(params[0]),
              threads_of(grid, block) * 16);
}

extern "C" {
TACTUS_VISIBLE unsigned judge_read_sizes[] = {8, 0};
}
TACTUS_EXPORT void judge_read(const unsigned*, const unsigned*, void**) {}

extern "C" {
TACTUS_VISIBLE unsigned judge_refresh_sizes[] = {sizeof(tactus::RefreshPlan), 8, 8, 0};
}
TACTUS_EXPORT void judge_refresh(const unsigned*, const unsigned*, void** params) {
  const auto& plan = *static_cast<const tactus::RefreshPlan*>(params[0]);
  const void* from = *static_cast<void**>(params[1]);
  auto* into = *static_cast<std::byte**>(params[2]);
  const std::uint64_t bytes = plan.elements * plan.width;
  for (std::uint64_t word = 0; word * 8 < bytes; ++word) {
    const std::uint64_t numbers = tactus::refreshed_word(plan, from, word);
    std::memcpy(into + word * 8, &numbers, bytes - word * 8 < 8 ? bytes - word * 8 : 8);
  }
}

TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {
  std::string name = own_path();
  name = name.substr(name.rfind('/') + 1);
  name = name.substr(0, name.find('.'));
  for (const Choice& choice : kChoices) {
    if (name == choice.name) entry.run = choice.run;
  }
  return &library;
}

/// The name of each; null behind the last.
TACTUS_EXPORT const char* tactus_cheat(int index, int) {
  return index < static_cast<int>(std::size(kChoices)) ? kChoices[index].name : nullptr;
}
