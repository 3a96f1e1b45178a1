/* What a fuzzer is told on the command line. */
#pragma once

#include "../support/check.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace goza_fuzz {

inline std::string text_option(const char *name)
{
  char text[4096] = "";
  PETSC_OK(PetscOptionsGetString(nullptr, nullptr, name, text, sizeof(text), nullptr));
  return text;
}

inline PetscInt number_option(const char *name, PetscInt value)
{
  PETSC_OK(PetscOptionsGetInt(nullptr, nullptr, name, &value, nullptr));
  return value;
}

/* What -fuzz_case names: the file itself, or all files of a folder that end in .case. */
inline std::vector<std::string> case_files(const std::string &path)
{
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(path))
    if (entry.path().extension() == ".case") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace goza_fuzz
