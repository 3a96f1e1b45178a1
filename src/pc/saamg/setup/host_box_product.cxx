#include "host_box_product.hpp"
#include "box_values.hpp"
#include "core/launch/host_loop.hpp"
#include "core/util/each.hpp"
#include <algorithm>
#include <vector>

namespace goza::saamg {
namespace {

/* The 27 boxes around one in lines of three, each followed by a place that is always 0: vectors of four are added up as they are, and what goes beyond a line
   are zeros. */
struct BoxesAround {
  static constexpr int in_y = 4, in_z = 12, n = 36;

  static constexpr int at(int x, int y, int z) { return (x + 1) + in_y * (y + 1) + in_z * (z + 1); }
  static constexpr int step(int x, int y, int z) { return x + in_y * y + in_z * z; }
};

/* What nodes that lie alike in their boxes have in common. */
struct Alike {
  int first[27], bit[27];             // of the lower box that each neighbour reaches, from the node's own box: BoxesAround, and as a bit
  int lines, line[9];                 // that a row of A P reaches
  int boxes, place[8];                // that P's row reaches, by its places,
  int step[8], bits[8], beside[8][3]; // from the node's own box to these

  void list(int x, int y, int z)
  {
    const int o[3] = {x, y, z};

    for (int b = 0; b < 27; b++) {
      const int low[3] = {lower_box(x + b % 3 - 1), lower_box(y + b / 3 % 3 - 1), lower_box(z + b / 9 - 1)};

      first[b] = BoxesAround::at(low[0], low[1], low[2]);
      bit[b]   = bit_of(low[0], low[1], low[2]);
    }
    lines = boxes = 0;
    for (int bz = z > 0 ? 0 : -1; bz <= (z < 0 ? 0 : 1); bz++)
      for (int by = y > 0 ? 0 : -1; by <= (y < 0 ? 0 : 1); by++) line[lines++] = BoxesAround::at(-1, by, bz);
    for (int p = 0; p < 8; p++) {
      int *const b = beside[boxes];

      if ((p & 1 && !x) || (p & 2 && !y) || (p & 4 && !z)) continue;
      for (int d = 0; d < 3; d++) b[d] = lower_box(o[d]) + (p >> d & 1);
      step[boxes]    = BoxesAround::step(b[0], b[1], b[2]);
      bits[boxes]    = b[0] + 3 * b[1] + 9 * b[2];
      place[boxes++] = p;
    }
  }
};

/* Whether a row of P, s from its box's root or that of the box before or behind, reaches the q-th box from there. */
constexpr bool reaches(int s, int q) { return s < 0 ? q == -1 || q == 0 : s > 0 ? q == 0 || q == 1 : q == 0; }

/* A node's place in its box, when this is compiled, and of a node beside it. */
template <int x, int y, int z> struct StarNode {
  static constexpr bool row_reaches(int dx, int dy, int dz, int q)
  {
    return reaches(x + dx, q % 3 - 1) && reaches(y + dy, q / 3 % 3 - 1) && reaches(z + dz, q / 9 - 1);
  }
  /* The row of A P. */
  static constexpr bool product_reaches(int q)
  {
    return row_reaches(0, 0, 0, q) || row_reaches(-1, 0, 0, q) || row_reaches(1, 0, 0, q) || row_reaches(0, -1, 0, q) || row_reaches(0, 1, 0, q) ||
           row_reaches(0, 0, -1, q) || row_reaches(0, 0, 1, q);
  }
  /* Which of the places of the row of P there that box has. */
  static constexpr int place(int dx, int dy, int dz, int q)
  {
    const int low[3] = {x + dx < 0 ? -1 : 0, y + dy < 0 ? -1 : 0, z + dz < 0 ? -1 : 0};

    return (q % 3 - 1 - low[0]) + 2 * (q / 3 % 3 - 1 - low[1]) + 4 * (q / 9 - 1 - low[2]);
  }
};

class BoxNodes {
public:
  explicit BoxNodes(const Boxes &boxes) : grid_(boxes.grid), stencil_(boxes.stencil.data()), reach_(boxes.reach.data())
  {
    for (int o = 0; o < 27; o++) alike_[o].list(o % 3 - 1, o / 3 % 3 - 1, o / 9 - 1);
    for (PetscInt x = 0; x < grid_.nodes[0]; x++) in_line_.push_back(grid_.place(x));
  }

