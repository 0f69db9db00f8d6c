#include "image/elf/reader.hpp"

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>

#include "image/elf/lines.hpp"
#include "image/elf/relocations.hpp"
#include "image/names/readable.hpp"

namespace kerr::image {
namespace {

using ElfHandle = std::unique_ptr<Elf, int (*)(Elf*)>;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw Error(fmt::format("{}: {}", name, what));
}

// The header's claims about class, byte order and machine, before anything else is believed.
void check_header(const Elf32_Ehdr& h, const std::string& name) {
  if (h.e_machine != EM_RISCV) fail(name, fmt::format("machine {} is not RISC-V ({})", h.e_machine, EM_RISCV));
  if (h.e_type != ET_EXEC && h.e_type != ET_DYN) {
    fail(name, fmt::format("type {} is neither an executable nor a shared object; link it first", h.e_type));
  }
}

void check_identification(std::span<const uint8_t> bytes, const std::string& name) {
  if (!is_elf(bytes)) fail(name, "not an ELF file");
  if (bytes.size() < sizeof(Elf32_Ehdr))
    fail(name, fmt::format("{} bytes are too few for an ELF header", bytes.size()));
  if (bytes[EI_CLASS] != ELFCLASS32) fail(name, "not a 32-bit ELF file");
  if (bytes[EI_DATA] != ELFDATA2LSB) fail(name, "not a little-endian ELF file");
}

// `copy` must outlive the handle: libelf wants memory that it may write to.
ElfHandle open_elf(std::span<const uint8_t> bytes, std::vector<char>& copy, const std::string& name) {
  check_identification(bytes, name);
  if (elf_version(EV_CURRENT) == EV_NONE) fail(name, "libelf is too old");
  copy.assign(bytes.begin(), bytes.end());
  ElfHandle elf(elf_memory(copy.data(), copy.size()), elf_end);
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) fail(name, fmt::format("libelf cannot read it: {}", elf_errmsg(-1)));
  return elf;
}

// All of a file's segments together. More than any tile holds; without it a small file whose headers all name the same
// bytes would fill the host's memory.
constexpr uint64_t kMostBytes = 64ull << 20;

std::vector<Segment> read_segments(Elf* elf, std::span<const uint8_t> bytes, const std::string& name) {
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) fail(name, fmt::format("program headers: {}", elf_errmsg(-1)));
  if (count == 0) fail(name, "has no program headers, so nothing to load");
  std::vector<Segment> segments;
  uint64_t all_bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr p;  // a copy: the file may hold headers at odd offsets
    if (!gelf_getphdr(elf, static_cast<int>(i), &p)) fail(name, fmt::format("program headers: {}", elf_errmsg(-1)));
    if (p.p_type != PT_LOAD || p.p_memsz == 0) continue;
    const auto bad = [&](const std::string& why) { fail(name, fmt::format("segment {}: {}", i, why)); };
    if (p.p_offset > bytes.size() || p.p_filesz > bytes.size() - p.p_offset) {
      bad(fmt::format("file bytes {:#x}+{:#x} lie outside the file of {:#x} bytes", p.p_offset, p.p_filesz,
                      bytes.size()));
    }
    if (p.p_filesz > p.p_memsz)
      bad(fmt::format("{:#x} bytes in the file but only {:#x} in memory", p.p_filesz, p.p_memsz));
    if (p.p_memsz - 1 > UINT32_MAX - p.p_vaddr || p.p_memsz - 1 > UINT32_MAX - p.p_paddr) {
      bad(fmt::format("address {:#x}+{:#x} passes the end of the address space", p.p_vaddr, p.p_memsz));
    }
    all_bytes += p.p_filesz;
    if (all_bytes > kMostBytes) {
      fail(name,
           fmt::format("segments 0 to {} load {:#x} bytes; {:#x} are the most that is read", i, all_bytes, kMostBytes));
    }
    const auto data = bytes.subspan(p.p_offset, p.p_filesz);
    segments.push_back({.address = static_cast<uint32_t>(p.p_vaddr),
                        .load_address = static_cast<uint32_t>(p.p_paddr),
                        .bytes = {data.begin(), data.end()},
                        .memory_bytes = static_cast<uint32_t>(p.p_memsz),
                        .executable = (p.p_flags & PF_X) != 0,
                        .writable = (p.p_flags & PF_W) != 0});
  }
  return segments;
}

