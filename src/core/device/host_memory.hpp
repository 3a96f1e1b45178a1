/* Host memory. The largest blocks lie in huge pages where the system grants them: a product reads its matrix through, and with pages of 4 KiB waits for
   translations. Not the others, which are the C library's, so that those come first that have been freed: they have their pages already. A virtual machine that
   reports free huge pages to its host has them taken away, and touching them again can take several times as long as small pages do. */
#pragma once
#include <cstddef>

namespace goza::host_memory {

void *allocate(std::size_t bytes);       // throws std::bad_alloc
void *allocate_unset(std::size_t bytes); // the same with what lay there before, where something did
void  deallocate(void *p, std::size_t bytes) noexcept;
/* The first `fewer` bytes; large blocks stay where they are, and whole pages behind them are free. Throws std::bad_alloc. */
void *shorten(void *p, std::size_t bytes, std::size_t fewer);

} // namespace goza::host_memory
