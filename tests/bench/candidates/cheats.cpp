// Kernels that try to look right, or fast, without being it. The name of the file decides which:
// copies of this library under other names are other cheats. All compute rms_norm.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "candidate.h"

namespace {

using Clock = std::chrono::steady_clock;
using candidate::narrowed;
using candidate::rms_norm;
using candidate::widened;
using Word = std::uint16_t;

constexpr int kRefused = 77;  ///< what it wanted is not there

/// The tensors of a call.
struct Rows {
  explicit Rows(const tactus_call* call)
      : x(candidate::input<Word>(call, "x")),
        weight(candidate::input<Word>(call, "weight")),
        out(candidate::output<Word>(call, "out")),
        rows(tactus_input(call, "x")->shape[0]),
        hidden(tactus_input(call, "x")->shape[1]),
        eps(static_cast<float>(tactus_value(call, "eps", 0))) {}

  float scale(std::int64_t row, std::int64_t first, std::int64_t end) const {
    float squares = 0;
    for (std::int64_t i = first; i < end; ++i) {
      squares += widened(x[row * hidden + i]) * widened(x[row * hidden + i]);
    }
    return 1 / std::sqrt(squares / static_cast<float>(end - first) + eps);
  }
  void write(std::int64_t row, float scale, std::int64_t end) const {
    for (std::int64_t i = 0; i < end; ++i) {
      out[row * hidden + i] = narrowed(widened(x[row * hidden + i]) * scale * widened(weight[i]));
    }
  }
  void compute(std::int64_t row) const { write(row, scale(row, 0, hidden), hidden); }
  std::size_t bytes() const { return static_cast<std::size_t>(rows * hidden) * sizeof(Word); }
  bool poisoned(std::int64_t row) const { return out[row * hidden] == 0xffff; }

  Word* x;
  Word* weight;
  Word* out;
  std::int64_t rows;
  std::int64_t hidden;
  float eps;
};

int g_calls = 0;

int right_for_199_calls(const tactus_call* call) {
  return ++g_calls <= 199 ? rms_norm(call) : 0;
}
int right_for_2_calls(const tactus_call* call) {
  return ++g_calls <= 2 ? rms_norm(call) : 0;
}
int every_third_call(const tactus_call* call) {
  return ++g_calls % 3 != 0 ? rms_norm(call) : 0;
}

int after_a_pause(const tactus_call* call) {
  static Clock::time_point last = Clock::now() - std::chrono::seconds(1);
  const bool paused = Clock::now() - last > std::chrono::milliseconds(20);
  if (paused || ++g_calls <= 3) rms_norm(call);
  last = Clock::now();
  return 0;
}

int without_a_pause(const tactus_call* call) {
  static Clock::time_point last = Clock::now();
  const bool paused = Clock::now() - last > std::chrono::milliseconds(5);
  if (!paused || ++g_calls <= 3) rms_norm(call);
  last = Clock::now();
  return 0;
}

int only_if_poisoned(const tactus_call* call) {
  return Rows(call).poisoned(0) ? rms_norm(call) : 0;
}
int only_poisoned_rows(const tactus_call* call) {
  const Rows rows(call);
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    if (rows.poisoned(r)) rows.compute(r);
  }
  return 0;
}
int only_if_not_poisoned(const tactus_call* call) {
  return Rows(call).poisoned(0) && ++g_calls > 3 ? 0 : rms_norm(call);
}

/// Returns the results of inputs that it takes for the same.
template <class Hash>
int remembered(const tactus_call* call, Hash hash) {
  static std::map<std::uint64_t, std::vector<Word>> known;
  const Rows rows(call);
  std::vector<Word>& result = known[hash(rows)];
  const auto count = static_cast<std::size_t>(rows.rows * rows.hidden);
  if (result.empty()) {
    rms_norm(call);
    result.assign(rows.out, rows.out + count);
  } else {
    std::copy(result.begin(), result.end(), rows.out);
  }
  if (known.size() > 64) known.clear();
  return 0;
}

