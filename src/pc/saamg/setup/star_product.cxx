#include "star_product.hpp"
#include "box_product_rows.hpp"
#include "box_values.hpp"
#include "core/launch/host_loop.hpp"
#include "core/util/algorithm.hpp"

namespace goza::saamg
{

namespace
{

constexpr int sides = 7, bit_of_side[sides] = {4, 10, 12, 13, 14, 16, 22}; // a node and those beside it, ascending

/* Where the row of P of a node or of one beside it goes in a row of A P: its places, those that nodes have which lie so in their boxes, among the 27 boxes
   around the row's own. */
struct Step {
  int      places = 0, place[8], to[8];
  unsigned all    = 0; // of these, as bits, but for a corner's: a star's two steps do not reach it
  int      lowest = 0; // the box of the first of 8 places
};

/* What nodes have in common that lie alike in their boxes. */
struct Alike {
  Step   step[sides];          // that to itself: which boxes a row of P reaches
  int    boxes = 0, of_AP[27]; // which a row of A P may have
  Bits27 found = 0;            // and has where all rows reach all that they may

  explicit Alike(const int o[3])
  {
    for (int s = 0; s < sides; s++) {
      const int away[3] = {bit_of_side[s] % 3 - 1, bit_of_side[s] / 3 % 3 - 1, bit_of_side[s] / 9 - 1};

      step[s] = to(o, away);
      found |= moved(step[s].all, step[s].lowest);
    }
    for (int bit = 0; bit < 27; bit++) {
      int  beside_roots = 0;
      bool may          = true;

      for (int d = 0; d < 3; d++) {
        const int b = d == 0 ? bit % 3 - 1 : d == 1 ? bit / 3 % 3 - 1 : bit / 9 - 1;

        may = may && (!b || !o[d] || b == o[d]);
        beside_roots += b && !o[d];
      }
      if (may && beside_roots <= 1) of_AP[boxes++] = bit;
    }
  }

  /* 2 x 2 x 2 places among 3 x 3 x 3 boxes */
  static Bits27 moved(Bits27 r, int lowest) { return ((r & 3) | (r & 12) << 1 | (r & 48) << 5 | (r & 192) << 6) << lowest; }

private:
  static Step to(const int from[3], const int step[3])
  {
    Step steps;
    int  o[3], box[3], corner = 0;

    for (int d = 0; d < 3; d++) {
      box[d] = boxes_away(from[d] + step[d]);
      o[d]   = from[d] + step[d] - 3 * box[d];
      corner += o[d] != 0;
    }
    steps.lowest = bit_of(box[0] + lower_box(o[0]), box[1] + lower_box(o[1]), box[2] + lower_box(o[2]));
    for (int p = 0; p < 8; p++) {
      const int b[3]   = {lower_box(o[0]) + (p & 1), lower_box(o[1]) + (p >> 1 & 1), lower_box(o[2]) + (p >> 2)};
      int       beside = 0;
      bool      may    = true;

      for (int d = 0; d < 3; d++) {
        may = may && (b[d] == 0 || b[d] == o[d]);
        beside += b[d] != 0;
      }
      if (!may || beside == 3) continue;
      steps.to[steps.places]      = bit_of(box[0] + b[0], box[1] + b[1], box[2] + b[2]);
      steps.place[steps.places++] = p;
      steps.all |= 1u << p;
    }
    return steps;
  }
};

template <class Stencil> class StarProduct {
public:
  StarProduct(const Boxes &boxes, const Stencil &A, const CsrMatrix &P, const Array<PetscReal> &magnitude, bool conjugated, Array<PetscReal> &squares) :
    grid_(boxes.grid),
    A_(A),
    stencil_(boxes.stencil.data()),
    reach_(boxes.reach.data()),
    ptr_(P.ptr.data()),
    val_(P.val.data()),
    magnitude_(magnitude.data()),
    conjugated_(conjugated),
    squares_(squares.data()),
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
    const PetscInt       own = grid_.number(line.box) - line.box[0], nodes[sides] = {-grid_.plane(), -grid_.nodes[0], -1, 0, 1, grid_.nodes[0], grid_.plane()};
    const PetscScalar   *row   = held(z) + 8 * y * grid_.nodes[0];
    const std::ptrdiff_t below = held(z + planes - 1) - held(z), above = held(z + 1) - held(z), beside = 8 * grid_.nodes[0];
    const std::ptrdiff_t rows[sides] = {below, -beside, -8, 0, 8, beside, above};

    for (PetscInt x = 0; x < grid_.nodes[0]; x++, row += 8) {
      const PetscInt node = first + x;
      const Bits27   mine = stencil_[node];

      if (!reach_[node]) continue;
      const Alike &alike = alike_[bit_of(in_line_[x].o[0], line.o[1], line.o[2])];
      PetscScalar  ap[27];
      bool         usual = true;

      for (int k = 0; k < alike.boxes; k++) ap[alike.of_AP[k]] = 0;
      for (int s = 0; s < sides; s++) {
        const bool there = mine >> bit_of_side[s] & 1;

        usual = usual && there && reach_[node + nodes[s]] == alike.step[s].all;
        if (there) add(A_(node, bit_of_side[s]), row + rows[s], alike.step[s], ap);
      }
      const Bits27 found = usual ? alike.found : found_in(node, mine, nodes, alike);

      project(own + in_line_[x].box[0], magnitude_[node], row, reach_[node], alike, ap, found);
    }
  }

