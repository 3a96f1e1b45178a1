/* What the CUDA runtime tells of the device in use. In a build without CUDA there is none. */
#pragma once
#include <string>

namespace goza
{
namespace device
{

std::string name();          // "NVIDIA H200"; "none" where there is none
int         shared_memory(); // bytes of a multiprocessor's; 0 where there is none

} // namespace device
} // namespace goza
