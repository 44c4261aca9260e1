#include "bench/candidate/python_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/embedded.h"
#include "base/json.h"
#include "bench/candidate/subprocess.h"

namespace tactus {
namespace {

TACTUS_EMBED(embedded_python_candidate, "../src/bench/candidate/python_candidate.py");

constexpr double kPythonSeconds = 60;

/// Prints where this Python has its shared library and its modules.
constexpr const char* kAboutPython = R"(
import json, os, sys, sysconfig
version = "%d.%d" % sys.version_info[:2]
names = [sysconfig.get_config_var(n) or "" for n in ("INSTSONAME", "LDLIBRARY")]
names += ["libpython%s.so.1.0" % version, "libpython%s.so" % version]
folders = [sysconfig.get_config_var("LIBDIR") or "", os.path.join(sys.base_prefix, "lib"),
           "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/aarch64-linux-gnu"]
found = [os.path.join(f, n) for f in folders for n in names
         if ".so" in n and os.path.isfile(os.path.join(f, n))]
print(json.dumps({"library": found[0] if found else "", "version": version,
                  "home": sys.base_prefix, "path": [p for p in sys.path if p]}))
)";

/// A Python string literal.
std::string python_text(std::string_view text) {
  return Json(std::string(text)).dump();
}

Status load_python() {
  const std::string python = program_path("python3");
  if (python.empty()) return input_error("a .py candidate needs python3 on the PATH");
  const Result<ProgramOutput> output = run_program({python, "-c", kAboutPython}, kPythonSeconds);
  if (!output) return output.error();
  const Json about = Json::parse(output->text);
  if (!about.is_object()) {
    return input_error(fmt::format("{} does not start: {}", python, output->text.substr(0, 300)));
  }
  const std::string library = about.text_at("library");
  if (library.empty()) {
    return input_error(fmt::format(
        "{} has no shared library to load: install libpython{} (Debian), or use a Python that has "
        "one",
        python, about.text_at("version")));
  }
  std::string path;
  for (const Json& folder : about["path"]) {
    path += (path.empty() ? "" : ":") + folder.get<std::string>();
  }
  setenv("PYTHONHOME", about.text_at("home").c_str(), 1);
  setenv("PYTHONPATH", path.c_str(), 1);
  setenv("PYTHONUNBUFFERED", "1", 1);
  setenv("TORCHINDUCTOR_COMPILE_THREADS", "1", 1);  // no processes that stay
  // Modules with C code look for Python's functions among those that everybody sees.
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (opened == nullptr) return input_error(fmt::format("cannot load {}: {}", library, dlerror()));
  const auto initialize = reinterpret_cast<void (*)(int)>(dlsym(opened, "Py_InitializeEx"));
  if (initialize == nullptr) return input_error(fmt::format("{} is no Python", library));
  initialize(0);
  return {};
}

}  // namespace

struct PythonLibrary::Slots {
  int (*run)(const tactus_call*) = nullptr;
  char message[4096] = "";
  tactus_entry entry = {};
};

Result<PythonLibrary> PythonLibrary::open(const std::string& path, const std::string& operator_name,
                                          tactus_device device) {
  if (const Status loaded = load_python(); !loaded) return loaded.error();
  const auto run_text =
      reinterpret_cast<int (*)(const char*)>(dlsym(RTLD_DEFAULT, "PyRun_SimpleString"));
  if (run_text == nullptr) return input_error("this Python cannot run a text");
  PythonLibrary library;
  library.slots_ = std::make_shared<Slots>();
  const std::string text = fmt::format(
      "PATH_OF_CANDIDATE = {}\nOPERATOR = {}\nON_CUDA = {}\nADDRESS_OF_SLOTS = {}\n{}",
      python_text(std::filesystem::absolute(path).string()), python_text(operator_name),
      device == TACTUS_CUDA ? "True" : "False",
      reinterpret_cast<std::uint64_t>(library.slots_.get()), embedded_python_candidate());
  if (run_text(text.c_str()) != 0) return input_error("Python cannot run candidates");
  Slots& slots = *library.slots_;
  if (slots.run == nullptr && slots.message[0] != '\0') return input_error(slots.message);
  slots.entry = {.operator_name = nullptr, .device = device, .run = slots.run};
  return library;
}

const tactus_entry* PythonLibrary::entry() const {
  return slots_->run != nullptr ? &slots_->entry : nullptr;
}

std::string PythonLibrary::message() const {
  return slots_->message;
}

}  // namespace tactus
