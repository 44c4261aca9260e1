// A library that nvcc built holds its GPU code in the section .nv_fatbin (__nv_relfatbin where it
// is still to be linked): containers one after the other, padded to 8 bytes, each
//
//   u32 0xBA55ED50, u16 version 1, u16 size of this header (16), u64 size of what follows
//   entries, each:
//     0  u16 kind: 1 PTX, 2 machine code     2  u16 version     4  u32 size of this header (64 or
//     more) 8  u64 size of the code that follows (compressed or not, which does not matter here)
//    24  u16 minor, 26 u16 major: of PTX     28  u32 architecture: 90 for sm_90
//    40  u64 flags: 0x100000 sm_90a, 0x200000 sm_100f
//
// The layout is not published. This comes from the output of nvcc 13.0 and from cuBLASLt 13.
#include "check/fatbin.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/file.h"

namespace tactus {
namespace {

constexpr std::uint32_t kMagic = 0xBA55ED50;
constexpr std::size_t kContainerHeader = 16;
constexpr std::size_t kEntryHeader = 48;  // as far as we read
constexpr std::uint16_t kPtx = 1;
constexpr std::uint16_t kMachineCode = 2;
constexpr std::uint64_t kExactGpu = 0x100000;
constexpr std::uint64_t kFamily = 0x200000;
constexpr std::uint64_t kMostPadding = 4096;  // between containers; linkers pad to a page at most
constexpr int kMostContainers = 1'000'000;
constexpr std::uint64_t kMostNames = 16 << 20;  // bytes of section names
constexpr int kCudaMachine = 190;               // EM_CUDA

template <class T>
T at(const char* bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

class Reader {
 public:
  Reader(const ReadAt& read_at, std::uint64_t size, const std::string& name)
      : read_at_(read_at), size_(size), name_(name) {}

  Result<Fatbin> read() {
    std::uint32_t magic = 0;
    if (size_ >= sizeof magic) {
      if (Status status = get(0, magic); !status) return status.error();
    }
    if (magic == kMagic) {
      if (Status status = containers(0, size_); !status) return status.error();
    } else if (Status status = sections(); !status) {
      return status.error();
    }
    tidy(found_.code);
    return std::move(found_);
  }

 private:
  bool inside(std::uint64_t offset, std::uint64_t count) const {
    return offset <= size_ && count <= size_ - offset;
  }
  template <class T>
  Status get(std::uint64_t offset, T& into) const {
    if (!inside(offset, sizeof into)) return cut_short();
    return read_at_(offset, reinterpret_cast<char*>(&into), sizeof into);
  }
  Error cut_short() const {
    return input_error(fmt::format(
        "{}: ends early: it is {} bytes long and should be longer; build or copy it again", name_,
        size_));
  }

  Status sections() {
    Elf64_Ehdr header{};
    const char* what_to_do = "give a library (.so), a program or an object file (.o)";
    if (size_ < sizeof header) {
      return input_error(fmt::format("{}: is not an ELF file; {}", name_, what_to_do));
    }
    if (Status status = get(0, header); !status) return status;
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
      return input_error(fmt::format("{}: is not an ELF file; {}", name_, what_to_do));
    }
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
      return input_error(fmt::format(
          "{}: is an ELF file of another kind than 64-bit little-endian, which CUDA uses", name_));
    }
    if (header.e_machine == kCudaMachine) {
      return input_error(fmt::format(
          "{}: is GPU machine code by itself (a cubin); give the library that carries it", name_));
    }
    found_.host_machine = header.e_machine;
    if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) {
      return input_error(fmt::format("{}: has no table of sections to find GPU code by", name_));
    }
    return find_sections(header);
  }

  Status find_sections(const Elf64_Ehdr& header) {
    // If there are too many, the first section holds the counts.
    Elf64_Shdr first{};
    if (Status status = get(header.e_shoff, first); !status) return status;
    const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
    const std::uint64_t names_at = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx  //
                                                                   : first.sh_link;
    if (count > size_ / sizeof(Elf64_Shdr) || names_at >= count) return cut_short();
    Elf64_Shdr names{};
    if (Status status = get(header.e_shoff + names_at * sizeof names, names); !status) {
      return status;
    }
    if (names.sh_size > kMostNames || !inside(names.sh_offset, names.sh_size)) return cut_short();
    std::string text(names.sh_size, '\0');
    if (Status status = read_at_(names.sh_offset, text.data(), text.size()); !status) return status;
    for (std::uint64_t i = 1; i < count; ++i) {
      Elf64_Shdr section{};
      if (Status status = get(header.e_shoff + i * sizeof section, section); !status) return status;
      if (section.sh_name >= text.size()) continue;
      const std::string_view name = text.c_str() + section.sh_name;
      if (name == ".hip_fatbin") found_.for_amd = true;
      if ((name != ".nv_fatbin" && name != "__nv_relfatbin") || section.sh_type == SHT_NOBITS) {
        continue;
      }
      if (!inside(section.sh_offset, section.sh_size)) return cut_short();
      if (Status status = containers(section.sh_offset, section.sh_offset + section.sh_size);
          !status) {
        return status;
      }
    }
    return {};
  }

