/* Four consecutive rows a thread: values of less than 8 bytes come in whole words, and the outputs go so. */
#pragma once
#include "for_each_row.hpp"

namespace goza {

#if defined(__CUDACC__)
/* p[0 .. 3], p aligned to 4, of what the kernel does not write. */
template <class T, class V> __device__ inline void load_four(const T *p, V *v)
{
  using Words         = std::conditional_t<sizeof(T) == 2, uint2, uint4>;
  constexpr int words = 4 * sizeof(T) / sizeof(Words);

  union
  {
    Words word[words];
    T     value[4];
  } four;

  for (int k = 0; k < words; k++) four.word[k] = __ldg(reinterpret_cast<const Words *>(p) + k);
  for (int r = 0; r < 4; r++) v[r] = static_cast<V>(four.value[r]);
}

template <class V> class FourRows {
public:
  /* The outputs in whole words as well: scalars of threads that are four apart would take as many requests for each as for all. One word after the other: all
     that an output may read for four rows of doubles would take registers that the sums' loads need. */
  template <class Out> static __device__ void finish(const Out &out, PetscInt i, const V *sum)
  {
  #pragma unroll
    for (int r = 0; r < 4; r += in_word) finish_word(out, i + r, sum + r);
  }

private:
  static constexpr int in_word = sizeof(uint4) / sizeof(V); // rows

  static __device__ void finish_word(const ScaledOut<V> &out, PetscInt i, const V *sum)
  {
    V s[in_word], b[in_word], dinv[in_word], x[in_word], y[in_word];

    for (int r = 0; r < in_word; r++) s[r] = out.factor * sum[r];
    if (out.scale) {
      fetch(out.scale + i, y);
      for (int r = 0; r < in_word; r++) s[r] *= y[r];
    }
    if (out.b) fetch(out.b + i, b);
    if (out.dinv) {
      fetch(out.dinv + i, dinv);
      fetch(out.x + i, x);
    }
    switch (out.kind) {
    case ScaledOut<V>::assign:
      each(Assign<V>{y}, s);
      break;
    case ScaledOut<V>::add:
      each(Add<V>{b, y}, s);
      break;
    case ScaledOut<V>::residual:
      each(Residual<V>{b, y}, s);
      break;
    case ScaledOut<V>::jacobi:
      each(JacobiStep<V>{out.omega, dinv, b, x, y, out.divide}, s);
    }
    store(out.y + i, y);
  }
  static __device__ void finish_word(const WithDots<V> &out, PetscInt i, const V *sum)
  {
    V           w[in_word], y[in_word];
    WithDots<V> here = out;

    fetch(out.w + i, w);
    here.w = w;
    here.y = y;
    each(here, sum);
    store(out.y + i, y);
  }

  template <class Any> static __device__ void each(const Any &out, const V *s)
  {
    for (int r = 0; r < in_word; r++) out(r, s[r]);
  }

  union Word
  {
    uint4 word;
    V     value[in_word];
  };

  static __device__ bool is_word(const V *p) { return reinterpret_cast<std::uintptr_t>(p) % sizeof(uint4) == 0; }

  /* What this kernel may write: load_four() is for what it does not. */
  static __device__ void fetch(const V *p, V *v)
  {
    Word all;

    if (is_word(p)) all.word = *reinterpret_cast<const uint4 *>(p);
    else
      for (int r = 0; r < in_word; r++) all.value[r] = p[r];
    for (int r = 0; r < in_word; r++) v[r] = all.value[r];
  }

  static __device__ void store(V *p, const V *v)
  {
    Word all;

    for (int r = 0; r < in_word; r++) all.value[r] = v[r];
    if (is_word(p)) *reinterpret_cast<uint4 *>(p) = all.word;
    else
      for (int r = 0; r < in_word; r++) p[r] = v[r];
  }
};
#endif

} // namespace goza
