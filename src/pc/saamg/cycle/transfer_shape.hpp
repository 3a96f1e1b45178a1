/* How a transfer of nodes' unknowns is stored in the cycle. */
#pragma once
#include "core/device/space.hpp"

namespace goza::saamg {

/* Whether by blocks, of_node of them in a node's row. Few short rows fill a device better one by one: some thousand nodes of 5 blocks are faster so, some
   hundred of 100 blocks slower. */
inline bool transfer_by_blocks(Space space, double nodes, double of_node) { return space == Space::Host || nodes >= 65536 || of_node >= 32; }

} // namespace goza::saamg