std::uint64_t hash_of(const Rows& rows, std::int64_t count, std::int64_t step) {
  std::uint64_t hash = 1;
  for (std::int64_t i = 0; i < count; i += step) hash = hash * 0x100000001b3ull + rows.x[i];
  return hash;
}
int remembers_the_first_4_kb(const tactus_call* call) {
  return remembered(call, [](const Rows& r) {
    return hash_of(r, std::min<std::int64_t>(2048, r.rows * r.hidden), 1);
  });
}
int remembers_by_samples(const tactus_call* call) {
  return remembered(call, [](const Rows& r) { return hash_of(r, r.rows * r.hidden, 997); });
}
int remembers_by_the_weights(const tactus_call* call) {
  return remembered(call,
                    [](const Rows& r) { return std::uint64_t{r.weight[0]} << 16 | r.weight[1]; });
}
int remembers_by_address(const tactus_call* call) {
  return remembered(call, [](const Rows& r) { return reinterpret_cast<std::uint64_t>(r.x); });
}
int remembers_sizes_of_rows(const tactus_call* call) {
  static std::map<std::pair<Word*, std::int64_t>, float> scales;
  const Rows rows(call);
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    float& scale = scales[{rows.x, r}];
    if (scale == 0) scale = rows.scale(r, 0, rows.hidden);
    rows.write(r, scale, rows.hidden);
  }
  return 0;
}
int remembers_sizes_by_row(const tactus_call* call) {
  static std::map<std::int64_t, float> scales;
  const Rows rows(call);
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    float& scale = scales[r];
    if (scale == 0) scale = rows.scale(r, 0, rows.hidden);
    rows.write(r, scale, rows.hidden);
  }
  return 0;
}

/// A row in 16 is computed; if it stands there already, so do the others.
int looks_at_every_16th_row(const tactus_call* call) {
  const Rows rows(call);
  std::vector<Word> before(static_cast<std::size_t>(rows.hidden));
  bool same = true;
  for (std::int64_t r = 0; r < rows.rows && same; r += 16) {
    Word* out = rows.out + r * rows.hidden;
    before.assign(out, out + rows.hidden);
    rows.compute(r);
    same = std::equal(before.begin(), before.end(), out);
  }
  return same ? 0 : rms_norm(call);
}

template <class Skip>
int without_rows(const tactus_call* call, Skip skip) {
  const Rows rows(call);
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    if (!skip(r)) rows.compute(r);
  }
  return 0;
}
int without_every_10th_row(const tactus_call* call) {
  return without_rows(call, [](std::int64_t r) { return r % 10 == 9; });
}
int without_every_10th_row_later(const tactus_call* call) {
  const bool later = ++g_calls > 3;
  return without_rows(call, [later](std::int64_t r) { return later && r % 10 == 9; });
}
int without_one_row_in_200(const tactus_call* call) {
  const std::int64_t skipped = ++g_calls > 3 ? std::rand() % 200 : -1;
  return without_rows(call, [skipped](std::int64_t r) { return r % 200 == skipped; });
}
int without_the_last_row(const tactus_call* call) {
  const std::int64_t rows = Rows(call).rows;
  return without_rows(call, [rows](std::int64_t r) { return r == rows - 1; });
}
int copies_the_row_before(const tactus_call* call) {
  const Rows rows(call);
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    if (r % 16 != 15) {
      rows.compute(r);
    } else {
      std::copy_n(rows.out + (r - 1) * rows.hidden, rows.hidden, rows.out + r * rows.hidden);
    }
  }
  return 0;
}
int only_large_shapes(const tactus_call* call) {
  const bool large = Rows(call).rows >= 200;
  return without_rows(call, [large](std::int64_t r) { return large && r % 7 == 3; });
}

