/* A text of a line at most, which asks for no memory: where none may be left, and an exception could not be caught. */
#pragma once
#include <cstdarg>
#include <cstdio>

namespace goza {

class ShortText {
public:
  ShortText() = default;
  [[gnu::format(printf, 2, 3)]] explicit ShortText(const char *format, ...)
  {
    std::va_list list;

    va_start(list, format);
    (void)std::vsnprintf(text_, sizeof(text_), format, list);
    va_end(list);
  }

  bool        empty() const { return !text_[0]; }
  const char *c_str() const { return text_; }

private:
  char text_[256] = "";
};

} // namespace goza