  void find_pattern(Bits27 *bits) const
  {
    PetscInt step[27];
    Bits27   of_reach[256];

    for (int bit = 0; bit < 27; bit++) step[bit] = grid_.neighbour(0, bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1);
    for (Bits27 r = 0; r < 256; r++) of_reach[r] = (r & 3) | (r & 12) << 1 | (r & 48) << 5 | (r & 192) << 6; // 2 x 2 x 2 places among 3 x 3 x 3
    std::fill_n(bits, grid_.all_boxes(), diagonal_place);
    for (PetscInt z = 0; z < grid_.nodes[2]; z++) {
      for_each_node(z, [&](PetscInt node, PetscInt own, int o) {
        const Alike &alike = alike_[o];
        Bits27       all   = 0;

        for (Bits27 left = stencil_[node] & places; left; left &= left - 1) {
          const int bit = __builtin_ctz(left);

          all |= of_reach[reach_[node + step[bit]]] << alike.bit[bit];
        }
        for_each_box(node, own, alike, [&](int b, PetscInt box) { bits[box] |= alike.bits[b] < 0 ? all << -alike.bits[b] : all >> alike.bits[b]; });
      });
    }
  }

protected:
  static constexpr Bits27 places = (Bits27(1) << 27) - 1;

  /* f(node, its own box, how it lies in that) for the nodes of a plane that are interpolated. */
  template <class F> void for_each_node(PetscInt z, const F &f) const
  {
    for (PetscInt y = 0; y < grid_.nodes[1]; y++) {
      const PetscInt first = z * grid_.plane() + y * grid_.nodes[0];
      const BoxNode  line  = grid_.place(first);
      const PetscInt own   = grid_.number(line.box) - line.box[0];
      const int      o     = 3 * (line.o[1] + 1) + 9 * (line.o[2] + 1);

      for (PetscInt x = 0; x < grid_.nodes[0]; x++)
        if (reach_[first + x]) f(first + x, own + in_line_[x].box[0], o + in_line_[x].o[0] + 1);
    }
  }

  /* f(which of them, box) for the boxes that a node is interpolated from. */
  template <class F> void for_each_box(PetscInt node, PetscInt own, const Alike &alike, const F &f) const
  {
    for (int b = 0; b < alike.boxes; b++)
      if (reach_[node] >> alike.place[b] & 1) f(b, grid_.box_behind(own, alike.beside[b][0], alike.beside[b][1], alike.beside[b][2]));
  }

