/* The columns that a rank's rows have where a matrix lies on several ranks.

   Local numbers: 0 .. n-1 are the columns that the rank owns, n .. n + nghost-1 those of other ranks that its rows reach ("ghosts"), by ascending global
   number. What is kept for each column, a number or a row of a matrix, goes from owners to ghosts, or is collected from the ghosts by the owners. On one rank
   there are no ghosts, and nothing is sent. Errors are exceptions; all that is marked so is collective, and FailedElsewhere where another
   rank failed before it came so far (halo/agree.hpp). */
#pragma once
#include "core/sparse/csr_matrix.hpp"
#include "runs.hpp"

namespace goza::parallel {

/* The numbers alone. */
class LocalColumns {
public:
  LocalColumns(MPI_Comm comm, PetscInt n, Space space);                   // without ghosts. Collective
  LocalColumns(const LocalColumns &owners, std::vector<PetscInt> ghosts); // the same columns owned; ghosts: global numbers, ascending
  ~LocalColumns();
  LocalColumns(const LocalColumns &)            = delete;
  LocalColumns &operator=(const LocalColumns &) = delete;

  MPI_Comm                     comm() const { return comm_; }
  PetscMPIInt                  size() const { return size_; } // ranks
  PetscMPIInt                  rank() const { return rank_; }
  Space                        space() const { return space_; }
  PetscLayout                  layout() const { return layout_; }
  PetscInt                     n() const { return layout_->n; }
  PetscInt                     start() const { return layout_->rstart; } // global number of the first owned
  PetscInt                     nglobal() const { return layout_->N; }
  PetscInt                     nghost() const { return static_cast<PetscInt>(ghosts_.size()); }
  PetscInt                     nlocal() const { return n() + nghost(); }
  const std::vector<PetscInt> &ghosts() const { return ghosts_; }
  const Array<PetscInt>       &ghosts_here() const { return ghosts_here_; } // the same in the space

  /* Over all ranks, of host values. Collective. T: PetscScalar, std::int64_t, std::uint64_t */
  template <class T> void sum(T *values, int n) const;
  void                    largest(std::int64_t *value) const;
  bool                    any(bool here) const;
  bool                    all(bool here) const { return !any(!here); }

private:
  explicit LocalColumns(Space space); // of nothing yet: what the public constructors have taken is given back where they throw

protected:
  MPI_Comm              comm_ = MPI_COMM_NULL; // PETSc's own duplicate, held
  PetscMPIInt           size_ = 1, rank_ = 0;
  Space                 space_  = Space::Host;
  PetscLayout           layout_ = nullptr;
  std::vector<PetscInt> ghosts_;
  Array<PetscInt>       ghosts_here_;
};

class DeviceSums;
struct MapMailbox;

/* With who sends what to whom. */
class ColumnMap : public LocalColumns {
public:
  ColumnMap(MPI_Comm comm, PetscInt n, Space space);                   // collective
  ColumnMap(const LocalColumns &owners, std::vector<PetscInt> ghosts); // collective

  /* values[nlocal][width], in the space: those of the ghosts become their owners'. Collective. T: PetscInt, PetscScalar, std::uint64_t */
  template <class T> void update(T *values, PetscInt width = 1) const;
  template <class T> void update(Array<T> &values) const { update(values.data()); }

  /* As sum(), of values[n] in the space. Collective. */
  void sum_here(PetscScalar *values, PetscInt n) const;

  /* own[n][width] += what all ranks hold for their ghosts, ghosts[nghost][width], in the order of the ranks. Collective. */
  void add_from_ghosts(const PetscScalar *ghosts, PetscInt width, PetscScalar *own) const;

  /* own[n] become the largest of what the ranks hold for them. Collective. */
  void largest_of_ghosts(const PetscInt *ghosts, PetscInt *own) const;

  /* Runs of items between neighbours, in the space: those of message m of `sends` from out[out_begin[m]], to in[in_begin[m]] of message m of
     `receives`; the other way round where backward. Collective. */
  template <class T> void send_runs(bool backward, const T *out, const std::vector<PetscInt> &out_begin, T *in, const std::vector<PetscInt> &in_begin) const;

  const std::vector<HaloMessage> &sends() const { return sends_; }
  const std::vector<HaloMessage> &receives() const { return receives_; }
  PetscInt                        nsend() const { return static_cast<PetscInt>(send_index_.size()); }
  const Array<PetscInt>          &send_index() const { return send_index_; } // [nsend] owned columns that are ghosts elsewhere, message by message

  HaloPlan plan() const; // of an exchange of what is kept for each column

  /* Of the nsend() items that come back from other ranks' ghosts, those for owned column i are slot[slot_ptr[i]] .. slot[slot_ptr[i + 1] - 1]. */
  const Array<PetscInt> &slot_ptr() const;
  const Array<PetscInt> &slot() const;

private:
  void                        find();
  void                        group_slots() const;
  bool                        has_mailbox() const; // collective
  bool                        has_sums() const;    // collective
  std::shared_ptr<MapMailbox> make_mailbox(HaloPlan plan) const;

  RunRoute route_;
  // kept for what is updated or summed up again and again: it goes in one kernel, and the host waits for no device
  mutable std::shared_ptr<MapMailbox> mailbox_;
  mutable std::shared_ptr<DeviceSums> sums_; // the same
  mutable int                         updates_ = 0;
  mutable bool                        summed_  = false;
  Array<PetscInt>                     send_index_;
  std::vector<HaloMessage>            sends_, receives_;
  mutable Array<PetscInt>             slot_ptr_, slot_;
};

using MapPtr = std::shared_ptr<const ColumnMap>;

} // namespace goza::parallel
