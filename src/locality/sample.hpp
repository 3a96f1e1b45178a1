/* A small part of a pattern that stands for all of it: what a decision between formats needs to know, at the price of a few products.

   Row lengths come from windows of 4096 rows, which sliced ELL sorts in and Fold's chunks divide; columns from one block of up to 256 rows in each of them, as
   many as a GPU's block of threads takes. Up to 16 windows, in the middle of equal parts: of a matrix with at most 65536 rows the lengths are all there.
   The longest rows, which windows would miss, are counted in one pass over the row pointers, where these are. */
#pragma once
#include "core/csr.hpp"
#include <cstdint>
#include <vector>

namespace goza
{

constexpr PetscInt sample_window = 4096, sample_block = 256, sample_windows = 16;
constexpr PetscInt ordinary_row = 1024; // entries of a row up to which windows are trusted to show its kind

struct SampleWindow {
  PetscInt              begin = 0; // its first row
  std::vector<PetscInt> length;    // of its rows
  PetscInt              block = 0; // first row of its block
  std::vector<PetscInt> ptr, col;  // the block's rows, from 0
};

struct Sample {
  PetscInt                  rows = 0, cols = 0;
  std::int64_t              nnz       = 0;
  PetscInt                  longest   = 0;               // entries of the longest row
  std::int64_t              long_rows = 0, long_nnz = 0; // rows of more than ordinary_row entries
  std::vector<SampleWindow> windows;
  double                    row_share = 1, nnz_share = 1; // of the matrix, that the windows' lengths and blocks hold
};

/* Of a matrix in either space. */
Sample take_sample(const Csr &A);

} // namespace goza