std::vector<Symbol> read_symbols(Elf* elf) {
  std::vector<Symbol> symbols;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (!data || !data->d_buf) continue;
    const size_t count = data->d_size / sizeof(Elf32_Sym);
    for (size_t i = 0; i < count; ++i) {
      GElf_Sym s;
      if (!gelf_getsym(data, static_cast<int>(i), &s) || s.st_shndx == SHN_UNDEF) continue;
      const int type = GELF_ST_TYPE(s.st_info);
      const char* name = elf_strptr(elf, header.sh_link, s.st_name);
      // "$x" and the like mark code for disassemblers; ".L" labels are the compiler's own.
      if (!name || name[0] == '\0' || name[0] == '$' || std::strncmp(name, ".L", 2) == 0) continue;
      Symbol::Kind kind = Symbol::Kind::Label;
      if (type == STT_FUNC)
        kind = Symbol::Kind::Function;
      else if (type == STT_OBJECT)
        kind = Symbol::Kind::Data;
      else if (type != STT_NOTYPE)
        continue;
      symbols.push_back({readable(name), static_cast<uint32_t>(s.st_value), static_cast<uint32_t>(s.st_size), kind});
    }
  }
  std::stable_sort(symbols.begin(), symbols.end(),
                   [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
  return symbols;
}

}  // namespace

std::vector<CodeSection> read_code_sections(std::span<const uint8_t> bytes, const std::string& name) {
  std::vector<char> copy;
  const ElfHandle elf = open_elf(bytes, copy, name);
  std::vector<CodeSection> sections;
  size_t names = 0;
  uint64_t all_bytes = 0;
  if (elf_getshdrstrndx(elf.get(), &names) != 0) return sections;
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section; section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr h;
    if (!gelf_getshdr(section, &h) || h.sh_type != SHT_PROGBITS || h.sh_size == 0) continue;
    if ((h.sh_flags & SHF_EXECINSTR) == 0 || (h.sh_flags & SHF_ALLOC) == 0) continue;
    const char* own_name = elf_strptr(elf.get(), names, h.sh_name);
    const std::string label = own_name ? own_name : "?";
    if (h.sh_offset > bytes.size() || h.sh_size > bytes.size() - h.sh_offset)
      fail(name, fmt::format("section {} lies outside the file of {:#x} bytes", label, bytes.size()));
    all_bytes += h.sh_size;
    if (all_bytes > kMostBytes) fail(name, fmt::format("its sections hold more than {:#x} bytes of code", kMostBytes));
    const auto data = bytes.subspan(h.sh_offset, h.sh_size);
    sections.push_back({label, static_cast<uint32_t>(h.sh_addr), {data.begin(), data.end()}});
  }
  std::ranges::stable_sort(sections, {}, &CodeSection::address);
  return sections;
}

Image read_elf(std::span<const uint8_t> bytes, std::string name) {
  std::vector<char> copy;
  const ElfHandle elf = open_elf(bytes, copy, name);
  const Elf32_Ehdr* header = elf32_getehdr(elf.get());
  if (!header) fail(name, fmt::format("ELF header: {}", elf_errmsg(-1)));
  check_header(*header, name);

  Image image;
  image.entry = header->e_entry;
  image.segments = read_segments(elf.get(), bytes, name);
  if (image.segments.empty()) fail(name, "has no loadable segment");
  image.symbols = read_symbols(elf.get());
  image.lines = read_lines(elf.get());
  image.relocations = read_relocations(elf.get(), name);
  image.uses = read_uses(elf.get(), name);
  image.comments = read_prints(elf.get(), name);
  image.name = std::move(name);
  return image;
}

Image read_elf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(file.string(), "cannot be opened");
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Image image = read_elf({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, file.string());
  image.name = file.stem().string();  // the path has done its work
  return image;
}

std::array<Image, 3> read_compute(const std::filesystem::path& base) {
  const auto part = [&](const char* ending) { return read_elf(std::filesystem::path(base) += ending); };
  return {part(".unpack.elf"), part(".math.elf"), part(".pack.elf")};
}

}  // namespace kerr::image
