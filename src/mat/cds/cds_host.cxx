/* A CDS matrix times a vector on the host, `length` nodes at a time. Each component of the sums is a list of terms a[i] * x[i * bs], added up to six at a time
   in loops over consecutive words, which the compiler turns into vector instructions.

   In half storage a chunk's values serve the rows below, too, while they are in the caches: gathered by those rows later, they would have to wait in the cache
   for a plane of the grid, and are several times as many bytes as the sums of so many rows. The sums of the rows that are not
   complete yet are kept in a ring. */
#include "cds_host.hpp"

namespace goza::mat {
namespace {

#if defined(__AVX512F__)
constexpr bool wide = true;
#else
constexpr bool wide = false;
#endif

constexpr PetscInt nodes_at_once(int bs) // a power of two
{
  return (wide ? cds_host_nodes_wide : cds_host_nodes) / (bs == 1 ? 1 : bs == 2 ? 2 : bs <= 4 ? 4 : 8);
}

/* Sums of a component in the ring: a power of two. */
std::size_t ring_size(int bs, PetscInt reach)
{
  const std::size_t length = nodes_at_once(bs);
  std::size_t       size   = length;

  while (size < static_cast<std::size_t>(reach) + length) size *= 2;
  return size;
}

/* loop(stride) over rows that are so far apart: next to each other where nodes have one unknown. */
template <class Loop> void with_stride(int bs, const Loop &loop)
{
  if (bs == 1) loop(std::integral_constant<PetscInt, 1>());
  else loop(static_cast<PetscInt>(bs));
}

/* The sums of n rows from `first` on. */
template <class Out, class V> void put(const Out &out, PetscInt first, PetscInt n, int bs, const V *sum)
{
  with_stride(bs, [=](auto stride) {
    for (PetscInt i = 0; i < n; i++) out(first + i * stride, sum[i]);
  });
}

/* One sum over all rows would be a chain of additions: the vector unit adds up eight side by side. */
template <class V> V dot_on_host(PetscInt n, int bs, const V *w, const V *y)
{
  constexpr int  width = 8;
  const PetscInt whole = n / width * width;
  V              part[width]{}, sum = 0;

  with_stride(bs, [&](auto stride) {
    for (PetscInt i = 0; i < whole; i += width)
      for (int k = 0; k < width; k++) part[k] += PetscConj(w[(i + k) * stride]) * y[(i + k) * stride];
    for (PetscInt i = whole; i < n; i++) part[i - whole] += PetscConj(w[i * stride]) * y[i * stride];
  });
  for (int k = 0; k < width; k++) sum += part[k];
  return sum;
}

template <class V> void put(const WithDots<V> &out, PetscInt first, PetscInt n, int bs, const V *sum)
{
  V *const y = out.y + first;

  put(Assign<V>{out.y}, first, n, bs, sum);
  thread_sum<V>(0) += dot_on_host(n, bs, out.w + first, y);
  if (out.squares) thread_sum<V>(1) += dot_on_host(n, bs, y, y);
}

/* What becomes of sums: the loops above are compiled once for each output, and those below once for all. */
template <class V> struct Output {
  const void *out;
  void (*put)(const void *out, PetscInt first, PetscInt n, int bs, const V *sum);
};

template <class Out, class V> void put_any(const void *out, PetscInt first, PetscInt n, int bs, const V *sum)
{
  run_on_host([=] { put(*static_cast<const Out *>(out), first, n, bs, sum); });
}

template <class Store, class V, int bs> struct CdsOnHost {
  const CdsView<Store> &A;
  bool                  half;
  const V              *x;
  V                    *sums;

  void operator()(const Output<V> &out) const
  {
    Ring ring(sums, ring_size(bs, half && A.ndiag ? A.offset[A.ndiag - 1] : 0));

    for (PetscInt begin = 0; begin < A.nrows; begin += length) {
      const PetscInt end = begin + length < A.nrows ? begin + length : A.nrows;

      for (int r = 0; r < bs; r++) {
        add_rows(r, begin, end, ring);
        if (half) add_columns(r, begin, end, ring);
      }
      for (int r = 0; r < bs; r++) {
        V *const sum = ring.from(r, begin);

        out.put(out.out, begin * bs + r, end - begin, bs, sum);
        std::fill(sum, sum + (end - begin), V(0)); // none is added to beyond the last row
      }
    }
  }

private:
  static constexpr PetscInt length = nodes_at_once(bs);
  static constexpr int      six    = 6;

  struct Term {
    const Store *a;
    const V     *x;
    PetscInt     from, to; // the nodes for which it is there
  };

  /* The sums of the nodes from a chunk's first to the last that its columns reach; a chunk's own stand together. */
  class Ring {
  public:
    Ring(V *sums, std::size_t size) : size_(size), sum_(sums) { }
    /* The sums of component r from node i on, and the node before which they end: the next one's stands elsewhere. */
    V          *from(int r, PetscInt i) const { return &sum_[r * size_ + (i & (size_ - 1))]; }
    std::size_t end_of_run(PetscInt i) const { return (i | (size_ - 1)) + 1; }

  private:
    std::size_t size_;
    V          *sum_; // [bs][size]
  };

  /* Terms of nearly the same nodes, one group after the other. */
  class Group {
  public:
    Group(Ring &ring, int r, RealOf<V> imaginary) : ring_(ring), r_(r), imaginary_(imaginary) { }
    void add(const Term &t)
    {
      if (t.from >= t.to) return;
      term_[n_++] = t;
      if (n_ == six) flush();
    }
    void flush()
    {
      PetscInt low = 0, high = n_ ? term_[0].to : 0;

      for (int u = 0; u < n_; u++) {
        low  = PetscMax(low, term_[u].from);
        high = PetscMin(high, term_[u].to);
      }
      high = PetscMax(low, high);
      for (int u = 0; u < n_; u++) {
        add_piece(1, term_ + u, term_[u].from, PetscMin(low, term_[u].to));
        add_piece(1, term_ + u, PetscMax(high, term_[u].from), term_[u].to);
      }
      if (n_) add_piece(n_, term_, low, high);
      n_ = 0;
    }

  private:
    void add_piece(int n, const Term *t, PetscInt from, PetscInt to)
    {
      while (from < to) {
        const PetscInt end = static_cast<PetscInt>(std::min<std::size_t>(to, ring_.end_of_run(from)));

        add_terms(n, t, from, end, ring_.from(r_, from), imaginary_);
        from = end;
      }
    }
    GOZA_FOR_EACH_PROCESSOR static void add_terms(int n, const Term *t, PetscInt from, PetscInt to, V *sum, RealOf<V> imaginary)
    {
      if (n == 1) add<1>(t, from, to, sum, imaginary);
      else if (n == 2) add<2>(t, from, to, sum, imaginary);
      else if (n == 3) add<3>(t, from, to, sum, imaginary);
      else if (n == 4) add<4>(t, from, to, sum, imaginary);
      else if (n == 5) add<5>(t, from, to, sum, imaginary);
      else add<six>(t, from, to, sum, imaginary);
    }
    /* sum is nobody else's: loops over twelve arrays are vectorised only where the compiler knows. */
    template <int n> static void add(const Term *t, PetscInt from, PetscInt to, V *PETSC_RESTRICT sum, [[maybe_unused]] RealOf<V> imaginary)
    {
      const Store *a[n];
      const V     *x[n];

      for (int u = 0; u < n; u++) {
        a[u] = t[u].a;
        x[u] = t[u].x;
      }
      for (PetscInt i = from; i < to; i++) {
        V s = sum[i - from];

        for (int u = 0; u < n; u++) {
          if constexpr (is_pair<V>) {
            const V value = static_cast<V>(a[u][i]);

            s += V(value.real(), imaginary * value.imag()) * x[u][i * bs];
          } else s += static_cast<V>(a[u][i]) * x[u][i * bs];
        }
        sum[i - from] = s;
      }
    }

    Ring     &ring_;
    int       r_, n_ = 0;
    RealOf<V> imaginary_; // what the imaginary parts of the values are multiplied by
    Term      term_[six];
  };

  const Store *at(PetscInt d, int r, int c) const { return A.val + ((d * bs + r) * bs + c) * A.ld; }

  RealOf<V> mirrored_imaginary() const
  {
#if PetscDefined(USE_COMPLEX)
    if (A.hermitian) return -1;
#endif
    return 1;
  }

  /* What rows begin .. end - 1 store for themselves. */
  void add_rows(int r, PetscInt begin, PetscInt end, Ring &ring) const
  {
    Group group(ring, r, 1);

    for (PetscInt d = 0; d < A.ndiag; d++) {
      const PetscInt o = A.offset[d];

      for (int c = 0; c < bs; c++) group.add({at(d, r, c), x + (o * bs + c), PetscMax(begin, -o), PetscMin(end, A.ncols - o)});
    }
    group.flush();
  }

  /* And for rows below. Neighbouring diagonals reach nearly the same ones. */
  void add_columns(int r, PetscInt begin, PetscInt end, Ring &ring) const
  {
    Group group(ring, r, mirrored_imaginary());

    for (PetscInt d = 0; d < A.ndiag; d++) {
      const PetscInt o = A.offset[d];

      if (o > 0 && begin < A.nrows - o) {
        for (int c = 0; c < bs; c++) group.add({at(d, c, r) - o, x + (c - o * bs), begin + o, PetscMin(end, A.nrows - o) + o});
      }
      if (d + 1 < A.ndiag && A.offset[d + 1] > o + 1) group.flush();
    }
    group.flush();
  }
};

} // namespace

std::size_t cds_host_sums(int bs, PetscInt reach) { return ring_size(bs, reach) * bs; }

template <class Store, class V, class Out> void cds_on_host(int bs, bool half, const CdsView<Store> &A, const V *x, const Out &out, V *sums)
{
  sum_up_on_host(out, [&] {
    const Output<V> output{&out, put_any<Out, V>};

    if (bs == 1) CdsOnHost<Store, V, 1>{A, half, x, sums}(output);
    else if (bs == 2) CdsOnHost<Store, V, 2>{A, half, x, sums}(output);
    else if (bs == 3) CdsOnHost<Store, V, 3>{A, half, x, sums}(output);
    else CdsOnHost<Store, V, 6>{A, half, x, sums}(output);
  });
}

template void cds_on_host(int, bool, const CdsView<PetscScalar> &, const PetscScalar *, const Assign<PetscScalar> &, PetscScalar *);
template void cds_on_host(int, bool, const CdsView<PetscScalar> &, const PetscScalar *, const WithDots<PetscScalar> &, PetscScalar *);
#define INSTANTIATE_CDS_SUMS(View, Store, V) template void cds_on_host(int, bool, const View<Store> &, const V *, const ScaledOut<V> &, V *);
FOR_EACH_STORE(INSTANTIATE_CDS_SUMS, CdsView)

} // namespace goza::mat