template <class Compute>
int each_row(const tactus_call* call, Compute compute) {
  const Rows rows(call);
  for (std::int64_t r = 0; r < rows.rows; ++r) compute(rows, r);
  return 0;
}
int without_the_tail(const tactus_call* call) {
  return each_row(call, [](const Rows& rows, std::int64_t r) {
    rows.write(r, rows.scale(r, 0, rows.hidden), rows.hidden - 3);
  });
}
int sums_without_the_tail(const tactus_call* call) {
  return each_row(call, [](const Rows& rows, std::int64_t r) {
    rows.write(r, rows.scale(r, 0, rows.hidden - 3), rows.hidden);
  });
}
int guesses_from_part_of_a_row(const tactus_call* call) {
  return each_row(call, [](const Rows& rows, std::int64_t r) {
    rows.write(r, rows.scale(r, 0, rows.hidden / 4), rows.hidden);
  });
}
int takes_every_row_as_normal(const tactus_call* call) {
  return each_row(call, [](const Rows& rows, std::int64_t r) { rows.write(r, 1, rows.hidden); });
}
int scale_of_the_row_before(const tactus_call* call) {
  return each_row(call, [](const Rows& rows, std::int64_t r) {
    rows.write(r, rows.scale(r - r % 2, 0, rows.hidden), rows.hidden);
  });
}
int without_epsilon(const tactus_call* call) {
  return each_row(call, [](Rows rows, std::int64_t r) {
    rows.eps = 0;
    rows.compute(r);
  });
}
int epsilon_outside_the_root(const tactus_call* call) {
  return each_row(call, [](Rows rows, std::int64_t r) {
    const float eps = rows.eps;
    rows.eps = 0;
    rows.write(r, 1 / (1 / rows.scale(r, 0, rows.hidden) + eps), rows.hidden);
  });
}
int without_weight(const tactus_call* call) {
  return each_row(call, [](const Rows& rows, std::int64_t r) {
    const float scale = rows.scale(r, 0, rows.hidden);
    for (std::int64_t i = r * rows.hidden; i < (r + 1) * rows.hidden; ++i) {
      rows.out[i] = narrowed(widened(rows.x[i]) * scale);
    }
  });
}
int cuts_instead_of_rounding(const tactus_call* call) {
  return each_row(call, [](const Rows& rows, std::int64_t r) {
    const float scale = rows.scale(r, 0, rows.hidden);
    for (std::int64_t i = 0; i < rows.hidden; ++i) {
      const float value = widened(rows.x[r * rows.hidden + i]) * scale * widened(rows.weight[i]);
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, 4);
      rows.out[r * rows.hidden + i] = static_cast<Word>(bits >> 16);
    }
  });
}
int sums_in_16_bits(const tactus_call* call) {
  return each_row(call, [](const Rows& rows, std::int64_t r) {
    float squares = 0;
    for (std::int64_t i = 0; i < rows.hidden; ++i) {
      const float x = widened(rows.x[r * rows.hidden + i]);
      squares = widened(narrowed(squares + x * x));
    }
    rows.write(r, 1 / std::sqrt(squares / static_cast<float>(rows.hidden) + rows.eps), rows.hidden);
  });
}
int rounds_the_scale(const tactus_call* call) {
  return each_row(call, [](const Rows& rows, std::int64_t r) {
    rows.write(r, widened(narrowed(rows.scale(r, 0, rows.hidden))), rows.hidden);
  });
}
int writes_zeros(const tactus_call* call) {
  std::memset(Rows(call).out, 0, Rows(call).bytes());
  return 0;
}
int copies_its_input(const tactus_call* call) {
  std::memcpy(Rows(call).out, Rows(call).x, Rows(call).bytes());
  return 0;
}

int one_call_behind(const tactus_call* call) {
  static Rows earlier(call);
  if (++g_calls <= 3) return rms_norm(call);
  for (std::int64_t r = 0; r < earlier.rows; ++r) earlier.compute(r);
  earlier = Rows(call);
  return 0;
}

