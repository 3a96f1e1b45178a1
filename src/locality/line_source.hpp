/* The lines of a text file, plain or compressed by gzip, which its first bytes tell. */
#pragma once
#include "core/rooms.hpp"
#include <cstdio>
#include <string>

namespace goza::locality
{

class LineSource {
public:
  explicit LineSource(const std::string &file);
  ~LineSource();
  LineSource(const LineSource &)            = delete;
  LineSource &operator=(const LineSource &) = delete;

  bool        opened() const { return in_ != nullptr; }
  bool        gzip() const { return pipe_; }
  bool        next(std::string &line); // false: there are no more
  std::string close();                 // when all that is wanted was read, or next() was false: what went wrong, or nothing

private:
  std::FILE  *in_   = nullptr;
  bool        pipe_ = false, ended_ = false;
  char       *buffer_ = nullptr;
  std::size_t size_   = 0;
};

} // namespace goza::locality
