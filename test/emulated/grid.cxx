#include "grid.hpp"
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <vector>

/* (where to keep the stack's pointer, the stack to go on with): what a function must not change is on the stacks. */
extern "C" void emulated_switch(void **from, void *to);
asm(R"(
.globl emulated_switch
.hidden emulated_switch
.type emulated_switch, @function
emulated_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulated_switch, .-emulated_switch
)");

thread_local uint3 threadIdx{}, blockIdx{};
thread_local dim3  blockDim, gridDim;

namespace emulated {

thread_local Thread *self = nullptr;

/* Lanes of a warp that wait for one another, by their mask. */
struct Exchange {
  unsigned      mask = 0, arrived = 0;
  std::uint64_t times = 0;
  Values        given, seen;
};

struct Barrier {
  int           arrived = 0;
  std::uint64_t times   = 0;
  int           any = 0, seen = 0; // whether a value was not 0
};

/* The blocks of a grid that wait for one another. */
class Meeting {
public:
  explicit Meeting(unsigned blocks) : expected_(blocks) { }
  void come()
  {
    std::unique_lock<std::mutex> lock(guard_);
    const std::uint64_t          now = times_;

    if (++arrived_ == expected_) end();
    else all_there_.wait(lock, [&] { return times_ != now; });
  }
  void leave()
  {
    const std::unique_lock<std::mutex> lock(guard_);

    if (--expected_ && arrived_ == expected_) end();
  }

private:
  void end()
  {
    arrived_ = 0;
    times_++;
    all_there_.notify_all();
  }

