#include "shared_window.hpp"
#include "agree.hpp"
#include "core/device/refused_memory.hpp"
#include "mpi_call.hpp"
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <exception>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace goza::parallel {

/* A file in memory alone, which others open through /proc: a file in /dev/shm would be bounded by that file system's size, which in containers is small. */
namespace {

struct FileName {
  long          process = 0;
  int           file    = -1;
  std::uint64_t inode   = 0; // another process may have that number where ranks do not see one another's processes
};

class OpenFile {
public:
  OpenFile()                            = default;
  OpenFile(const OpenFile &)            = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  ~OpenFile()
  {
    if (file_ >= 0) (void)close(file_);
  }

  FileName create(std::size_t bytes)
  {
    if (memory_refused(bytes)) throw std::bad_alloc();
    file_ = static_cast<int>(syscall(SYS_memfd_create, "goza", 1U)); // closed where a process becomes another program
    if (file_ < 0) fail("memfd_create");
    if (ftruncate(file_, static_cast<off_t>(bytes))) fail("ftruncate");
    return {static_cast<long>(getpid()), file_, inode()};
  }

  void open_other(const FileName &name)
  {
    char path[64];

    std::snprintf(path, sizeof(path), "/proc/%ld/fd/%d", name.process, name.file);
    file_ = open(path, O_RDWR | O_CLOEXEC);
    if (file_ < 0) fail(path);
    if (inode() != name.inode) throw std::runtime_error("ranks of this host do not see one another's processes");
  }

  char *map(std::size_t bytes) const
  {
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);

    if (p == MAP_FAILED) throw std::bad_alloc();
    (void)madvise(p, bytes, MADV_HUGEPAGE); // where the system has them for such memory
    return static_cast<char *>(p);
  }

private:
  [[noreturn]] static void fail(const char *what) { throw std::runtime_error(std::string("memory in common: ") + what + ": " + std::strerror(errno)); }

  std::uint64_t inode() const
  {
    struct stat about;

    if (fstat(file_, &about)) fail("fstat");
    return about.st_ino;
  }

  int file_ = -1;
};

} // namespace

SharedWindow::SharedWindow(MPI_Comm ranks, std::size_t bytes)
{
  OpenFile    file;
  FileName    name;
  PetscMPIInt rank = 0;
  char       *data = nullptr;
  const auto  all  = [&](auto &&body) { // a rank that fails takes part in what the others do, and throws afterwards
    std::exception_ptr failed;

    try {
        body();
    } catch (...) {
        failed = std::current_exception();
    }
    AgreeNoFailure(ranks, !failed);
    if (failed) std::rethrow_exception(failed);
  };

  if (!bytes) return;
  must_mpi(MPI_Comm_rank(ranks, &rank), "MPI_Comm_rank");
  all([&] {
    if (!rank) name = file.create(bytes);
  });
  must_mpi(MPI_Bcast(&name, static_cast<PetscMPIInt>(sizeof(name)), MPI_BYTE, 0, ranks), "MPI_Bcast");
  try {
    all([&] {
      if (rank) file.open_other(name);
      data = file.map(bytes);
    });
  } catch (...) {
    if (data) (void)munmap(data, bytes);
    throw;
  }
  data_  = data;
  bytes_ = bytes;
}

PetscErrorCode CreateSharedWindow(MPI_Comm ranks, std::size_t bytes, SharedWindow *made)
{
  bool elsewhere = false;

  PetscFunctionBegin;
  *made                     = SharedWindow();
  const PetscErrorCode here = Guarded([&] {
    try {
      *made = SharedWindow(ranks, bytes);
    } catch (const FailedElsewhere &) {
      elsewhere = true;
    }
  });
  if (here || elsewhere) PetscCall(FailTogether(ranks, here, "have memory in common with its group"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void SharedWindow::pin()
{
  if (data_ && !pinned_) pinned_ = device::pin(data_, bytes_);
}

SharedWindow::~SharedWindow()
{
  if (!data_) return;
  if (pinned_) device::unpin(data_);
  (void)munmap(data_, bytes_);
}

/* --- waiting */

static void futex(const std::atomic<std::uint32_t> *at, int operation, std::uint32_t value, const timespec *limit)
{
  (void)syscall(SYS_futex, reinterpret_cast<const std::uint32_t *>(at), operation, value, limit, nullptr, 0);
}

void SharedCount::add()
{
  count_.fetch_add(1);
  if (asleep_.load()) futex(&count_, FUTEX_WAKE, INT_MAX, nullptr);
}

void SharedCount::wait_for(std::uint32_t wanted, std::chrono::microseconds awake, MPI_Comm comm)
{
  using std::chrono::steady_clock;
  const auto begin = steady_clock::now();
  long       sleep = 1000000; // nanoseconds

  while (now() != wanted && steady_clock::now() - begin < awake) std::this_thread::yield();
  for (std::uint32_t there = now(); there != wanted; there = now()) {
    const timespec limit{0, sleep};
    int            any = 0;

    asleep_.fetch_add(1);
    futex(&count_, FUTEX_WAIT, there, &limit);
    asleep_.fetch_sub(1);
    if (now() == wanted) return;
    must_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &any, MPI_STATUS_IGNORE), "MPI_Iprobe");
    if (sleep < 16000000) sleep *= 2;
  }
}

} // namespace goza::parallel