  static void add(PetscScalar a, const PetscScalar *row, const Step &step, PetscScalar *ap)
  {
    for (int k = 0; k < step.places; k++) ap[step.to[k]] += a * row[step.place[k]];
  }

  Bits27 found_in(PetscInt node, Bits27 mine, const PetscInt *nodes, const Alike &alike) const
  {
    Bits27 found = 0;

    for (int s = 0; s < sides; s++) {
      if (mine >> bit_of_side[s] & 1) found |= Alike::moved(reach_[node + nodes[s]], alike.step[s].lowest);
    }
    return found;
  }

  void project(PetscInt own, PetscReal magnitude, const PetscScalar *row, unsigned bits, const Alike &alike, const PetscScalar *ap, Bits27 found)
  {
    const Step &mine = alike.step[sides / 2];

    for (int k = 0; k < mine.places; k++) {
      const int place = mine.place[k], bit = mine.to[k], away = bit - bit_of(0, 0, 0);

      if (!(bits >> place & 1)) continue;
      const PetscInt    box = grid_.box_behind(own, bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1);
      const PetscScalar p   = conjugate_if(conjugated_, row[place]);
      PetscScalar      *to  = sums_.data() + 27 * static_cast<std::size_t>(box) - away;

      for (int l = 0; l < alike.boxes; l++) to[alike.of_AP[l]] += p * ap[alike.of_AP[l]];
      found_.data()[box] |= away < 0 ? found << -away : found >> away;
      squares_[box] += PetscRealPart(row[place] * PetscConj(row[place])) * magnitude;
    }
  }

  const BoxGrid            grid_;
  const Stencil            A_;
  const Bits27 *const      stencil_;
  const Bits8 *const       reach_;
  const PetscInt *const    ptr_;
  const PetscScalar *const val_;
  const PetscReal *const   magnitude_;
  const bool               conjugated_;
  PetscReal *const         squares_;
  std::vector<BoxNode>     in_line_;
  std::vector<Alike>       alike_;
  std::vector<PetscScalar> rows_;
  Array<PetscScalar>       sums_; // [boxes][27]
  Array<Bits27>            found_;
};

} // namespace

CsrMatrix star_product(Boxes &boxes, const StoredRows &A, const CsrMatrix &P, bool conjugated, Array<PetscReal> &magnitude)
{
  const BoxGrid     &grid = boxes.grid;
  const PetscInt     n    = grid.all_boxes();
  CsrMatrix          C(Space::Host, n, n);
  Array<PetscScalar> sums;
  Array<PetscReal>   squares(Space::Host, n);

  boxes.find_stencil();
  with_values(A, boxes, [&](const auto &values) {
    StarProduct<std::decay_t<decltype(values)>> product(boxes, values, P, magnitude, conjugated, squares);

    product.make();
    sums                 = product.sums();
    boxes.coarse_stencil = product.found();
  });
  boxes.spare_stencil();
  magnitude = std::move(squares);
  C.ptr     = Array<PetscInt>(Space::Host, n + 1, unset);
  for_each_row(Space::Host, n, bound<length_by_bits<Bits27>>(boxes.coarse_stencil.data(), C.ptr.data()));
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