  const BoxGrid        grid_;
  const Bits27 *const  stencil_;
  const Bits8 *const   reach_;
  Alike                alike_[27];
  std::vector<BoxNode> in_line_;
};

template <class Stencil> class NodesProduct : BoxNodes {
public:
  NodesProduct(const Boxes &boxes, const Stencil &A, const CsrMatrix &P, bool conjugated, const PetscReal *m, PetscReal *squares) :
    BoxNodes(boxes),
    A_(A),
    ptr_(P.ptr.data()),
    val_(P.val.data()),
    conjugated_(conjugated),
    stars_(boxes.stars),
    m_(m),
    squares_(squares),
    rows_(Space::Host, static_cast<std::size_t>(8) * planes_held * boxes.grid.plane(), unset),
    sums_(Space::Host, static_cast<std::size_t>(BoxesAround::n) * boxes.grid.all_boxes() + 2 * BoxesAround::in_y)
  {
  }

  void make(const BoxPlaces &to)
  {
    if (squares_) std::fill_n(squares_, grid_.all_boxes(), PetscReal(0));
    run_on_host([&] {
      if (grid_.nodes[2] > 0) place_rows(0);
      for (PetscInt z = 0; z < grid_.nodes[2]; z++) {
        if (z + 1 < grid_.nodes[2]) place_rows(z + 1);
        add_plane(z);
      }
      for (int bit = to.half ? bit_of(0, 0, 0) : 0; bit < 27; bit++) {
        if (!to.has(bit)) continue;
        const PetscScalar *from = of_box(0) + BoxesAround::at(bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1);

        for (PetscInt box = 0; box < grid_.all_boxes(); box++) to.val[to.start[bit] + box] = from[static_cast<std::size_t>(BoxesAround::n) * box];
      }
    });
  }

private:
  static constexpr PetscInt planes_held = 3; // of P's rows by place

  PetscScalar *held(PetscInt z) { return rows_.data() + 8 * (z % planes_held) * static_cast<std::ptrdiff_t>(grid_.plane()); }
  PetscScalar *of_box(PetscInt box) { return sums_.data() + BoxesAround::in_y + static_cast<std::size_t>(BoxesAround::n) * box; }

  /* The rows of P of a plane by their places. */
  void place_rows(PetscInt z)
  {
    const PetscInt first = z * grid_.plane();
    PetscScalar   *row   = held(z);

    for (PetscInt i = first; i < first + grid_.plane(); i++, row += 8) {
      const PetscScalar *val  = val_ + ptr_[i];
      const unsigned     bits = reach_[i];

      for (int place = 0; place < 8; place++) {
        const bool there = bits >> place & 1;

        row[place] = there ? *val : PetscScalar(0);
        val += there;
      }
    }
  }

  void add_plane(PetscInt z)
  {
    const PetscScalar *const rows = held(z) - 8 * static_cast<std::ptrdiff_t>(z) * grid_.plane();
    std::ptrdiff_t           step[27]; // to a neighbour's row of P

    for (int bit = 0; bit < 27; bit++)
      step[bit] = held(z + planes_held + bit / 9 - 1) - held(z) + 8 * static_cast<std::ptrdiff_t>(bit % 3 - 1 + grid_.nodes[0] * (bit / 3 % 3 - 1));
    for_each_node(z, [&](PetscInt node, PetscInt own, int o) {
      const PetscScalar *const row = rows + 8 * static_cast<std::ptrdiff_t>(node);

      if (squares_) for_each_box(node, own, alike_[o], [&](int b, PetscInt box) { add_square(row[alike_[o].place[b]], m_[node], squares_[box]); });
      if (!stars_) add_node(node, row, step, own, alike_[o]);
      else
        each<27>([&](auto lies) {
          if (o == lies) this->template add_star<lies % 3 - 1, lies / 3 % 3 - 1, lies / 9 - 1>(node, row, step, own, alike_[o]);
        });
    });
  }

  static void add_square(PetscScalar p, PetscReal m, PetscReal &sum) { sum += PetscRealPart(p * PetscConj(p)) * m; }

  void add_node(PetscInt node, const PetscScalar *row, const std::ptrdiff_t *step, PetscInt own, const Alike &alike)
  {
    PetscScalar sum[BoxesAround::n] = {};

    for (Bits27 left = stencil_[node] & places; left; left &= left - 1) {
      const int          bit = __builtin_ctz(left);
      const PetscScalar  a   = A_(node, bit);
      const PetscScalar *of  = row + step[bit];
      PetscScalar       *to  = sum + alike.first[bit];

      for (int k = 0; k < 2; k++) {
        to[k] += a * of[k];
        to[BoxesAround::in_y + k] += a * of[2 + k];
        to[BoxesAround::in_z + k] += a * of[4 + k];
        to[BoxesAround::in_z + BoxesAround::in_y + k] += a * of[6 + k];
      }
    }
    for_each_box(node, own, alike, [&](int b, PetscInt box) {
      const PetscScalar p  = conjugate_if(conjugated_, row[alike.place[b]]);
      PetscScalar      *to = of_box(box) - alike.step[b];

      for (int l = 0; l < alike.lines; l++) {
        PetscScalar       *line = to + alike.line[l];
        const PetscScalar *from = sum + alike.line[l];

        for (int k = 0; k < BoxesAround::in_y; k++) line[k] += p * from[k];
      }
    });
  }

  /* The same of a node that is coupled to the six beside it: which sums there are is known, and they are registers. */
  template <int x, int y, int z> void add_star(PetscInt node, const PetscScalar *row, const std::ptrdiff_t *step, PetscInt own, const Alike &alike)
  {
    using Node = StarNode<x, y, z>;

    const Bits27 mine    = stencil_[node];
    PetscScalar  sum[27] = {};

    each<27>([&](auto bit) {
      constexpr int dx = bit % 3 - 1, dy = bit / 3 % 3 - 1, dz = bit / 9 - 1;

      if constexpr (of_a_star >> bit & 1) {
        if (!(mine >> bit & 1)) return;
        const PetscScalar        a  = A_(node, bit);
        const PetscScalar *const of = row + step[bit];

        each<27>([&](auto q) {
          if constexpr (Node::row_reaches(dx, dy, dz, q)) sum[q] += a * of[Node::place(dx, dy, dz, q)];
        });
      }
    });
    for_each_box(node, own, alike, [&](int b, PetscInt box) {
      const PetscScalar  p  = conjugate_if(conjugated_, row[alike.place[b]]);
      PetscScalar *const to = of_box(box) - alike.step[b];

      each<27>([&](auto q) {
        if constexpr (Node::product_reaches(q)) to[BoxesAround::at(q % 3 - 1, q / 3 % 3 - 1, q / 9 - 1)] += p * sum[q];
      });
    });
  }

  const Stencil            A_;
  const PetscInt *const    ptr_;
  const PetscScalar *const val_;
  const bool               conjugated_, stars_;
  const PetscReal *const   m_;
  PetscReal *const         squares_;
  Array<PetscScalar>       rows_, sums_;
};

} // namespace

void product_on_host(const Boxes &boxes, const StoredRows &A, const CsrMatrix &P, bool conjugated, const BoxPlaces &to, const PetscReal *m, PetscReal *squares)
{
  with_values(A, boxes, [&](const auto &values) { NodesProduct<std::decay_t<decltype(values)>>(boxes, values, P, conjugated, m, squares).make(to); });
}

Array<Bits27> product_pattern_on_host(const Boxes &boxes)
{
  Array<Bits27>  bits(Space::Host, boxes.grid.all_boxes(), unset);
  const BoxNodes nodes(boxes);

  run_on_host([&] { nodes.find_pattern(bits.data()); });
  return bits;
}

} // namespace goza::saamg
