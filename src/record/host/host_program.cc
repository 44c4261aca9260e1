#include "record/host/host_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "../bpf/host.h"
#include "base/embedded.h"
#include "base/file.h"

namespace tactus::record {

TACTUS_EMBED(host_object, "../bpf/host.bpf.o");

namespace {

struct CloseObject {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
};
struct DestroyLink {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};
struct FreeRing {
  void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
};
using Link = std::unique_ptr<bpf_link, DestroyLink>;

int no_output(libbpf_print_level, const char*, va_list) {
  return 0;
}

/// False in a container that numbers processes by itself.
bool has_numbers_of_machine() {
  struct stat numbers {};
  constexpr ino_t kNumbersOfMachine = 0xEFFFFFFC;  // PROC_PID_INIT_INO
  return ::stat("/proc/self/ns/pid", &numbers) != 0 || numbers.st_ino == kNumbersOfMachine;
}

Error refusal(int error) {
  if (::access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
    return input_error(
        "this Linux kernel does not describe its types (/sys/kernel/btf/vmlinux); it needs "
        "CONFIG_DEBUG_INFO_BTF, which Debian, Ubuntu and Red Hat kernels have");
  }
  if (error == EPERM || error == EACCES) {
    return input_error(
        "the Linux kernel does not let this user load eBPF programs; run tactus with sudo, or give "
        "it the capabilities CAP_BPF and CAP_PERFMON (container: --cap-add BPF --cap-add PERFMON)");
  }
  return input_error("the Linux kernel refuses our eBPF programs: " + error_text(error) +
                     "; Linux 5.15 or later is needed");
}

}  // namespace

struct HostProgram::Parts {
  std::unique_ptr<bpf_object, CloseObject> object;
  std::unique_ptr<ring_buffer, FreeRing> ring;
  std::vector<Link> links;
  host_variables* variables = nullptr;
  volatile host_options* options = nullptr;
  const volatile __u64* lost = nullptr;
  const volatile __u64* threads_lost = nullptr;
  const Receive* receive = nullptr;

  ~Parts() {
    if (variables != nullptr) ::munmap(variables, sizeof *variables);
  }
  /// The programs' variables; null if that failed.
  host_variables* map_variables() {
    const int map = bpf_object__find_map_fd_by_name(object.get(), ".bss");
    void* const memory =
        ::mmap(nullptr, sizeof *variables, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
    if (memory != MAP_FAILED) variables = static_cast<host_variables*>(memory);
    return variables;
  }
  /// One place per tid that this machine can have.
  void size_places() const {
    std::uint32_t tids = 4'194'304;
    std::ifstream("/proc/sys/kernel/pid_max") >> tids;
    bpf_map__set_max_entries(bpf_object__find_map_by_name(object.get(), "places"), tids);
  }
  bpf_program* program(const char* name) const {
    return bpf_object__find_program_by_name(object.get(), name);
  }
  /// Runs the iterator over all threads of the machine.
  bool visit_threads() const {
    const Link link(bpf_program__attach_iter(program("visit_threads"), nullptr));
    if (!link) return false;
    const File visit(bpf_iter_create(bpf_link__fd(link.get())));
    if (!visit.is_open()) return false;
    char ignored[64];
    while (::read(visit.fd(), ignored, sizeof ignored) > 0) {
    }
    return true;
  }
};

HostProgram::HostProgram(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
HostProgram::HostProgram(HostProgram&&) noexcept = default;
HostProgram& HostProgram::operator=(HostProgram&&) noexcept = default;
HostProgram::~HostProgram() = default;

namespace {

int pass_on(void* context, void* bytes, std::size_t size) {
  const auto* const receive = *static_cast<const HostProgram::Receive* const*>(context);
  if (receive != nullptr) (*receive)({static_cast<const std::byte*>(bytes), size});
  return 0;
}

}  // namespace

Result<HostProgram> HostProgram::load(const Options& options) {
  if (!has_numbers_of_machine()) {
    return input_error(
        "in a container with process numbers of its own, threads cannot be told apart; share the "
        "host's numbers (docker --pid=host)");
  }
  libbpf_set_print(no_output);
  auto parts = std::make_unique<Parts>();
  const std::string_view object = host_object();
  bpf_object_open_opts open{};
  open.sz = sizeof open;
  open.object_name = "tactus_host";
  parts->object.reset(bpf_object__open_mem(object.data(), object.size(), &open));
  if (!parts->object) return refusal(errno);
  parts->size_places();
  if (const int error = bpf_object__load(parts->object.get()); error != 0) return refusal(-error);

  host_variables* const values = parts->map_variables();
  if (values == nullptr) return refusal(errno);
  parts->options = &values->options;
  parts->lost = &values->lost;
  parts->threads_lost = &values->threads_lost;
  values->options.shortest_ns = static_cast<std::uint64_t>(options.shortest_break_ns);
  values->options.longest_ns = static_cast<std::uint64_t>(options.longest_stretch_ns);

  const int ring = bpf_object__find_map_fd_by_name(parts->object.get(), "events");
  parts->ring.reset(ring_buffer__new(ring, pass_on, static_cast<void*>(&parts->receive), nullptr));
  if (!parts->ring) return refusal(errno);
  for (const char* name : {"on_switch", "on_fork", "on_exec", "on_exit"}) {
    Link link(bpf_program__attach(parts->program(name)));
    if (!link) return refusal(errno);
    parts->links.push_back(std::move(link));
  }
  return HostProgram(std::move(parts));
}

void HostProgram::watch_own_children(bool is_on) {
  parts_->options->watch_parent = is_on ? static_cast<std::uint32_t>(::getpid()) : 0;
}

Status HostProgram::add_process(std::int64_t pid) {
  const int processes = bpf_object__find_map_fd_by_name(parts_->object.get(), "processes");
  const auto key = static_cast<std::uint32_t>(pid);
  const std::uint8_t value = 1;
  // Full: its threads are found now or never.
  const bool is_noted = bpf_map_update_elem(processes, &key, &value, BPF_ANY) == 0;
  if (!parts_->visit_threads() || !is_noted) {
    return broke_error("the threads of process " + std::to_string(pid) +
                       " cannot be traced: " + error_text(errno));
  }
  return {};
}

Status HostProgram::watch_call(std::int64_t pid, const std::string& library,
                               const std::string& function, std::uint32_t what,
                               std::uint32_t number, bool with_end) {
  for (const bool at_end : {false, true}) {
    if (at_end && !with_end) continue;
    bpf_uprobe_opts probe{};
    probe.sz = sizeof probe;
    probe.bpf_cookie = std::uint64_t{what} << 32 | number;
    probe.retprobe = at_end;
    probe.func_name = function.c_str();
    Link link(bpf_program__attach_uprobe_opts(parts_->program(at_end ? "on_return" : "on_call"),
                                              static_cast<pid_t>(pid), library.c_str(), 0, &probe));
    if (!link) return input_error(function + " of " + library + ": " + error_text(errno));
    parts_->links.push_back(std::move(link));
  }
  return {};
}

void HostProgram::receive(const Receive& receive) {
  parts_->receive = &receive;
  ring_buffer__consume(parts_->ring.get());
  parts_->receive = nullptr;
}

void HostProgram::stop() {
  if (parts_->links.empty()) return;
  parts_->links.clear();
  parts_->options->is_flushing = 1;
  parts_->visit_threads();
}

std::uint64_t HostProgram::lost() const {
  return *parts_->lost;
}

std::uint64_t HostProgram::threads_lost() const {
  return *parts_->threads_lost;
}

}  // namespace tactus::record
