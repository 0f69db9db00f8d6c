#include "image/elf/relocations.hpp"

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>

#include "image/error.hpp"

namespace kerr::image {
namespace {

constexpr size_t kMostRelocations = 1 << 19;  // more than L1 has words

struct Section {
  Elf_Scn* place;
  GElf_Shdr header;
};

// Sections by index; those that libelf cannot read are empty.
std::vector<Section> sections_of(Elf* elf) {
  std::vector<Section> all(1);
  for (Elf_Scn* s = elf_nextscn(elf, nullptr); s; s = elf_nextscn(elf, s)) {
    Section section{s, {}};
    if (!gelf_getshdr(s, &section.header)) section.header = {};
    all.push_back(section);
  }
  return all;
}

// Nothing for what says something of other relocations only, and for differences of labels, which do not move.
bool says_nothing(uint32_t type) {
  switch (type) {
    case R_RISCV_NONE:
    case R_RISCV_RELAX:
    case R_RISCV_ALIGN:
    case R_RISCV_ADD8:
    case R_RISCV_ADD16:
    case R_RISCV_ADD32:
    case R_RISCV_ADD64:
    case R_RISCV_SUB6:
    case R_RISCV_SUB8:
    case R_RISCV_SUB16:
    case R_RISCV_SUB32:
    case R_RISCV_SUB64:
    case R_RISCV_SET6:
    case R_RISCV_SET8:
    case R_RISCV_SET16:
    case R_RISCV_SET32:
    case R_RISCV_32_PCREL: return true;
    default: return false;
  }
}

Relocation::Kind kind_of(uint32_t type) {
  using Kind = Relocation::Kind;
  switch (type) {
    case R_RISCV_32: return Kind::Word;
    case R_RISCV_HI20: return Kind::Hi20;
    case R_RISCV_LO12_I: return Kind::Lo12I;
    case R_RISCV_LO12_S: return Kind::Lo12S;
    case R_RISCV_PCREL_HI20: return Kind::PcHi20;
    case R_RISCV_PCREL_LO12_I: return Kind::PcLo12I;
    case R_RISCV_PCREL_LO12_S: return Kind::PcLo12S;
    case R_RISCV_CALL:
    case R_RISCV_CALL_PLT:
    case R_RISCV_JAL:
    case R_RISCV_BRANCH:
    case R_RISCV_RVC_BRANCH:
    case R_RISCV_RVC_JUMP: return Kind::Near;
    case R_RISCV_GPREL_I:
    case R_RISCV_GPREL_S: return Kind::Global;
    case R_RISCV_GOT_HI20:
    case R_RISCV_TLS_GOT_HI20:
    case R_RISCV_TLS_GD_HI20:
    case R_RISCV_TPREL_HI20:
    case R_RISCV_TPREL_LO12_I:
    case R_RISCV_TPREL_LO12_S: return Kind::Table;
    default: return Kind::Unknown;
  }
}

const char* name_of_section(Elf* elf, size_t names, const std::vector<Section>& all, size_t index) {
  const char* name = index < all.size() && index != 0 ? elf_strptr(elf, names, all[index].header.sh_name) : nullptr;
  return name ? name : "";
}

// The bytes of a section as libelf has checked and converted them; nullptr if there are none.
Elf_Data* data_of(const Section& section) {
  Elf_Data* data = elf_getdata(section.place, nullptr);
  return data && data->d_buf ? data : nullptr;
}

}  // namespace

std::vector<Relocation> read_relocations(Elf* elf, const std::string& name) {
  const std::vector<Section> all = sections_of(elf);
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return {};
  std::vector<Relocation> relocations;
  for (size_t index = 1; index < all.size(); ++index) {
    const Section& table = all[index];
    const size_t applies_to = table.header.sh_info;
    if (table.header.sh_type != SHT_RELA || applies_to == 0 || applies_to >= all.size()) continue;
    if ((all[applies_to].header.sh_flags & SHF_ALLOC) == 0) continue;
    const auto bad = [&](const std::string& what) {
      throw Error(
          fmt::format("{}: relocations of section {}: {}", name, name_of_section(elf, names, all, applies_to), what));
    };
    Elf_Data* entries = data_of(table);
    if (!entries) continue;
    if (table.header.sh_link == 0 || table.header.sh_link >= all.size() ||
        all[table.header.sh_link].header.sh_type != SHT_SYMTAB)
      bad(fmt::format("their symbols are said to be in section {}, which holds none", table.header.sh_link));
    const Section& symbols = all[table.header.sh_link];
    Elf_Data* symbol_data = data_of(symbols);
    if (!symbol_data) bad("their symbols cannot be read");
    const size_t count = entries->d_size / sizeof(Elf32_Rela);
    if (count > kMostRelocations - relocations.size()) bad("more than any program has");
    for (size_t i = 0; i < count; ++i) {
      GElf_Rela entry;
      if (!gelf_getrela(entries, static_cast<int>(i), &entry)) bad(fmt::format("entry {} cannot be read", i));
      const uint32_t type = GELF_R_TYPE(entry.r_info);
      if (says_nothing(type)) continue;
      GElf_Sym symbol;
      if (!gelf_getsym(symbol_data, static_cast<int>(GELF_R_SYM(entry.r_info)), &symbol))
        bad(fmt::format("entry {} names symbol {}, which is not there", i, GELF_R_SYM(entry.r_info)));
      const char* label = elf_strptr(elf, symbols.header.sh_link, symbol.st_name);
      const bool section_symbol = GELF_ST_TYPE(symbol.st_info) == STT_SECTION;
      relocations.push_back({.kind = kind_of(type),
                             .address = static_cast<uint32_t>(entry.r_offset),
                             .target = static_cast<uint32_t>(symbol.st_value + static_cast<uint64_t>(entry.r_addend)),
                             .type = type,
                             .symbol = label && !section_symbol ? label : "",
                             .section = name_of_section(elf, names, all, symbol.st_shndx)});
    }
  }
  return relocations;
}

std::vector<Use> read_uses(Elf* elf, const std::string& name) {
  const std::vector<Section> all = sections_of(elf);
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return {};
  std::vector<Use> uses;
  for (size_t index = 1; index < all.size(); ++index) {
    if (all[index].header.sh_type != SHT_PROGBITS ||
        std::strcmp(name_of_section(elf, names, all, index), ".kerr.uses") != 0)
      continue;
    const Elf_Data* data = data_of(all[index]);
    if (!data) continue;
    if (data->d_size % 8 != 0)
      throw Error(fmt::format("{}: section .kerr.uses of {} bytes ends in half a pair", name, data->d_size));
    for (size_t at = 0; at < data->d_size; at += 8) {
      uint32_t pair[2];
      std::memcpy(pair, static_cast<const char*>(data->d_buf) + at, sizeof pair);
      if (pair[0] <= static_cast<uint32_t>(Use::Kind::Hart)) uses.push_back({static_cast<Use::Kind>(pair[0]), pair[1]});
    }
  }
  std::ranges::sort(uses);
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
  return uses;
}

}  // namespace kerr::image
