#include "line_source.hpp"
#include <cstdlib>
#include <stdio.h> // popen(), getline()
#include <sys/wait.h>

namespace goza::locality
{

/* As a word of the shell */
static std::string quoted(const std::string &file)
{
  std::string word = "'";

  for (char c : file) {
    if (c == '\'') word += "'\\'";
    word += c;
  }
  return word + "'";
}

LineSource::LineSource(const std::string &file)
{
  std::FILE *plain = std::fopen(file.c_str(), "rb");

  if (!plain) return;
  pipe_ = std::fgetc(plain) == 0x1f && std::fgetc(plain) == 0x8b; // gzip's two bytes
  if (!pipe_) {
    std::rewind(plain);
    in_ = plain;
    return;
  }
  std::fclose(plain);
  in_ = popen(("gzip -dc <" + quoted(file) + " 2>/dev/null").c_str(), "r"); // as PETSc reads its own compressed files
}

LineSource::~LineSource()
{
  (void)close();
  std::free(buffer_);
}

bool LineSource::next(std::string &line)
{
  ssize_t n = in_ ? getline(&buffer_, &size_, in_) : -1;

  ended_ = n < 0;
  if (ended_) return false;
  if (n && buffer_[n - 1] == '\n') n--;
  line.assign(buffer_, static_cast<std::size_t>(n));
  return true;
}

std::string LineSource::close()
{
  std::string wrong;

  if (!in_) return wrong;
  if (std::ferror(in_)) wrong = "cannot be read";
  if (!pipe_) std::fclose(in_);
  else {
    const int status = pclose(in_);

    /* a gzip that is left before its end is killed by the pipe */
    if (ended_ && status == -1) wrong = "gzip cannot be run";
    else if (ended_ && WIFEXITED(status) && WEXITSTATUS(status) == 127) wrong = "it is compressed by gzip, and there is no program gzip to read it";
    else if (ended_ && status) wrong = "gzip finds it damaged, or it ends early";
  }
  in_ = nullptr;
  return wrong;
}

} // namespace goza::locality
