/* What -fuzz_case names. */
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace goza_fuzz
{

/* The file itself, or all files of a folder that end in .case. */
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
