/* Where a fuzzer is, in a file that survives a crash: "seed step side done refused", for whoever started it. */
#pragma once

#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace goza_fuzz
{

class Progress {
public:
  explicit Progress(const std::string &file) // empty: nowhere
  {
    if (file.empty()) return;
    const int fd = open(file.c_str(), O_RDWR | O_CREAT, 0644);
    if (fd < 0 || ftruncate(fd, size)) return;
    void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (p != MAP_FAILED) text = static_cast<char *>(p);
  }

  void at(unsigned long seed, long step, int side)
  {
    if (text) snprintf(text, size, "%lu %ld %d %ld %ld\n", seed, step, side, done_, refused_);
  }
  void counts(long done, long refused) /* of the seeds so far */
  {
    done_    = done;
    refused_ = refused;
  }

private:
  static constexpr std::size_t size  = 128;
  char                        *text  = nullptr;
  long                         done_ = 0, refused_ = 0;
};

} // namespace goza_fuzz
