/* Where a fuzzer is, in a file that survives a crash: "seed step side done refused", and behind it a line of each rank: the error that the step has ended with
   there, which others may wait for in vain. For whoever started it. */
#pragma once

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace goza_fuzz {

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
    if (text) snprintf(text, place, "%lu %ld %d %ld %ld\n", seed, step, side, done_, refused_);
  }
  void failed(int rank, const std::string &message) /* empty: nothing has */
  {
    if (!text || rank >= ranks) return;
    char *mine = text + (1 + rank) * line;
    if (message.empty()) *mine = 0;
    else std::strncpy(mine, message.c_str(), line - 1);
  }
  void counts(long done, long refused) /* of the seeds so far */
  {
    done_    = done;
    refused_ = refused;
  }

private:
  static constexpr std::size_t line = 256, place = 128;
  static constexpr int         ranks = 8;
  static constexpr std::size_t size  = (1 + ranks) * line;
  char                        *text  = nullptr;
  long                         done_ = 0, refused_ = 0;
};

} // namespace goza_fuzz
