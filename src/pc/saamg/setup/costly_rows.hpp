/* Interpolation relaxed further in the rows that hold most of its energy. Beside slivers entries are a hundred times as large as elsewhere, of both signs, and
   lead to several neighbours, so that no aggregate holds these together: what interpolation makes of a smooth vector there costs more than the vector itself,
   though such rows are one in thirty, and the coarse correction, which is orthogonal in energy, is as nothing. Jacobi's steps with the whole matrix in these
   rows bring that down, and each keeps its largest entries, so that coarse operators get no denser. The rows are told by test vectors z of hashed signs: the
   mean of |A P z|_i^2 / a_ii is what a step there can take off the energy of P's columns. A node is a row, with one near-null vector. */
#pragma once
#include "prolong.hpp"
#include "short_rows.hpp"

namespace goza::saamg {

/* What the other arguments are see smooth_within(). Nothing is done where no few rows hold much. columns: of A; reached: of P, and then of the new P.
   Collective. */
void relax_costly_rows(const Csr &A, const MapPtr &columns, const Array<PetscScalar> &dinv, PetscReal omega, const ColumnsOfP &of, MapPtr &reached,
                       CsrMatrix &P);

} // namespace goza::saamg
