#include "star_product.hpp"
#include "box_product_rows.hpp"
#include "box_values.hpp"
#include "core/launch/host_loop.hpp"
#include "core/util/algorithm.hpp"

namespace goza::saamg
{

namespace
{

/* What nodes have in common that lie alike in their boxes: which of the 27 boxes around their own their rows reach, as places of the row's boxes. */
struct Alike {
  int places = 0, place[8]; // that a row of P may have
  int box[8];               // of these, 0 .. 26
  int boxes = 0, of_AP[27]; // that a row of A P may have

  explicit Alike(const int o[3])
  {
    for (int p = 0; p < 8; p++) {
      const int b[3] = {lower_box(o[0]) + (p & 1), lower_box(o[1]) + (p >> 1 & 1), lower_box(o[2]) + (p >> 2)};
      bool      may  = true;

      for (int d = 0; d < 3; d++) may = may && (b[d] == 0 || b[d] == o[d]);
      if (!may) continue;
      box[places]     = bit_of(b[0], b[1], b[2]);
      place[places++] = p;
    }
    for (int bit = 0; bit < 27; bit++) {
      const int b[3]         = {bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1};
      int       beside_roots = 0;
      bool      may          = true;

      for (int d = 0; d < 3; d++) {
        may = may && (!b[d] || !o[d] || b[d] == o[d]);
        beside_roots += b[d] && !o[d];
      }
      if (may && beside_roots <= 1) of_AP[boxes++] = bit;
    }
  }
};

template <class Stencil> class StarProduct {
public:
  StarProduct(const Boxes &boxes, const Stencil &A, const CsrMatrix &P, bool conjugated) :
    grid_(boxes.grid),
    A_(A),
    stencil_(boxes.stencil.data()),
    reach_(boxes.reach.data()),
    ptr_(P.ptr.data()),
    val_(P.val.data()),
    conjugated_(conjugated),
    rows_(8 * static_cast<std::size_t>(planes) * boxes.grid.plane()),
    sums_(Space::Host, 27 * static_cast<std::size_t>(boxes.grid.all_boxes())),
    found_(Space::Host, boxes.grid.all_boxes())
  {
    for (PetscInt x = 0; x < grid_.nodes[0]; x++) in_line_.push_back(grid_.place(x));
    for (int k = 0; k < 27; k++) {
      const int o[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};

      alike_.emplace_back(o);
    }
    for (PetscInt b = 0; b < grid_.all_boxes(); b++) found_.data()[b] = Bits27(1) << bit_of(0, 0, 0);
  }

  void make()
  {
    run_on_host([&] {
      for (PetscInt z = 0; z <= grid_.nodes[2]; z++) {
        if (z < grid_.nodes[2]) place_rows(z);
        for (PetscInt y = 0; z > 0 && y < grid_.nodes[1]; y++) multiply_line(z - 1, y);
      }
    });
  }

  Array<PetscScalar> sums() { return std::move(sums_); }
  Array<Bits27>      found() { return std::move(found_); }

private:
  static constexpr PetscInt planes = 4; // of P that are held by place

  PetscScalar *held(PetscInt z) { return rows_.data() + 8 * (z % planes * grid_.plane()); }

  void place_rows(PetscInt z)
  {
    PetscScalar *row = held(z);

    for (PetscInt node = z * grid_.plane(); node < (z + 1) * grid_.plane(); node++, row += 8) {
      const PetscScalar *from = val_ + ptr_[node];
      const unsigned     bits = reach_[node];

      for (int place = 0; place < 8; place++) {
        const int there = bits >> place & 1;

        row[place] = there ? *from : PetscScalar(0);
        from += there;
      }
    }
  }

  void multiply_line(PetscInt z, PetscInt y)
  {
    const PetscInt       first = z * grid_.plane() + y * grid_.nodes[0];
    const BoxNode        line  = grid_.place(first);
    const PetscInt       own   = grid_.number(line.box) - line.box[0];
    const PetscScalar   *row   = held(z) + 8 * y * grid_.nodes[0];
    const std::ptrdiff_t below = held(z + planes - 1) - held(z), above = held(z + 1) - held(z), beside = 8 * grid_.nodes[0];

    for (PetscInt x = 0; x < grid_.nodes[0]; x++, row += 8) {
      const PetscInt node = first + x;
      const Bits27   mine = stencil_[node];
      const int      o[3] = {in_line_[x].o[0], line.o[1], line.o[2]};

      if (!reach_[node]) continue;
      const Alike &alike = alike_of(o);
      PetscScalar  ap[27 + 1]; // the last one is nobody's
      Bits27       found = 0;

      for (int k = 0; k < alike.boxes; k++) ap[alike.of_AP[k]] = 0;
      if (mine >> 13 & 1) add(A_(node, 13), row, reach_[node], o, 0, 0, ap, found);
      if (mine >> 4 & 1) add(A_(node, 4), row + below, reach_[node - grid_.plane()], o, 2, -1, ap, found);
      if (mine >> 10 & 1) add(A_(node, 10), row - beside, reach_[node - grid_.nodes[0]], o, 1, -1, ap, found);
      if (mine >> 12 & 1) add(A_(node, 12), row - 8, reach_[node - 1], o, 0, -1, ap, found);
      if (mine >> 14 & 1) add(A_(node, 14), row + 8, reach_[node + 1], o, 0, 1, ap, found);
      if (mine >> 16 & 1) add(A_(node, 16), row + beside, reach_[node + grid_.nodes[0]], o, 1, 1, ap, found);
      if (mine >> 22 & 1) add(A_(node, 22), row + above, reach_[node + grid_.plane()], o, 2, 1, ap, found);
      project(own + in_line_[x].box[0], row, reach_[node], alike, ap, found);
    }
  }

  const Alike &alike_of(const int o[3]) const { return alike_[bit_of(o[0], o[1], o[2])]; }

  /* Adds a times the row of the neighbour that is s away in direction d. */
  void add(PetscScalar a, const PetscScalar *row, unsigned bits, const int o[3], int d, int s, PetscScalar *ap, Bits27 &found) const
  {
    constexpr int stride[3] = {1, 3, 9};
    int           there[3]  = {o[0], o[1], o[2]};
    const int     away      = boxes_away(o[d] + s);

    there[d]           = o[d] + s - 3 * away;
    const Alike &alike = alike_of(there);
    const int    shift = away * stride[d];

    if (!bits) return;
    for (int k = 0; k < alike.places; k++) ap[alike.box[k] + shift] += a * row[alike.place[k]];
    const Bits27 r = bits, by_27 = (r & 3) | (r & 12) << 1 | (r & 48) << 5 | (r & 192) << 6;
    const int    begin = bit_of(lower_box(there[0]), lower_box(there[1]), lower_box(there[2])) + shift;

    found |= by_27 << begin;
  }

  void project(PetscInt own, const PetscScalar *row, unsigned bits, const Alike &alike, const PetscScalar *ap, Bits27 found)
  {
    for (int k = 0; k < alike.places; k++) {
      const int place = alike.place[k], bit = alike.box[k], away = bit - bit_of(0, 0, 0);

      if (!(bits >> place & 1)) continue;
      const PetscInt    box = grid_.box_behind(own, bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1);
      const PetscScalar p   = conjugate_if(conjugated_, row[place]);
      PetscScalar      *to  = sums_.data() + 27 * static_cast<std::size_t>(box) - away;

      for (int l = 0; l < alike.boxes; l++) to[alike.of_AP[l]] += p * ap[alike.of_AP[l]];
      found_.data()[box] |= away < 0 ? found << -away : found >> away;
    }
  }

  const BoxGrid            grid_;
  const Stencil            A_;
  const Bits27 *const      stencil_;
  const Bits8 *const       reach_;
  const PetscInt *const    ptr_;
  const PetscScalar *const val_;
  const bool               conjugated_;
  std::vector<BoxNode>     in_line_;
  std::vector<Alike>       alike_;
  std::vector<PetscScalar> rows_;
  Array<PetscScalar>       sums_; // [boxes][27]
  Array<Bits27>            found_;
};

} // namespace

CsrMatrix star_product(Boxes &boxes, const StoredRows &A, const CsrMatrix &P, bool conjugated)
{
  const BoxGrid     &grid = boxes.grid;
  const PetscInt     n    = grid.all_boxes();
  CsrMatrix          C(Space::Host, n, n);
  Array<PetscScalar> sums;

  boxes.find_stencil();
  with_values(A, boxes, [&](const auto &values) {
    StarProduct<std::decay_t<decltype(values)>> product(boxes, values, P, conjugated);

    product.make();
    sums                 = product.sums();
    boxes.coarse_stencil = product.found();
  });
  C.ptr = Array<PetscInt>(Space::Host, n + 1, unset);
  for_each_row(Space::Host, n, LengthsOfBoxRows{boxes.coarse_stencil.data(), C.ptr.data()});
  point_to_rows(C.ptr, &boxes.coarse_entries);
  C.col = Array<PetscInt>(Space::Host, boxes.coarse_entries, unset);
  C.val = Array<PetscScalar>(Space::Host, boxes.coarse_entries, unset);
  for (PetscInt box = 0, p = 0; box < n; box++) {
    for (int bit = 0; bit < 27; bit++) {
      if (!(boxes.coarse_stencil.data()[box] >> bit & 1)) continue;
      C.col.data()[p]   = grid.box_behind(box, bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1);
      C.val.data()[p++] = sums.data()[27 * static_cast<std::size_t>(box) + bit];
    }
  }
  return C;
}

} // namespace goza::saamg
