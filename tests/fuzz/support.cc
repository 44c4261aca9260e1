#include "support.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/hash.h"
#include "kernels/kernel_report.h"
#include "run/tact/tact_file.h"
#include "views/export/exports.h"
#include "views/kernels/kernels_view.h"
#include "views/run/info_view.h"

namespace tactus {

bool hash_fits(std::uint64_t, std::uint64_t) {
  return true;
}

}  // namespace tactus

namespace tactus::fuzz {
namespace {

class MemoryBytes final : public InputBytes {
 public:
  explicit MemoryBytes(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t disk_bytes() const override { return at_; }
  std::uint64_t disk_size() const override { return bytes_.size(); }

 protected:
  Result<std::size_t> decode(char* into, std::size_t size) override {
    const std::size_t count = std::min(size, bytes_.size() - at_);
    if (count != 0) std::memcpy(into, bytes_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

template <class Write>
void export_to_nowhere(const Run& run, Write write) {
  NoProgress progress;
  Result<OutputFile> file = OutputFile::create("/dev/null", true);
  CHECK(file);
  CHECK(write(run, WantedSlices(), *file, progress));
}

}  // namespace

std::unique_ptr<InputBytes> memory_bytes(std::string_view bytes) {
  return std::make_unique<MemoryBytes>(bytes);
}

MemoryFile::MemoryFile(std::string_view bytes)
    : path_("/dev/shm/tactus-fuzz-" + std::to_string(::getpid())) {
  const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  CHECK(fd >= 0);
  CHECK(::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  ::close(fd);
}

MemoryFile::~MemoryFile() {
  ::unlink(path_.c_str());
}

void use(Run& run) {
  show_info(run, true);
  show_info(run, false);
  const KernelReport report = report_kernels(run, {});
  const HardwareProfile& hardware = built_in_hardware().front();
  show_kernels(report, bound_kernels(run, report, &hardware), run, {.format = TableFormat::kJson});
  KernelQuestion question;
  question.filter.device = 0;
  question.filter.from_ns = 1;
  question.phase = Phase::kDecode;
  question.by = GroupBy::kSource;
  const KernelsViewOptions view{
      .format = TableFormat::kTable, .top = 3, .width = 80, .label_head = "Source"};
  const KernelReport part = report_kernels(run, question);
  show_kernels(part, bound_kernels(run, part, &hardware), run, view);
  for (const bool unfold : {false, true}) {
    const KernelReport modules = report_kernels(run, {.by = GroupBy::kModule, .unfold = unfold});
    show_kernels(modules, {}, run, {.format = TableFormat::kTable, .top = 5, .width = 120});
    if (!modules.modules) continue;  // a table
    std::uint64_t sum_ns = 0;
    std::uint64_t kernels_ns = 0;
    for (const ModuleRow& row : modules.modules->rows) {
      sum_ns += static_cast<std::uint64_t>(row.self_ns);
    }
    for (const std::int64_t ns : modules.kernels.durs) kernels_ns += static_cast<std::uint64_t>(ns);
    CHECK(sum_ns == kernels_ns);
  }
  export_to_nowhere(run, write_chrome);
  export_to_nowhere(run, write_perfetto);
  export_to_nowhere(run, write_csv);
  NoProgress progress;
  CHECK(write_run(run, "/dev/null", true, 1, progress));
}

}  // namespace tactus::fuzz
