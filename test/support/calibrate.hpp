/* What a machine's memory does, measured with small kernels: a copy of growing arrays and a gather from random places. */
#pragma once
#include "locality/cost.hpp"

namespace goza_test
{

/* The known machine of this space with its memory, caches and launch as measured here; what its kernels cost goes with these. Takes about a second. */
goza::Machine calibrate(goza::Space space);

} // namespace goza_test
