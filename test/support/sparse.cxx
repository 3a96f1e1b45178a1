#include "sparse.hpp"

#include <algorithm>
#include <numeric>

namespace goza_test {

std::uint64_t Random::next()
{
  std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
  z               = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z               = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

PetscReal coefficient(PetscInt i, PetscInt j)
{
  std::uint64_t h = ((std::uint64_t)std::min(i, j) * 0x9E3779B97F4A7C15u) ^ ((std::uint64_t)std::max(i, j) * 0xC2B2AE3D27D4EB4Fu);

  h ^= h >> 31;
  h *= 0xBF58476D1CE4E5B9u;
  h ^= h >> 29;
  return (PetscReal)(0.5 + (double)(h >> 11) / 9007199254740992.0);
}

Sparse from_rows(PetscInt rows, PetscInt cols, const RowColumns &columns)
{
  Sparse                A;
  std::vector<PetscInt> row;

  A.rows = rows;
  A.cols = cols;
  A.ptr.reserve(rows + 1);
  for (PetscInt i = 0; i < rows; i++) {
    row.clear();
    columns(i, row);
    if (!std::is_sorted(row.begin(), row.end())) std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (PetscInt j : row) {
      A.col.push_back(j);
      A.val.push_back(coefficient(i, j));
    }
    A.ptr.push_back((PetscInt)A.col.size());
  }
  return A;
}

Sparse ones(PetscInt rows, PetscInt cols, const RowColumns &columns)
{
  Sparse A = from_rows(rows, cols, columns);

  A.val.assign(A.col.size(), 1);
  return A;
}

void add_row(Sparse &A, Terms &row)
{
  std::stable_sort(row.begin(), row.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  for (std::size_t k = 0; k < row.size(); k++) {
    if (k && row[k].first == row[k - 1].first) A.val.back() += row[k].second;
    else {
      A.col.push_back(row[k].first);
      A.val.push_back(row[k].second);
    }
  }
  A.ptr.push_back(static_cast<PetscInt>(A.col.size()));
}

Sparse from_pairs(PetscInt rows, PetscInt cols, const std::vector<Pair> &pairs)
{
  std::vector<PetscInt> ptr(rows + 1, 0), col(pairs.size());

  for (const auto &[i, j] : pairs) ptr[i + 1]++;
  std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
  std::vector<PetscInt> at(ptr.begin(), ptr.end() - 1);
  for (const auto &[i, j] : pairs) col[at[i]++] = j;
  return from_rows(rows, cols, [&](PetscInt i, std::vector<PetscInt> &row) { row.assign(col.begin() + ptr[i], col.begin() + ptr[i + 1]); });
}

Sparse renumbered(const Sparse &A, const std::vector<PetscInt> &number)
{
  std::vector<PetscInt> old(A.rows);

  for (PetscInt i = 0; i < A.rows; i++) old[number[i]] = i;
  return from_rows(A.rows, A.cols, [&](PetscInt i, std::vector<PetscInt> &row) {
    for (PetscInt k = A.ptr[old[i]]; k < A.ptr[old[i] + 1]; k++) row.push_back(number[A.col[k]]);
  });
}

std::vector<PetscInt> random_numbering(PetscInt n, std::uint64_t seed)
{
  Random                random(seed);
  std::vector<PetscInt> number(n);

  std::iota(number.begin(), number.end(), 0);
  for (PetscInt i = n - 1; i > 0; i--) std::swap(number[i], number[random.below(i + 1)]);
  return number;
}

std::vector<PetscInt> reverse_cuthill_mckee(const Sparse &A)
{
  std::vector<PetscInt> number(A.rows, -1), queue, near;
  const auto            degree = [&](PetscInt i) { return A.ptr[i + 1] - A.ptr[i]; };
  PetscInt              next   = A.rows;

  for (PetscInt start = 0; start < A.rows; start++) {
    if (number[start] >= 0) continue;
    queue.assign(1, start);
    number[start] = --next;
    for (std::size_t head = 0; head < queue.size(); head++) {
      near.clear();
      for (PetscInt k = A.ptr[queue[head]]; k < A.ptr[queue[head] + 1]; k++)
        if (number[A.col[k]] < 0) near.push_back(A.col[k]);
      std::stable_sort(near.begin(), near.end(), [&](PetscInt i, PetscInt j) { return degree(i) < degree(j); });
      for (PetscInt j : near) {
        number[j] = --next;
        queue.push_back(j);
      }
    }
  }
  return number;
}

Sparse in_blocks(const Sparse &A, PetscInt b)
{
  return from_rows(A.rows * b, A.cols * b, [&](PetscInt i, std::vector<PetscInt> &row) {
    for (PetscInt k = A.ptr[i / b]; k < A.ptr[i / b + 1]; k++)
      for (PetscInt c = 0; c < b; c++) row.push_back(A.col[k] * b + c);
  });
}

Sparse lower_triangle(const Sparse &A)
{
  Sparse L;

  L.rows = A.rows;
  L.cols = A.cols;
  for (PetscInt i = 0; i < A.rows; i++) {
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1] && A.col[k] <= i; k++) {
      L.col.push_back(A.col[k]);
      if (!A.val.empty()) L.val.push_back(A.val[k]);
    }
    L.ptr.push_back((PetscInt)L.col.size());
  }
  return L;
}

PetscErrorCode as_mat(Sparse &A, Mat *mat)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, A.rows, A.cols, A.ptr.data(), A.col.data(), A.val.data(), mat));
  PetscFunctionReturn((PetscErrorCode)0);
}

} // namespace goza_test
