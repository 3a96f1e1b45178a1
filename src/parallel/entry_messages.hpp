/* Which entries of a matrix's rows a message holds. */
#pragma once
#include "core/util/algorithm.hpp"
#include "exchange.hpp"

namespace goza::parallel {

/* Where each message of rows, of so many values each, begins among them, and where the last one ends. */
inline std::vector<PetscInt> row_begins(const std::vector<HaloMessage> &messages, PetscInt width = 1)
{
  std::vector<PetscInt> begin(1, 0);

  for (const HaloMessage &m : messages) begin.push_back((m.begin + m.n) * width);
  return begin;
}

/* The same among the rows' entries, counted from the first: entries begin .. end - 1 of a matrix, whose row pointer is ptr[0] = begin and so on. */
inline std::vector<PetscInt> entry_begins(Space space, const PetscInt *ptr, PetscInt begin, PetscInt end, const std::vector<HaloMessage> &messages)
{
  std::vector<PetscInt> row = row_begins(messages), entry(1, 0);

  row.erase(row.begin());
  if (row.empty()) return entry;
  row.pop_back();
  const Array<PetscInt> place(space, row.data(), row.size());
  Array<PetscInt>       at(space, row.size());

  gather(space, static_cast<PetscInt>(row.size()), place.data(), ptr, at.data());
  for (PetscInt p : at.to_host()) entry.push_back(p - begin);
  entry.push_back(end - begin);
  return entry;
}

} // namespace goza::parallel