  std::mutex              guard_;
  std::condition_variable all_there_;
  unsigned                expected_, arrived_ = 0;
  std::uint64_t           times_ = 0;
};

struct Block {
  const char                      *name; // of the kernel
  uint3                            index;
  dim3                             size, grid;
  const std::function<void()>     &kernel;
  Meeting                         *meeting;
  std::vector<unsigned char>       memory;
  std::vector<Thread>              threads   = {};
  std::vector<unsigned>            lanes     = {}; // of each warp: those that run
  std::vector<std::list<Exchange>> exchanges = {}; // of each warp
  int                              running   = 0;
  std::uint64_t                    progress  = 0; // of which nothing is seen where threads wait in vain
  void                            *stack     = nullptr;
  Barrier                          all = {}, named[16] = {};
};

namespace {

[[noreturn]] void give_up(const char *what, const char *name)
{
  std::fprintf(stderr, "emulated: %s: %s\n", what, name);
  std::abort();
}

/* Of the threads of a block, kept for the next one. */
class Stacks {
public:
  ~Stacks()
  {
    if (memory_) munmap(memory_, most * bytes);
  }
  void **end(int k)
  {
    if (!memory_) memory_ = static_cast<char *>(mmap(nullptr, most * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (memory_ == MAP_FAILED) give_up("no memory for stacks", "");
    return reinterpret_cast<void **>(memory_ + (k + 1) * bytes);
  }

private:
  static constexpr std::size_t most = 1024, bytes = 64 << 10;

  char *memory_ = nullptr;
};

void wait()
{
  Thread *const mine = self;

  emulated_switch(&mine->stack, mine->block->stack);
}

void end(Block &block, Exchange &e)
{
  e.arrived = 0;
  e.times++;
  std::memcpy(e.seen, e.given, sizeof(e.seen));
  block.progress++;
}

/* Lanes that have ended do not come any more. */
bool all_there(const Block &block, int warp, const Exchange &e) { return ((e.arrived | ~block.lanes[warp]) & e.mask) == e.mask; }

void end(Block &block, Barrier &barrier)
{
  barrier.seen    = barrier.any;
  barrier.any     = 0;
  barrier.arrived = 0;
  barrier.times++;
  block.progress++;
}

void run_thread()
{
  Thread *const mine  = self;
  Block        &block = *mine->block;
  const int     warp  = mine->number / 32;

  block.kernel();
  mine->done = true;
  block.lanes[warp] &= ~(1u << mine->number % 32);
  block.progress++;
  if (--block.running && block.all.arrived == block.running) end(block, block.all);
  for (Exchange &e : block.exchanges[warp]) {
    if (e.arrived && all_there(block, warp, e)) end(block, e);
  }
  wait();
}

void begin_threads(Block &block, Stacks &stacks)
{
  const int n = static_cast<int>(block.size.x);

  block.threads.resize(n);
  block.lanes.assign((n + 31) / 32, 0);
  block.exchanges.resize((n + 31) / 32);
  block.running = n;
  for (int k = 0; k < n; k++) {
    void **stack = stacks.end(k);

    *--stack = nullptr; // so that the stack is aligned as after a call
    *--stack = reinterpret_cast<void *>(run_thread);
    for (int saved = 0; saved < 6; saved++) *--stack = nullptr;
    block.threads[k] = {&block, stack, {static_cast<unsigned>(k), 0, 0}, k, false};
    block.lanes[k / 32] |= 1u << k % 32;
  }
}

void run_block(Block &block)
{
  constexpr unsigned         most_in_vain = 50 * 1000 * 1000;
  static thread_local Stacks stacks;
  unsigned                   in_vain = 0;

  begin_threads(block, stacks);
  blockIdx = block.index;
  blockDim = block.size;
  gridDim  = block.grid;
  while (block.running) {
    const std::uint64_t before = block.progress;

    for (Thread &thread : block.threads) {
      if (thread.done) continue;
      self      = &thread;
      threadIdx = thread.index;
      emulated_switch(&block.stack, thread.stack);
    }
    self    = nullptr;
    in_vain = block.progress == before ? in_vain + 1 : 0;
    if (in_vain > 1000) std::this_thread::yield(); // for another rank, perhaps
    if (in_vain > most_in_vain) give_up("threads wait for others that have ended or wait elsewhere", block.name);
  }
  threadIdx = blockIdx = {};
  blockDim = gridDim = dim3();
}

/* The k-th in an order that nothing may rely on. */
uint3 block_of(dim3 grid, std::size_t k, std::size_t n)
{
  const std::size_t b = n - 1 - k;

  return {static_cast<unsigned>(b % grid.x), static_cast<unsigned>(b / grid.x % grid.y), static_cast<unsigned>(b / grid.x / grid.y)};
}

} // namespace

unsigned char *dynamic_memory() { return reinterpret_cast<unsigned char *>((reinterpret_cast<std::uintptr_t>(self->block->memory.data()) + 63) / 64 * 64); }

void yield()
{
  if (self) wait();
  else std::this_thread::yield();
}

int sync_block(int value)
{
  if (!self) return value != 0;
  Block              &block   = *self->block;
  Barrier            &barrier = block.all;
  const std::uint64_t now     = barrier.times;

  barrier.any |= value != 0;
  block.progress++;
  if (++barrier.arrived == block.running) end(block, barrier);
  while (barrier.times == now) wait();
  return barrier.seen;
}

void sync_grid()
{
  Block              &block   = *self->block;
  Barrier            &barrier = block.all;
  const std::uint64_t now     = barrier.times;

  if (!block.meeting) give_up("the blocks of a grid wait for one another that was not launched for it", block.name);
  block.progress++;
  if (++barrier.arrived == block.running) {
    block.meeting->come();
    end(block, barrier);
  }
  while (barrier.times == now) wait();
}

void sync_named(int number, int threads, bool waits)
{
  Block              &block   = *self->block;
  Barrier            &barrier = block.named[number];
  const std::uint64_t now     = barrier.times;

  block.progress++;
  if (++barrier.arrived == threads) end(block, barrier);
  while (waits && barrier.times == now) wait();
}

const Values &exchange(unsigned mask, const void *value, std::size_t bytes)
{
  if (!self) give_up("lanes are asked where the host runs", "");
  Block    &block = *self->block;
  const int lane = self->number % 32, warp = self->number / 32;
  Exchange *e = nullptr;

  if (!(mask >> lane & 1)) give_up("a lane asks others to which it does not belong", block.name);
  for (Exchange &known : block.exchanges[warp]) {
    if (known.mask == mask) e = &known;
  }
  if (!e) {
    e       = &block.exchanges[warp].emplace_back();
    e->mask = mask;
  }
  const std::uint64_t now = e->times;

  std::memcpy(e->given[lane], value, bytes);
  e->arrived |= 1u << lane;
  block.progress++;
  if (all_there(block, warp, *e)) end(block, *e);
  while (e->times == now) wait();
  return e->seen;
}

std::uint64_t nanoseconds()
{
  static std::uint64_t now = 0;

  return now += 1000 * 1000 * 1000;
}

void run(const char *name, dim3 blocks, int threads, std::size_t shared, bool whole_grid, const std::function<void()> &kernel)
{
  if (whole_grid) blocks = dim3(blocks.x < most_blocks ? blocks.x : most_blocks);
  const std::size_t n = static_cast<std::size_t>(blocks.x) * blocks.y * blocks.z;
  Meeting           meeting(static_cast<unsigned>(n));
  const auto        run_one = [&](std::size_t k) {
    Block block{name, block_of(blocks, k, n), dim3(threads), blocks, kernel, whole_grid ? &meeting : nullptr, std::vector<unsigned char>(shared + 64, 0xab)};

    run_block(block);
    meeting.leave();
  };

  if (!n || threads <= 0 || threads > 1024) give_up("a launch of no threads, or of more than a block has", name);
  if (std::getenv("EMULATED_TRACE")) std::fprintf(stderr, "emulated: %u x %u x %u blocks of %d: %s\n", blocks.x, blocks.y, blocks.z, threads, name);
  if (!whole_grid) {
    for (std::size_t k = 0; k < n; k++) run_one(k);
    return;
  }
  std::vector<std::thread> running;

  for (std::size_t k = 0; k < n; k++) running.emplace_back([&run_one, k] { run_one(k); });
  for (std::thread &t : running) t.join();
}

} // namespace emulated
