/* The lines of a text file, plain or compressed by gzip, which its first bytes tell. */
#pragma once
#include <string>
#include <vector>
#include <zlib.h>

namespace goza_test {

class LineSource {
public:
  explicit LineSource(const std::string &file) : in_(gzopen(file.c_str(), "rb")), buffer_(1 << 16) { }
  ~LineSource() { (void)close(); }
  LineSource(const LineSource &)            = delete;
  LineSource &operator=(const LineSource &) = delete;

  bool        opened() const { return in_ != nullptr; }
  bool        gzip() const { return gzip_; }
  bool        next(std::string &line); // false: there are no more
  std::string close();                 // when all that is wanted was read, or next() was false: what went wrong, or nothing

private:
  gzFile            in_;
  bool              gzip_ = in_ && !gzdirect(in_), ended_ = false, failed_ = false;
  std::vector<char> buffer_;
  std::size_t       at_ = 0, end_ = 0;
};

} // namespace goza_test
