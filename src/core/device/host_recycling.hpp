/* Fresh memory is slow: the kernel clears every page, and on a virtual machine its host may have to find one first. While one of these lives, large host blocks
   that are freed wait for the next that are allocated; what is left over at the end goes back to the system. */
#pragma once

namespace goza
{
namespace host_memory
{

class Recycling {
public:
  Recycling();
  ~Recycling();
  Recycling(const Recycling &)            = delete;
  Recycling &operator=(const Recycling &) = delete;
};

} // namespace host_memory
} // namespace goza
