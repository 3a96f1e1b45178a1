#include "device_code.hpp"
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <string>
#include <vector>

namespace goza {

template <class T> static bool read_at(std::ifstream &file, std::size_t at, T *values, std::size_t n)
{
  return static_cast<bool>(file.seekg(static_cast<std::streamoff>(at)).read(reinterpret_cast<char *>(values), static_cast<std::streamsize>(n * sizeof(T))));
}

/* nvcc puts the code of every device into the section .nv_fatbin. */
std::size_t device_code_bytes()
{
  Dl_info                 self;
  Elf64_Ehdr              head;
  std::vector<Elf64_Shdr> sections;

  if (!dladdr(reinterpret_cast<const void *>(&device_code_bytes), &self) || !self.dli_fname) return 0;
  std::ifstream file(self.dli_fname, std::ios::binary);

  if (!file || !read_at(file, 0, &head, 1) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64) return 0;
  sections.resize(head.e_shnum);
  if (head.e_shstrndx >= head.e_shnum || !read_at(file, head.e_shoff, sections.data(), sections.size())) return 0;
  std::vector<char> names(sections[head.e_shstrndx].sh_size + 1, 0); // ends with 0 whatever the file says

  if (!read_at(file, sections[head.e_shstrndx].sh_offset, names.data(), names.size() - 1)) return 0;
  for (const Elf64_Shdr &section : sections)
    if (section.sh_name < names.size() && std::string(".nv_fatbin") == &names[section.sh_name]) return section.sh_size;
  return 0;
}

} // namespace goza
