/* Kernels on the host, as CUDA's model has them: each thread of a block is a fiber, which runs until it waits for others; the blocks of a grid run one after
   the other, but where they wait for one another: then each is a thread. */
#pragma once
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

/* Of the thread that runs; on the host, the first of one. */
extern thread_local uint3 threadIdx, blockIdx;
extern thread_local dim3  blockDim, gridDim;

namespace emulated {

struct Block;

/* The thread that runs, or nullptr: the host does. */
struct Thread {
  Block *block;
  void  *stack; // where it waits
  uint3  index;
  int    number; // in its block
  bool   done;
};
extern thread_local Thread *self;

unsigned char *dynamic_memory(); // of the block

/* Others run. Nothing where the host does. */
void yield();

/* __syncthreads(), and whether the value of a thread is not 0; on the host, whose one thread waits for nobody, whether its own is not. The same for a grid's
   blocks that wait for one another; barriers for a part of the block, at which some need not wait. */
int  sync_block(int value);
void sync_grid();
void sync_named(int barrier, int threads, bool waits);

/* All lanes of the mask come here with a value of at most 16 bytes; those of all of them are there then, until the next time. */
constexpr std::size_t most_bytes = 16;
using Values                     = unsigned char[32][most_bytes];
const Values &exchange(unsigned mask, const void *value, std::size_t bytes);

constexpr unsigned most_blocks = 6; // of a grid whose blocks wait for one another

void run(const char *name, dim3 blocks, int threads, std::size_t shared, bool whole_grid, const std::function<void()> &kernel);

std::uint64_t nanoseconds(); // on the device: a second further each time, so that nothing waits for long

} // namespace emulated
