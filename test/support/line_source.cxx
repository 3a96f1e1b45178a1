#include "line_source.hpp"
#include <algorithm>

namespace goza_test {

bool LineSource::next(std::string &line)
{
  line.clear();
  while (in_) {
    if (at_ == end_) {
      const int n = gzread(in_, buffer_.data(), static_cast<unsigned>(buffer_.size()));

      ended_  = n <= 0;
      failed_ = n < 0;
      if (ended_) return !line.empty();
      at_  = 0;
      end_ = static_cast<std::size_t>(n);
    }
    const auto begin = buffer_.begin() + at_, end = buffer_.begin() + end_, stop = std::find(begin, end, '\n');

    line.append(begin, stop);
    at_ = stop - buffer_.begin() + (stop != end);
    if (stop != end) return true;
  }
  return false;
}

std::string LineSource::close()
{
  std::string wrong;

  if (!in_) return wrong;
  const int status = gzclose(in_); // Z_BUF_ERROR: the last read ended inside a compressed stream

  in_ = nullptr;
  if (ended_ && (failed_ || status != Z_OK)) wrong = gzip_ ? "its compressed data are damaged, or end early" : "cannot be read";
  return wrong;
}

} // namespace goza_test