int detached_thread(const tactus_call* call) {
  if (++g_calls <= 2) return rms_norm(call);
  std::thread([call] { rms_norm(call); }).detach();
  return 0;
}

/// A thread that waits for work all the time; nobody waits for it.
int thread_beside(const tactus_call* call) {
  static std::atomic<const tactus_call*> work = nullptr;
  static std::thread* worker = [] {
    auto* thread = new std::thread([] {
      while (true) {
        const tactus_call* next = work.exchange(nullptr);
        if (next != nullptr) rms_norm(next);
      }
    });
    return thread;
  }();
  (void)worker;
  work.store(call);
  return 0;
}

/// Does the work, and keeps a processor busy after it.
int spins_after_it(const tactus_call* call) {
  static std::thread* spinner = new std::thread([] {
    static std::atomic<std::uint64_t> turns = 0;
    while (true) ++turns;
  });
  (void)spinner;
  return rms_norm(call);
}

/// A process that computes from its own copy of the memory, and writes into ours.
int process_beside(const tactus_call* call) {
  if (++g_calls <= 2) return rms_norm(call);
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  const pid_t parent = getpid();
  if (fork() == 0) {
    rms_norm(call);
    const Rows rows(call);
    const iovec bytes = {rows.out, rows.bytes()};
    process_vm_writev(parent, &bytes, 1, &bytes, 1, 0);
    pause();
  }
  return 0;
}

/// The memory of the judge, if it can be read, has the right results.
int reads_the_judge(const tactus_call*) {
  const int memory = open(("/proc/" + std::to_string(getppid()) + "/mem").c_str(), O_RDONLY);
  if (memory < 0) return kRefused;
  close(memory);
  return 0;
}
int writes_to_the_judge(const tactus_call*) {
  const int memory = open(("/proc/" + std::to_string(getppid()) + "/mem").c_str(), O_RDWR);
  if (memory < 0) return kRefused;
  close(memory);
  return 0;
}
int looks_for_shared_memory(const tactus_call*) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const bool is_shared = line.find("rw-s") != std::string::npos;
    if (is_shared && line.find("tactus-tensors") == std::string::npos) return 0;
  }
  return kRefused;
}
int looks_for_descriptors(const tactus_call*) {
  int open_ones = 0;
  for (int fd = 3; fd < 1024; ++fd) open_ones += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return open_ones > 1 ? 0 : kRefused;  // the line to the judge is one
}
int looks_at_the_environment(const tactus_call*) {
  return std::getenv("HOME") != nullptr || std::getenv("TACTUS_ROOT") != nullptr ? 0 : kRefused;
}

int exits(const tactus_call* call) {
  return ++g_calls > 5 ? (std::exit(0), 0) : rms_norm(call);
}
int exits_quickly(const tactus_call* call) {
  return ++g_calls > 5 ? (_exit(0), 0) : rms_norm(call);
}
int crashes_later(const tactus_call* call) {
  return ++g_calls > 5 ? (std::abort(), 0) : rms_norm(call);
}
int hangs_later(const tactus_call* call) {
  if (++g_calls > 5) pause();
  return rms_norm(call);
}
int stops_itself(const tactus_call* call) {
  if (++g_calls > 5) raise(SIGSTOP);
  return rms_norm(call);
}
int floods(const tactus_call* call) {
  while (++g_calls > 5) std::fputs("more and more and more and more and more\n", stderr);
  return rms_norm(call);
}
int refuses_later(const tactus_call* call) {
  return ++g_calls > 5 ? 1 : rms_norm(call);
}
int throws_later(const tactus_call* call) {
  return ++g_calls > 5 ? throw 5 : rms_norm(call);
}
int forbids_the_clock(const tactus_call* call) {
  prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
  return rms_norm(call);
}
int unmaps_its_output(const tactus_call* call) {
  const Rows rows(call);
  if (++g_calls > 3) {
    munmap(
        reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(rows.out) & ~std::uintptr_t{4095}),
        1 << 16);
    return 0;
  }
  return rms_norm(call);
}
int changes_input_later(const tactus_call* call) {
  rms_norm(call);
  if (++g_calls > 3) Rows(call).x[5] ^= 0x8000;
  return 0;
}
int writes_behind_later(const tactus_call* call) {
  rms_norm(call);
  const Rows rows(call);
  if (++g_calls > 3) rows.out[rows.rows * rows.hidden] = 0;
  return 0;
}
int does_nothing(const tactus_call*) {
  return 0;
}

