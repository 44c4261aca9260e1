// A loop whose steps have the shape that it is asked for, to try drills and watch on:
//   shaped SECONDS SEED [launches=N] [graph=N] [kernel=US] [compute=K] [walk=MIB] [fault=MIB]
//          [read=KIB] [lock=K] [pipe=N] [send=KIB] [vary=X] [dir=FOLDER]
// A step does what is given, in the order given: launches of a kernel, or a graph of as many, that
// takes US on the device each; K thousand rounds of arithmetic; a walk over memory that caches do
// not hold; fresh pages; a read that no cache holds; work under a lock that another thread takes
// all the time; messages to another thread and back; bytes over 127.0.0.1 and back. `vary` draws
// the amount of arithmetic per step, with that spread (ln). Prints the number of steps.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "record/programs/cuda.h"

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMib = 1 << 20;
constexpr std::size_t kFileBytes = 64 * kMib;

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::_Exit(98);
}

void compute(double thousands) {
  volatile double sink = 0;
  double x = 1.0001;
  for (long i = static_cast<long>(thousands * 1000); i > 0; --i) x = x * 1.0000001 + 1e-9;
  sink = x;
  (void)sink;
}

/// Moves bytes from one descriptor to another, all of them.
bool move(int fd, char* bytes, std::size_t size, bool out) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t got =
        out ? write(fd, bytes + done, size - done) : read(fd, bytes + done, size - done);
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

/// A thread that sends back what it gets.
void echo_forever(int in, int out, std::size_t size) {
  std::thread([=] {
    std::vector<char> bytes(size);
    while (move(in, bytes.data(), size, false) && move(out, bytes.data(), size, true)) {
    }
  }).detach();
}

std::pair<int, int> connection() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const int near = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener, 1) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      connect(near, reinterpret_cast<sockaddr*>(&address), size) != 0) {
    give_up("127.0.0.1");
  }
  const int far = accept(listener, nullptr, nullptr);
  close(listener);
  return {near, far};
}