  /// All containers between two offsets inside the file.
  Status containers(std::uint64_t begin, std::uint64_t end) {
    std::uint64_t padding = 0;
    for (std::uint64_t offset = begin; end - offset >= kContainerHeader;) {
      char header[kContainerHeader];
      if (Status status = read_at_(offset, header, sizeof header); !status) return status;
      const auto magic = at<std::uint32_t>(header, 0);
      if (magic == 0 && padding < kMostPadding && end - offset >= kContainerHeader + 8) {
        offset += 8;
        padding += 8;
        continue;
      }
      if (magic == 0) return {};  // only padding follows
      const auto header_size = at<std::uint16_t>(header, 6);
      const auto size = at<std::uint64_t>(header, 8);
      if (magic != kMagic || header_size < kContainerHeader || header_size > end - offset ||
          size > end - offset - header_size || found_.containers >= kMostContainers) {
        found_.broken =
            fmt::format("at byte {} is not a container of GPU code that tactus knows", offset);
        return {};
      }
      ++found_.containers;
      padding = 0;
      if (Status status = entries(offset + header_size, offset + header_size + size); !status) {
        return status;
      }
      offset += header_size + size;
      offset += std::min((8 - offset % 8) % 8, end - offset);
    }
    return {};
  }

  Status entries(std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t offset = begin; offset < end;) {
      char header[kEntryHeader];
      const std::uint64_t left = end - offset;
      if (left < sizeof header) {
        found_.broken = fmt::format("the GPU code at byte {} ends early", offset);
        return {};
      }
      if (Status status = read_at_(offset, header, sizeof header); !status) return status;
      const auto header_size = at<std::uint32_t>(header, 4);
      const auto size = at<std::uint64_t>(header, 8);
      if (header_size < kEntryHeader || header_size > left || size > left - header_size) {
        found_.broken = fmt::format("the GPU code at byte {} ends early", offset);
        return {};
      }
      add(header);
      offset += header_size + size;
    }
    return {};
  }

  void add(const char* header) {
    const auto kind = at<std::uint16_t>(header, 0);
    const auto number = at<std::uint32_t>(header, 28);
    const auto flags = at<std::uint64_t>(header, 40);
    if ((kind != kPtx && kind != kMachineCode) || number < 10 || number > 999) {
      found_.other_code = true;
      return;
    }
    GpuCode code{.machine_code = kind == kMachineCode, .number = static_cast<int>(number)};
    if ((flags & kExactGpu) != 0) code.variant = 'a';
    if ((flags & kFamily) != 0) code.variant = 'f';
    if (kind == kPtx) {
      code.ptx_version = at<std::uint16_t>(header, 26) * 10 + at<std::uint16_t>(header, 24) % 10;
    }
    if (std::find(found_.code.begin(), found_.code.end(), code) == found_.code.end()) {
      found_.code.push_back(code);
    }
    // Real libraries have a dozen; thousands would only waste memory.
    if (found_.code.size() > 4096) tidy(found_.code);
  }

  const ReadAt& read_at_;
  std::uint64_t size_;
  const std::string& name_;
  Fatbin found_;
};

}  // namespace

std::string GpuCode::name() const {
  std::string text = fmt::format("{}_{}", machine_code ? "sm" : "compute", number);
  if (variant != '\0') text += variant;
  return text;
}

void tidy(std::vector<GpuCode>& code) {
  const auto place = [](const GpuCode& c) {
    return std::tuple(!c.machine_code, c.number, c.variant);
  };
  std::sort(code.begin(), code.end(), [&](const GpuCode& a, const GpuCode& b) {
    // The newest PTX first: all of it must load.
    return std::tuple(place(a), -a.ptx_version) < std::tuple(place(b), -b.ptx_version);
  });
  code.erase(std::unique(code.begin(), code.end(),
                         [&](const GpuCode& a, const GpuCode& b) { return place(a) == place(b); }),
             code.end());
}

Result<Fatbin> read_fatbin(const ReadAt& read_at, std::uint64_t size, const std::string& name) {
  return Reader(read_at, size, name).read();
}

Result<Fatbin> read_fatbin_file(const std::string& path) {
  const Result<File> file = File::open_for_reading(path);
  if (!file) return file.error();
  const Result<std::uint64_t> size = file->size(path);
  if (!size) return size.error();
  const ReadAt read_at = [&](std::uint64_t offset, char* into, std::size_t count) {
    return file->read_at(offset, into, count, path);
  };
  return read_fatbin(read_at, *size, path);
}

std::vector<GpuCode> gpu_code_named(std::string_view text, bool machine_code) {
  constexpr std::string_view kPrefix = "sm_";
  std::vector<GpuCode> code;
  for (std::size_t at = text.find(kPrefix); at != text.npos; at = text.find(kPrefix, at + 1)) {
    GpuCode one{.machine_code = machine_code};
    std::size_t i = at + kPrefix.size();
    while (i < text.size() && text[i] >= '0' && text[i] <= '9' && one.number < 1000) {
      one.number = one.number * 10 + (text[i++] - '0');
    }
    if (one.number < 10 || one.number > 999) continue;
    if (i < text.size() && (text[i] == 'a' || text[i] == 'f')) one.variant = text[i];
    code.push_back(one);
  }
  tidy(code);
  return code;
}

}  // namespace tactus
