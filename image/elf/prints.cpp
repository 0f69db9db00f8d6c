#include <gelf.h>
#include <libelf.h>

#include "image/elf/relocations.hpp"
#include "image/print_records.hpp"

namespace kerr::image {

std::vector<Comment> read_prints(Elf* elf, const std::string& name) {
  size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return {};
  std::vector<uint8_t> all;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS) continue;
    const char* const own_name = elf_strptr(elf, names, header.sh_name);
    if (!own_name || own_name != kPrintSection) continue;
    const Elf_Data* const data = elf_getdata(section, nullptr);
    if (!data || !data->d_buf) continue;
    const auto* const begin = static_cast<const uint8_t*>(data->d_buf);
    all.insert(all.end(), begin, begin + data->d_size);
    all.resize((all.size() + 3) / 4 * 4);
  }
  return print_records(all, name);
}

}  // namespace kerr::image