class Loop {
 public:
  Loop(std::uint64_t seed, int count, char** words) : random_(seed) {
    cuda::use_device(driver_, 0);
    CU(driver_.cuStreamCreate(&stream_, 1));
    for (int i = 0; i < count; ++i) {
      const std::string word = words[i];
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) give_up(words[i]);
      add(word.substr(0, equals), word.substr(equals + 1));
    }
  }

  void step() {
    for (const auto& part : parts_) part();
    CU(driver_.cuStreamSynchronize(stream_));
  }

 private:
  void add(const std::string& what, const std::string& value) {
    const double amount = std::atof(value.c_str());
    const auto whole = static_cast<std::size_t>(amount);
    if (what == "kernel") {
      kernel_ = cuda::kernel(driver_, ("sleep_us_" + value + "_work").c_str());
    } else if (what == "vary") {
      vary_ = amount;
    } else if (what == "dir") {
      folder_ = value;
    } else if (what == "launches") {
      parts_.push_back([=, this] { launch(whole); });
    } else if (what == "graph") {
      parts_.push_back([=, this] { CU(driver_.cuGraphLaunch(graph_of(whole), stream_)); });
    } else if (what == "compute") {
      parts_.push_back([=, this] {
        compute(amount * std::exp(vary_ * std::normal_distribution<double>()(random_)));
      });
    } else if (what == "walk") {
      auto memory = std::make_shared<std::vector<long>>(whole * kMib / sizeof(long), 1);
      parts_.push_back([memory] {
        for (std::size_t i = 0; i < memory->size(); i += 8) (*memory)[i] += 1;
      });
    } else if (what == "fault") {
      parts_.push_back([=] { touch_pages(whole * kMib); });
    } else if (what == "read") {
      add_read(whole * 1024);
    } else if (what == "lock") {
      add_lock(amount);
    } else if (what == "pipe") {
      int there[2];
      int back[2];
      if (pipe(there) != 0 || pipe(back) != 0) give_up("pipe");
      echo_forever(there[0], back[1], 1);
      parts_.push_back([=] {
        for (std::size_t i = 0; i < whole; ++i) {
          char byte = 1;
          if (!move(there[1], &byte, 1, true) || !move(back[0], &byte, 1, false)) give_up("pipe");
        }
      });
    } else if (what == "send") {
      const auto [near, far] = connection();
      auto bytes = std::make_shared<std::vector<char>>(whole * 1024);
      echo_forever(far, far, bytes->size());
      parts_.push_back([near = near, bytes] {
        if (!move(near, bytes->data(), bytes->size(), true) ||
            !move(near, bytes->data(), bytes->size(), false)) {
          give_up("127.0.0.1");
        }
      });
    } else {
      give_up(what.c_str());
    }
  }

  void launch(std::size_t count) {
    if (kernel_ == nullptr) kernel_ = cuda::kernel(driver_, "sleep_us_1_work");
    for (std::size_t i = 0; i < count; ++i) CU(cuda::launch(driver_, kernel_, stream_, 1));
  }

  cuda::Handle graph_of(std::size_t count) {
    if (graph_ != nullptr) return graph_;
    cuda::Handle graph = nullptr;
    CU(driver_.cuStreamBeginCapture(stream_, 0));
    launch(count);
    CU(driver_.cuStreamEndCapture(stream_, &graph));
    CU(driver_.cuGraphInstantiateWithFlags(&graph_, graph, 0));
    return graph_;
  }

  static void touch_pages(std::size_t bytes) {
    auto* const pages = static_cast<char*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (pages == MAP_FAILED) give_up("mmap");
    for (std::size_t i = 0; i < bytes; i += 4096) pages[i] = 1;
    munmap(pages, bytes);
  }

  void add_read(std::size_t bytes) {
    std::string path = folder_ + "/shaped-XXXXXX";
    const int fd = mkstemp(path.data());
    if (fd < 0) give_up(path.c_str());
    std::vector<char> block(kMib, 'x');
    for (std::size_t i = 0; i < kFileBytes; i += kMib) {
      if (!move(fd, block.data(), kMib, true)) give_up(path.c_str());
    }
    fsync(fd);
    const int direct = open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
    unlink(path.c_str());
    close(fd);
    if (direct < 0) give_up("O_DIRECT");
    void* into = nullptr;
    if (posix_memalign(&into, 4096, bytes) != 0) give_up("memory");
    parts_.push_back([=, this] {
      const std::size_t place = random_() % ((kFileBytes - bytes) / 4096) * 4096;
      if (pread(direct, into, bytes, static_cast<off_t>(place)) != static_cast<ssize_t>(bytes)) {
        give_up("read");
      }
    });
  }

  void add_lock(double thousands) {
    std::thread([=, this] {
      while (true) {
        {
          const std::lock_guard held(lock_);
          compute(thousands);
        }
        usleep(200);
      }
    }).detach();
    parts_.push_back([=, this] {
      const std::lock_guard held(lock_);
      compute(thousands);
    });
  }

  cuda::Driver driver_ = cuda::load(cuda::Lookup::kProcAddress);
  cuda::Handle stream_ = nullptr;
  cuda::Handle kernel_ = nullptr;
  cuda::Handle graph_ = nullptr;
  std::mt19937_64 random_;
  std::vector<std::function<void()>> parts_;
  std::mutex lock_;
  double vary_ = 0;
  std::string folder_ = ".";
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto end = Clock::now() + std::chrono::duration<double>(std::atof(argv[1]));
  // Other threads use it until the process ends.
  auto* const loop = new Loop(static_cast<std::uint64_t>(std::atoll(argv[2])), argc - 3, argv + 3);
  std::size_t steps = 0;
  for (; Clock::now() < end; ++steps) loop->step();
  std::printf("%zu\n", steps);
  std::fflush(stdout);
  std::_Exit(0);
}
