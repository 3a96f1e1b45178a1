/* For tests that take much memory. */
#pragma once

namespace goza_test {

/* Whether the host can give so much now, to this process's group of processes, too. */
bool host_has(double bytes);

/* Whether memory that was got and is only read takes none: its pages are one of zeros. */
bool unwritten_memory_is_free();

} // namespace goza_test
