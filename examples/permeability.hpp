/* The permeability fields of darcy.cxx. A cell's value depends on its global indices and the seed alone, not on the number of ranks. */
#pragma once
#include <petscsys.h>
#include <vector>

struct Permeability {
  PetscInt  kind        = 0;   /* index in names */
  PetscReal sigma       = 1.5; /* lognormal: of log K */
  PetscInt  correlation = 3;   /* lognormal: length in cells */
  PetscReal contrast    = 1e3; /* blocks */
  PetscInt  block       = 8;   /* blocks: cells a side */
  PetscInt  seed        = 1;

  static constexpr const char *names[] = {"constant", "lognormal", "blocks"};

  /* K of the w[0] x w[1] x w[2] cells from s on, in a grid of n[0] x n[1] x n[2]; s may be -1 and s + w may be n + 1: those cells are never read. x runs
     fastest. */
  std::vector<PetscReal> field(const PetscInt n[], const PetscInt s[], const PetscInt w[]) const
  {
    std::vector<PetscReal> K((size_t)w[0] * w[1] * w[2], 1);
    size_t                 c = 0;

    if (kind == 1) return lognormal(n, s, w);
    for (PetscInt k = s[2]; k < s[2] + w[2]; k++) {
      for (PetscInt j = s[1]; j < s[1] + w[1]; j++) {
        for (PetscInt i = s[0]; i < s[0] + w[0]; i++, c++) {
          if (kind == 2 && uniform((i + block) / block + 100003 * ((j + block) / block + (PetscInt64)100003 * ((k + block) / block))) < 0.5) K[c] = contrast;
        }
      }
    }
    return K;
  }

private:
  /* A number in (0,1) from an index (splitmix64) */
  PetscReal uniform(PetscInt64 index) const
  {
    unsigned long long z = (unsigned long long)index + 0x9E3779B97F4A7C15ULL * (unsigned long long)(seed + 1);

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z = z ^ (z >> 31);
    return ((PetscReal)(z >> 41) + 0.5) / 8388608; /* 23 bits: exact in single precision too */
  }

  /* exp(sigma g): g is white noise filtered by a Gaussian in each direction, of variance 1 and correlation exp(-t^2 / (2 correlation^2)) at a distance of t
     cells */
  std::vector<PetscReal> lognormal(const PetscInt n[], const PetscInt s[], const PetscInt w[]) const
  {
    const PetscInt         reach = 3 * correlation;
    PetscInt               size[3], from[3];
    std::vector<PetscReal> weight(2 * reach + 1), g, next;
    PetscReal              squares = 0;
    size_t                 c       = 0;

    for (PetscInt t = -reach; t <= reach; t++) {
      weight[t + reach] = correlation ? PetscExpReal(-(PetscReal)(t * t) / ((PetscReal)correlation * correlation)) : 1;
      squares += weight[t + reach] * weight[t + reach];
    }
    for (PetscReal &v : weight) v /= PetscSqrtReal(squares);
    for (int d = 0; d < 3; d++) {
      from[d] = s[d] - reach;
      size[d] = w[d] + 2 * reach;
    }
    g.resize((size_t)size[0] * size[1] * size[2]);
    for (PetscInt k = 0; k < size[2]; k++) { /* white noise: Box and Muller */
      for (PetscInt j = 0; j < size[1]; j++) {
        for (PetscInt i = 0; i < size[0]; i++) {
          const PetscInt   pad  = reach + 1;
          const PetscInt64 cell = (from[0] + i + pad) +
                                  (PetscInt64)(n[0] + 2 * pad) * ((from[1] + j + pad) + (PetscInt64)(n[1] + 2 * pad) * (from[2] + k + pad));

          g[c++] = PetscSqrtReal(-2 * PetscLogReal(uniform(2 * cell))) * PetscCosReal(2 * PETSC_PI * uniform(2 * cell + 1));
        }
      }
    }
    for (int d = 0; d < 3; d++) { /* filtered, one direction after the other; the array shrinks */
      PetscInt out[3] = {size[0], size[1], size[2]};
      size_t   stride = 1, o = 0;

      out[d] = w[d];
      for (int e = 0; e < d; e++) stride *= size[e];
      next.assign((size_t)out[0] * out[1] * out[2], 0);
      for (PetscInt k = 0; k < out[2]; k++) {
        for (PetscInt j = 0; j < out[1]; j++) {
          for (PetscInt i = 0; i < out[0]; i++, o++) {
            const PetscReal *in = g.data() + i + size[0] * (j + (size_t)size[1] * k);

            for (size_t t = 0; t < weight.size(); t++) next[o] += weight[t] * in[t * stride];
          }
        }
      }
      g.swap(next);
      size[d] = out[d];
    }
    for (PetscReal &v : g) v = PetscExpReal(sigma * v);
    return g;
  }
};
