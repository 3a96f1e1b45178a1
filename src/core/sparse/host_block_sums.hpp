/* Products of small dense blocks on the host. */
#pragma once
#include "csr.hpp"
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace goza {

/* A block of rows x cols that many are multiplied with: its values, where the sizes are known when this is compiled, or where they stand. */
template <int rows, int cols> class Factor {
public:
  Factor(const PetscScalar *a, PetscInt lda)
  {
    for (int i = 0; i < rows; i++) std::copy_n(a + i * lda, cols, value_ + i * cols);
  }
  PetscScalar operator()(PetscInt i, PetscInt j) const { return value_[i * cols + j]; }

private:
  PetscScalar value_[rows * cols];
};
template <> class Factor<0, 0> {
public:
  Factor(const PetscScalar *a, PetscInt lda) : a_(a), lda_(lda) { }
  const PetscScalar *row(PetscInt i) const { return a_ + i * lda_; }

private:
  const PetscScalar *a_;
  PetscInt           lda_;
};

struct BlockSize {
  PetscInt rows, middle, cols;
};

/* n numbers that the processor takes at once; one that is not real alone. */
template <int n, class T> struct Vector {
  typedef T Type __attribute__((vector_size(n * sizeof(T))));
};
template <class T> struct Vector<1, T> {
  using Type = T;
};

/* n columns of the block c [R][K], which become or get those of a b, the rows of b ldb apart: compilers find no such vectors in rows of 6. s: 0 .. M - 1 */
template <int n, int K, int R, int M, int... s>
void add_columns(std::integer_sequence<int, s...>, const Factor<R, M> &a, const PetscScalar *__restrict__ b, PetscInt ldb, PetscScalar *__restrict__ c,
                 bool first)
{
  using V = typename Vector<n, PetscScalar>::Type;
  V x[M];

  (std::memcpy(x + s, b + s * ldb, sizeof(V)), ...);
  for (int i = 0; i < R; i++, c += K) {
    V sum = a(i, 0) * x[0], before;

    ((s ? void(sum += a(i, s) * x[s]) : void()), ...);
    if (!first) {
      std::memcpy(&before, c, sizeof(V));
      sum += before;
    }
    std::memcpy(c, &sum, sizeof(V));
  }
}

/* n columns of a row of it, whose sums stay in registers. */
template <int n>
void add_strip(PetscInt middle, const PetscScalar *__restrict__ a, const PetscScalar *__restrict__ b, PetscInt ldb, PetscScalar *__restrict__ c, bool first)
{
  PetscScalar sum[n] = {};

  for (PetscInt s = 0; s < middle; s++)
    for (int j = 0; j < n; j++) sum[j] += a[s] * b[s * ldb + j];
  for (int j = 0; j < n; j++) c[j] = first ? sum[j] : c[j] + sum[j];
}

/* The block c [rows][cols] becomes or gets a b. K: cols, where it is known when this is compiled. */
template <int K, int R, int M>
void add_block([[maybe_unused]] BlockSize size, const Factor<R, M> &a, const PetscScalar *b, PetscInt ldb, PetscScalar *c, bool first)
{
  if constexpr (R == 0) {
    for (PetscInt i = 0; i < size.rows; i++, c += size.cols) {
      PetscInt j = 0;

      for (; j + 8 <= size.cols; j += 8) add_strip<8>(size.middle, a.row(i), b + j, ldb, c + j, first);
      for (; j + 4 <= size.cols; j += 4) add_strip<4>(size.middle, a.row(i), b + j, ldb, c + j, first);
      for (; j < size.cols; j++) add_strip<1>(size.middle, a.row(i), b + j, ldb, c + j, first);
    }
  } else {
    constexpr int                                n = std::is_floating_point_v<PetscScalar> ? 4 : 1, fours = K / n * n;
    constexpr std::make_integer_sequence<int, M> terms{};

    for (int j = 0; j < fours; j += n) add_columns<n, K>(terms, a, b + j, ldb, c + j, first);
    if constexpr ((K - fours) / 2) add_columns<2, K>(terms, a, b + fours, ldb, c + fours, first);
    if constexpr (K % 2 && n > 1) add_columns<1, K>(terms, a, b + (K - 1), ldb, c + (K - 1), first);
  }
}

} // namespace goza
