#include "record/attach/module_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "record/session/fill/file_bytes.h"

namespace tactus::record {
namespace {

void read_functions(std::string_view file, const Elf64_Ehdr& head, const Elf64_Shdr& table,
                    const std::vector<std::string_view>& wanted, ModuleFile& module) {
  const auto names =
      field_at<Elf64_Shdr>(file, head.e_shoff + std::uint64_t{table.sh_link} * sizeof(Elf64_Shdr));
  if (!names) return;
  const std::string_view texts = piece(file, names->sh_offset, names->sh_size);
  const std::string_view symbols = piece(file, table.sh_offset, table.sh_size);
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    const Elf64_Sym symbol = *field_at<Elf64_Sym>(symbols, at);
    // A function that is chosen when the library is loaded has no address in its file.
    if ((symbol.st_info & 15u) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
    if (symbol.st_name >= texts.size()) continue;
    const std::string_view rest = texts.substr(symbol.st_name);
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    module.functions.emplace(name, symbol.st_value);
  }
}

}  // namespace

ModuleFile ModuleFile::read(std::string_view file, const std::vector<std::string_view>& wanted) {
  ModuleFile module;
  const auto head = field_at<Elf64_Ehdr>(file, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
      head->e_ident[EI_CLASS] != ELFCLASS64) {
    return module;
  }
  for (unsigned i = 0; i < head->e_phnum; ++i) {
    const auto part = field_at<Elf64_Phdr>(file, head->e_phoff + i * sizeof(Elf64_Phdr));
    if (!part) break;
    module.names_loader = module.names_loader || part->p_type == PT_INTERP;
    if (part->p_type != PT_LOAD) continue;
    module.parts.push_back(
        {part->p_offset, part->p_vaddr, part->p_filesz, (part->p_flags & PF_X) != 0});
  }
  for (unsigned i = 0; i < head->e_shnum; ++i) {
    const auto section = field_at<Elf64_Shdr>(file, head->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) break;
    if (section->sh_type == SHT_DYNSYM) read_functions(file, *head, *section, wanted, module);
  }
  return module;
}

ModuleFile ModuleFile::open(const std::string& path, const std::vector<std::string_view>& wanted) {
  const MappedFile file(path);
  return file.data == nullptr ? ModuleFile() : read({file.data, file.size}, wanted);
}

}  // namespace tactus::record
