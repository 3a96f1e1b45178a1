/* Zeroed host memory. Large blocks lie in huge pages where the system grants them: a product reads its matrix through, and with pages of 4 KiB waits for
   translations (27-point 96^3 on one core: a third of the time). */
#pragma once
#include <cstddef>

namespace goza
{
namespace host_memory
{

void *allocate(std::size_t bytes); // throws std::bad_alloc
void  deallocate(void *p, std::size_t bytes) noexcept;
/* The first `fewer` bytes; large blocks stay where they are, and whole pages behind them are free. Throws std::bad_alloc. */
void *shorten(void *p, std::size_t bytes, std::size_t fewer);

} // namespace host_memory
} // namespace goza
