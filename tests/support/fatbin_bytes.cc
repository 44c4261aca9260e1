#include "support/fatbin_bytes.h"

#include <elf.h>

#include <cstring>

namespace tactus::testing {
namespace {

template <class T>
void put(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

}  // namespace

std::string fatbin_container(const std::vector<FatbinEntry>& entries) {
  std::string bytes(16, '\0');
  for (const FatbinEntry& entry : entries) {
    const std::string code = "some code";
    std::string header(64, '\0');
    put(header, 0, static_cast<std::uint16_t>(entry.kind));
    put(header, 2, std::uint16_t{0x0101});
    put(header, 4, std::uint32_t{64});
    put(header, 8, std::uint64_t{16});
    put(header, 24, static_cast<std::uint16_t>(entry.ptx_version % 10));
    put(header, 26, static_cast<std::uint16_t>(entry.ptx_version / 10));
    put(header, 28, static_cast<std::uint32_t>(entry.number));
    put(header, 40, entry.flags);
    bytes += header + code + std::string(16 - code.size(), '\0');
  }
  put(bytes, 0, std::uint32_t{0xBA55ED50});
  put(bytes, 4, std::uint16_t{1});
  put(bytes, 6, std::uint16_t{16});
  put(bytes, 8, std::uint64_t{bytes.size() - 16});
  return bytes;
}

std::string elf_with_section(const std::string& name, const std::string& content, int machine) {
  const std::string names = std::string(1, '\0') + name + '\0' + ".shstrtab" + '\0';
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = static_cast<Elf64_Half>(machine);
  header.e_shoff = sizeof header + content.size() + names.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  Elf64_Shdr sections[3] = {};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_offset = sizeof header;
  sections[1].sh_size = content.size();
  sections[2].sh_name = static_cast<Elf64_Word>(name.size() + 2);
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = sizeof header + content.size();
  sections[2].sh_size = names.size();
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += content + names;
  bytes.append(reinterpret_cast<const char*>(sections), sizeof sections);
  return bytes;
}

Result<Fatbin> read_fatbin_bytes(const std::string& bytes) {
  const ReadAt read_at = [&](std::uint64_t offset, char* into, std::size_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset) {
      return Status(broke_error("read outside"));
    }
    std::memcpy(into, bytes.data() + offset, size);
    return Status();
  };
  return read_fatbin(read_at, bytes.size(), "lib.so");
}

}  // namespace tactus::testing
