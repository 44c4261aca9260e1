#include "record/session/fill/symbols.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "record/session/fill/demangled.h"
#include "record/session/fill/file_bytes.h"

namespace tactus::record {
namespace {

constexpr std::size_t kMostSymbols = 20'000'000;

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string build_id_in(std::string_view notes) {
  while (const auto note = field_at<Elf64_Nhdr>(notes, 0)) {
    const std::uint64_t name = (std::uint64_t{note->n_namesz} + 3) / 4 * 4;
    const std::uint64_t whole = sizeof *note + name + (std::uint64_t{note->n_descsz} + 3) / 4 * 4;
    if (note->n_type == NT_GNU_BUILD_ID &&
        piece(notes, sizeof *note, 4) == std::string_view("GNU\0", 4)) {
      return hex_of(piece(notes, sizeof *note + name, note->n_descsz));
    }
    if (whole > notes.size()) break;
    notes.remove_prefix(whole);
  }
  return {};
}

}  // namespace

ModuleSymbols ModuleSymbols::read(std::string_view file) {
  ModuleSymbols module;
  const auto head = field_at<Elf64_Ehdr>(file, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
      head->e_ident[EI_CLASS] != ELFCLASS64) {
    return module;
  }
  std::optional<Elf64_Shdr> table;
  for (unsigned i = 0; i < head->e_shnum; ++i) {
    const auto section = field_at<Elf64_Shdr>(file, head->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) break;
    if (section->sh_type == SHT_NOTE && module.build_id_.empty()) {
      module.build_id_ = build_id_in(piece(file, section->sh_offset, section->sh_size));
    }
    if (section->sh_type == SHT_SYMTAB || (section->sh_type == SHT_DYNSYM && !table))
      table = section;
  }
  if (!table) return module;
  const auto names = field_at<Elf64_Shdr>(
      file, head->e_shoff + std::uint64_t{table->sh_link} * sizeof(Elf64_Shdr));
  if (!names) return module;
  module.names_ = piece(file, names->sh_offset, names->sh_size);
  const std::size_t count = std::min<std::size_t>(table->sh_size / sizeof(Elf64_Sym), kMostSymbols);
  for (std::size_t i = 0; i < count; ++i) {
    const auto symbol = field_at<Elf64_Sym>(file, table->sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol) break;
    const unsigned type = symbol->st_info & 15u;
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF) continue;
    if (symbol->st_name >= module.names_.size()) continue;
    module.functions_.push_back({symbol->st_value, symbol->st_size, symbol->st_name});
  }
  std::sort(module.functions_.begin(), module.functions_.end(),
            [](const Function& a, const Function& b) { return a.begin < b.begin; });
  return module;
}

ModuleSymbols ModuleSymbols::open(const std::string& path) {
  const MappedFile file(path);
  return file.data == nullptr ? ModuleSymbols() : read({file.data, file.size});
}

std::optional<std::string> ModuleSymbols::find(std::uint64_t address) const {
  auto next = std::upper_bound(functions_.begin(), functions_.end(), address,
                               [](std::uint64_t a, const Function& f) { return a < f.begin; });
  if (next == functions_.begin()) return std::nullopt;
  const Function& function = *--next;
  // Functions written in assembler have no size.
  if (function.size != 0 && address - function.begin >= function.size) return std::nullopt;
  return demangled(names_.c_str() + function.name);
}

std::string Symbols::frame_text(const std::string& root, const std::string& path,
                                const std::string& build_id, std::uint64_t address) {
  if (path.empty()) return fmt::format("{:#x}", address);
  const std::string file = path.substr(path.rfind('/') + 1);
  const auto [known, is_new] = modules_.try_emplace({path, build_id});
  if (is_new) {
    for (const std::string& in : {root, std::string()}) {
      ModuleSymbols module = ModuleSymbols::open(in + path);
      // Another file may be there by now.
      if (module.size() == 0 || module.build_id() != build_id) continue;
      known->second = std::move(module);
      break;
    }
  }
  if (const auto name = known->second.find(address))
    return fmt::format("{} ({}+{:#x})", *name, file, address);
  return build_id.empty() ? fmt::format("{}+{:#x}", file, address)
                          : fmt::format("{}+{:#x} [{}]", file, address, build_id);
}

}  // namespace tactus::record