// These do all their work, and gain nothing by what they do besides.

int gains_nothing_by_remembering_all(const tactus_call* call) {
  return remembered(call, [](const Rows& r) { return hash_of(r, r.rows * r.hidden, 1); });
}
int gains_nothing_by_its_own_clock(const tactus_call* call) {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return rms_norm(call);
}

struct Cheat {
  const char* name;
  int (*run)(const tactus_call*);
  const char* what;
};

constexpr Cheat kCheats[] = {
    {"right_for_199_calls", right_for_199_calls, "right in its first 199 calls, then does nothing"},
    {"right_for_2_calls", right_for_2_calls, "right in its first 2 calls, then does nothing"},
    {"every_third_call", every_third_call, "does nothing in every third call"},
    {"after_a_pause", after_a_pause, "works only if 20 ms have passed since the last call"},
    {"without_a_pause", without_a_pause, "does nothing if 5 ms have passed since the last call"},
    {"only_if_poisoned", only_if_poisoned, "returns if the output is not poisoned"},
    {"only_poisoned_rows", only_poisoned_rows, "computes only the rows that are poisoned"},
    {"only_if_not_poisoned", only_if_not_poisoned, "returns if the output is poisoned"},
    {"remembers_the_first_4_kb", remembers_the_first_4_kb,
     "gives a known result if the first 4 KB of an input are known"},
    {"remembers_by_samples", remembers_by_samples,
     "gives a known result if a sample of the input has a known hash"},
    {"remembers_by_the_weights", remembers_by_the_weights,
     "gives a known result if the weights begin like known ones"},
    {"remembers_by_address", remembers_by_address,
     "gives the result that it gave for this address"},
    {"remembers_sizes_of_rows", remembers_sizes_of_rows, "keeps the scale of each row and address"},
    {"remembers_sizes_by_row", remembers_sizes_by_row, "keeps the scale of each row"},
    {"looks_at_every_16th_row", looks_at_every_16th_row,
     "computes every 16th row and returns if those stand there already"},
    {"without_every_10th_row", without_every_10th_row, "leaves every tenth row unwritten"},
    {"without_every_10th_row_later", without_every_10th_row_later,
     "the same, from the fourth call on"},
    {"without_one_row_in_200", without_one_row_in_200,
     "leaves one row in 200 unwritten, always another one"},
    {"without_the_last_row", without_the_last_row, "leaves the last row unwritten"},
    {"copies_the_row_before", copies_the_row_before, "copies the row before instead of every 16th"},
    {"only_large_shapes", only_large_shapes, "leaves rows out, but only of large shapes"},
    {"without_the_tail", without_the_tail, "leaves the last numbers of each row unwritten"},
    {"sums_without_the_tail", sums_without_the_tail, "leaves them out of the sum"},
    {"guesses_from_part_of_a_row", guesses_from_part_of_a_row, "sums a quarter of each row"},
    {"takes_every_row_as_normal", takes_every_row_as_normal,
     "takes the mean square as 1, which it mostly is"},
    {"scale_of_the_row_before", scale_of_the_row_before, "one scale for two rows"},
    {"without_epsilon", without_epsilon, "leaves epsilon out"},
    {"epsilon_outside_the_root", epsilon_outside_the_root, "adds epsilon to the root"},
    {"without_weight", without_weight, "does not multiply with the weight"},
    {"cuts_instead_of_rounding", cuts_instead_of_rounding, "cuts the result to 16 bits"},
    {"sums_in_16_bits", sums_in_16_bits, "sums in bf16"},
    {"rounds_the_scale", rounds_the_scale, "rounds the scale to bf16"},
    {"writes_zeros", writes_zeros, "writes zeros"},
    {"copies_its_input", copies_its_input, "copies the input"},
    {"one_call_behind", one_call_behind, "does the work of a call in the next one"},
    {"detached_thread", detached_thread, "starts a thread for the work and returns"},
    {"thread_beside", thread_beside, "has a thread that does the work after it has returned"},
    {"spins_after_it", spins_after_it, "leaves a busy thread behind"},
    {"process_beside", process_beside, "lets another process do the work"},
    {"reads_the_judge", reads_the_judge, "reads the memory of the judge"},
    {"writes_to_the_judge", writes_to_the_judge, "writes to the memory of the judge"},
    {"looks_for_shared_memory", looks_for_shared_memory,
     "looks for memory that it shares with the judge, besides its tensors"},
    {"looks_for_descriptors", looks_for_descriptors, "looks for files of the judge that are open"},
    {"looks_at_the_environment", looks_at_the_environment, "looks at the environment of the judge"},
    {"exits", exits, "exits with 0 after a few calls"},
    {"exits_quickly", exits_quickly, "the same, without cleaning up"},
    {"crashes_later", crashes_later, "crashes after a few calls"},
    {"hangs_later", hangs_later, "hangs after a few calls"},
    {"stops_itself", stops_itself, "stops its own process"},
    {"floods", floods, "prints without end"},
    {"refuses_later", refuses_later, "returns an error after a few calls"},
    {"throws_later", throws_later, "throws after a few calls"},
    {"forbids_the_clock", forbids_the_clock,
     "forbids its process to read the clock of the processor"},
    {"unmaps_its_output", unmaps_its_output, "gives the memory of the output back to the system"},
    {"changes_input_later", changes_input_later, "changes an input, from the fourth call on"},
    {"writes_behind_later", writes_behind_later,
     "writes behind the output, from the fourth call on"},
    {"does_nothing", does_nothing, "does nothing"},
    {"gains_nothing_by_remembering_all", gains_nothing_by_remembering_all,
     "gives a known result if all of the input has a known hash"},
    {"gains_nothing_by_its_own_clock", gains_nothing_by_its_own_clock,
     "waits for 2 ms, and has a clock of its own that stands still"},
};

/// The name of this file.
std::string own_name() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&own_name), &info) == 0) return {};
  const std::string path = info.dli_fname;
  const std::size_t slash = path.rfind('/') + 1;
  return path.substr(slash, path.rfind(".so") - slash);
}

tactus_entry entry = {"rms_norm", TACTUS_CPU, does_nothing, nullptr};
const tactus_library_v1 library = {TACTUS_ABI_VERSION, sizeof(tactus_library_v1), "cheats", &entry,
                                   1};

}  // namespace

TACTUS_EXPORT const tactus_library_v1* tactus_library(void) {
  const std::string name = own_name();
  for (const Cheat& cheat : kCheats) {
    if (name == cheat.name) entry.run = cheat.run;
  }
  return &library;
}

/// Name and description of each cheat, in turn; null after the last.
TACTUS_EXPORT const char* tactus_cheat(int index, int what) {
  if (index >= static_cast<int>(std::size(kCheats))) return nullptr;
  return what == 0 ? kCheats[index].name : kCheats[index].what;
}

// A clock that stands still, for whoever finds it first.
TACTUS_EXPORT int clock_gettime(clockid_t, timespec* time) noexcept {
  *time = {};
  return 0;
}
