/* What a cycle has recorded, by the vectors that it came with. */
#pragma once
#include "core/device/recording.hpp"
#include "cycle.hpp"

namespace goza::saamg {

struct Recording {
  const PetscScalar *b      = nullptr;
  PetscScalar       *x      = nullptr;
  bool               narrow = false;
  void              *graph  = nullptr; // from the second time on that these vectors come
  PetscLogDouble     flops  = 0;
  RecordedExchanges  exchanges;

  ~Recording() { drop(); }
  void drop()
  {
    device::drop_recording(graph);
    graph = nullptr;
    b     = nullptr;
    x     = nullptr;
    exchanges.clear();
  }
};

class Recordings {
public:
  void drop()
  {
    for (Recording &r : all_) r.drop();
  }

  /* That of vectors which came not long ago; nullptr: they are new, and remembered. */
  Recording *known(const PetscScalar *b, PetscScalar *x, bool narrow)
  {
    for (Recording &r : all_)
      if (r.b == b && r.x == x && r.narrow == narrow) return &r;
    Recording &oldest = all_[next_++ % all_.size()];

    oldest.drop();
    oldest.b      = b;
    oldest.x      = x;
    oldest.narrow = narrow;
    return nullptr;
  }

private:
  std::array<Recording, 4> all_; // BiCGStab takes turns with two pairs of vectors
  unsigned                 next_ = 0;
};

} // namespace goza::saamg
