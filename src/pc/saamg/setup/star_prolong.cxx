#include "star_prolong.hpp"
#include "box_values.hpp"
#include "core/launch/host_loop.hpp"
#include "core/sparse/host_rows.hpp"
#include "core/util/algorithm.hpp"
#include "core/util/each.hpp"
#include "within_rows.hpp"

namespace goza::saamg {
namespace {

/* A row of P by whether a box is the node's own or beside it: bit d of m is set where it is beside in direction d. A star's first smoothing reaches boxes that
   are beside in one direction, its second those in two. */
constexpr int side[3] = {1, 2, 4};

struct FirstRow {
  PetscScalar own, beside[3]; // 0 where it does not reach
  PetscScalar sum;            // what it makes of the boxes' near-null vector
  unsigned    reached;        // bit m
};

/* How a node lies in its box, which is known when this is compiled: which sums there are is, too, and they are registers. */
template <int x, int y, int z> struct LiesSo {
  static constexpr int      own  = 4 * (z < 0) + 2 * (y < 0) + (x < 0);        // of its 8 places
  static constexpr unsigned away = (x != 0) * 1 + (y != 0) * 2 + (z != 0) * 4; // directions in which it reaches a box beside its own

  static constexpr bool crosses(int d, int s) { return (d == 0 ? x : d == 1 ? y : z) == s; }
};

/* Where a node's boxes are: its own, and how far it is to that beside in each direction. */
struct Around {
  PetscInt own, step[3];

  PetscInt box(int m) const { return own + (m & 1 ? step[0] : 0) + (m & 2 ? step[1] : 0) + (m & 4 ? step[2] : 0); }
};

template <class Stencil> class StarRows {
public:
  StarRows(Boxes &boxes, const Stencil &A, const PetscScalar *T, const PetscScalar *coarse, const PetscScalar *dinv, PetscReal first, PetscReal second) :
    grid_(boxes.grid),
    A_(A),
    stencil_(boxes.stencil.data()),
    T_(T),
    coarse_(coarse),
    dinv_(dinv),
    first_(first),
    second_(second),
    reach_(boxes.reach.data()),
    rows_(static_cast<std::size_t>(planes) * boxes.grid.plane()),
    cols_(boxes.grid.size(), expected()),
    vals_(boxes.grid.size(), expected())
  {
    stride_[0] = 1;
    stride_[1] = grid_.nodes[0];
    stride_[2] = grid_.plane();
    for (PetscInt x = 0; x < grid_.nodes[0]; x++) in_line_.push_back(grid_.place(x));
  }

  void make(CsrMatrix &P)
  {
    PetscInt *const length = P.ptr.data();

    run_on_host([&] {
      for (PetscInt z = 0; z <= grid_.nodes[2]; z++) {
        if (z < grid_.nodes[2]) for_each_node(z, [&](auto place, PetscInt node, FirstRow *row, const Around &at) { smooth_first(place, node, *row, at); });
        if (z > 0) for_each_node(z - 1, [&](auto place, PetscInt node, FirstRow *row, const Around &at) { length[node] = smooth_again(place, node, row, at); });
      }
    });
    lengths_to_pointer(Space::Host, P.ptr);
    P.val = vals_.all();
    P.col = cols_.all();
  }

private:
  static constexpr PetscInt planes = 4; // held of the first smoothing

  /* Of a box' 27 nodes 117 entries. */
  std::size_t expected() const { return static_cast<std::size_t>(4.4 * grid_.size()) + 4096; }

  /* Plane z among those that are held. */
  FirstRow *held(PetscInt z) { return rows_.data() + z % planes * grid_.plane(); }

  /* f(place, node, its row, where its boxes are). Nodes that are none of the lattice's have no row. */
  template <class F> void for_each_node(PetscInt z, F f)
  {
    for (PetscInt y = 0; y < grid_.nodes[1]; y++) {
      const PetscInt first = z * grid_.plane() + y * grid_.nodes[0];
      const BoxNode  line  = grid_.place(first);
      FirstRow      *row   = held(z) + y * grid_.nodes[0];
      const PetscInt own   = grid_.number(line.box) - line.box[0];
      const int      lies  = (line.o[1] + 1) + 3 * (line.o[2] + 1);

      below_ = held(z + planes - 1) - held(z);
      above_ = held(z + 1) - held(z);
      if (line.o[1] < -1 || line.o[1] > 1 || line.o[2] < -1 || line.o[2] > 1) {
        for (PetscInt x = 0; x < grid_.nodes[0]; x++) f(LiesSo<0, 0, 0>(), first + x, row + x, Around{});
        continue;
      }
      each<9>([&](auto yz) {
        if (lies != yz) return;
        constexpr int oy = yz % 3 - 1, oz = yz / 3 - 1;
        Around        at{0, {0, oy * grid_.boxes[0], oz * grid_.boxes_of_plane()}};

        for (PetscInt x = 0; x < grid_.nodes[0]; x++) {
          at.own     = own + in_line_[x].box[0];
          at.step[0] = in_line_[x].o[0];
          if (at.step[0] == -1) f(LiesSo<-1, oy, oz>(), first + x, row + x, at);
          else if (at.step[0] == 1) f(LiesSo<1, oy, oz>(), first + x, row + x, at);
          else f(LiesSo<0, oy, oz>(), first + x, row + x, at);
        }
      });
    }
  }

  /* f(node, its row, value, direction, -1 or 1) for the entries beside the diagonal. */
  template <class F> void for_each_beside(PetscInt node, const FirstRow *row, Bits27 mine, const F &f) const
  {
    const PetscInt line = stride_[1];

    if (mine >> 4 & 1) f(node - stride_[2], row + below_, A_(node, 4), constant<2>(), constant<-1>());
    if (mine >> 10 & 1) f(node - line, row - line, A_(node, 10), constant<1>(), constant<-1>());
    if (mine >> 12 & 1) f(node - 1, row - 1, A_(node, 12), constant<0>(), constant<-1>());
    if (mine >> 14 & 1) f(node + 1, row + 1, A_(node, 14), constant<0>(), constant<1>());
    if (mine >> 16 & 1) f(node + line, row + line, A_(node, 16), constant<1>(), constant<1>());
    if (mine >> 22 & 1) f(node + stride_[2], row + above_, A_(node, 22), constant<2>(), constant<1>());
  }
  template <int k> using constant = std::integral_constant<int, k>;

  template <class P> void smooth_first(P, PetscInt node, FirstRow &to, const Around &at)
  {
    const Bits27 mine = stencil_[node];
    FirstRow     row{};

    if (!(mine & coupled_node)) {
      to = row;
      return;
    }
    const PetscScalar f   = -first_ * dinv_[node];
    PetscScalar       own = mine >> 13 & 1 ? A_(node, 13) * T_[node] : PetscScalar(0);

    row.reached = 1;
    for_each_beside(node, &to, mine, [&](PetscInt j, const FirstRow *, PetscScalar a, auto d, auto s) {
      if constexpr (!P::crosses(d, s)) own += a * T_[j];
      else {
        row.beside[d] = f * (a * T_[j]);
        row.reached |= stencil_[j] & coupled_node ? 1u << side[d] : 0;
      }
    });
    row.own = f * own + T_[node];
    row.sum = row.own * coarse_[at.own];
    each<3>([&](auto d) {
      if constexpr (P::away >> d & 1)
        if (row.reached >> side[d] & 1) row.sum += row.beside[d] * coarse_[at.box(side[d])];
    });
    to = row;
  }

  /* Adds a times row j, which is a step away in direction d, across a box's border or not. What it reaches in other directions the node reaches, too. */
  template <class P, int d, bool crosses> static void add(PetscScalar a, const FirstRow &j, PetscScalar *sum, unsigned &reached)
  {
    constexpr int base = crosses ? side[d] : 0;

    sum[base] += a * j.own;
    reached |= (j.reached & 1) << base;
    each<3>([&](auto e) {
      if constexpr (e != d && P::away >> e & 1) {
        sum[base | side[e]] += a * j.beside[e];
        reached |= (j.reached >> side[e] & 1) << (base | side[e]);
      }
    });
    if (crosses) sum[0] += a * j.beside[d];
  }

  /* The row's length. */
  template <class P> PetscInt smooth_again(P place, PetscInt node, const FirstRow *here, const Around &at)
  {
    const Bits27 mine = stencil_[node];

    reach_[node] = 0;
    if (!(mine & coupled_node)) return 0;
    const FirstRow   &row = *here;
    const PetscScalar f = -second_ * dinv_[node], a = mine >> 13 & 1 ? A_(node, 13) : PetscScalar(0);
    PetscScalar       sum[8] = {a * row.own, a * row.beside[0], a * row.beside[1], 0, a * row.beside[2], 0, 0, 0}, wanted = a * row.sum;
    unsigned          reached = row.reached;

    for_each_beside(node, here, mine, [&](PetscInt, const FirstRow *other, PetscScalar value, auto d, auto s) {
      wanted += value * other->sum;
      add<P, d, P::crosses(d, s)>(value, *other, sum, reached);
    });
    return write(place, node, at, row, reached, f, wanted, sum);
  }

  template <class P>
  PetscInt write(P, PetscInt node, const Around &at, const FirstRow &row, unsigned reached, PetscScalar f, PetscScalar wanted, const PetscScalar *sum)
  {
    const PetscScalar  old[8] = {row.own, row.beside[0], row.beside[1], 0, row.beside[2], 0, 0, 0};
    PetscScalar        value[8], found = 0;
    PetscInt *const    col    = cols_.room(8);
    PetscScalar *const val    = vals_.room(8);
    PetscInt           n      = 0;
    unsigned           places = 0;

    each<8>([&](auto place) {
      constexpr int m = place ^ P::own;

      if constexpr (!(m & ~P::away)) {
        if (!(reached >> m & 1)) return;
        places |= 1u << place;
        col[n]   = at.box(m);
        value[n] = old[m] + f * sum[m];
        val[n]   = old[m];
        found += value[n] * coarse_[col[n]];
        n++;
      }
    });
    const PetscScalar share = share_out(row.sum + f * wanted, found);

    for (PetscInt k = 0; k < n && share != PetscScalar(0); k++) val[k] = share * value[k];
    reach_[node] = static_cast<Bits8>(places);
    cols_.take(n);
    vals_.take(n);
    return n;
  }

  const BoxGrid            grid_;
  const Stencil            A_;
  const Bits27 *const      stencil_;
  const PetscScalar *const T_, *const coarse_, *const dinv_;
  const PetscReal       first_, second_;
  Bits8 *const          reach_;
  PetscInt              stride_[3];
  std::vector<BoxNode>  in_line_;
  std::ptrdiff_t        below_ = 0, above_ = 0; // from a row to those of the planes beside
  std::vector<FirstRow> rows_;
  Grown<PetscInt>       cols_;
  Grown<PetscScalar>    vals_;
};

} // namespace

CsrMatrix star_prolongator(Boxes &boxes, const StoredRows &A, const Array<PetscScalar> &T, const Array<PetscScalar> &coarse_B, const Array<PetscScalar> &dinv,
                           PetscReal first, PetscReal second)
{
  const PetscInt n = boxes.grid.size();
  CsrMatrix      P(Space::Host, n, boxes.grid.all_boxes());

  boxes.find_stencil();
  boxes.reach = Array<Bits8>(Space::Host, n, unset);
  P.ptr       = Array<PetscInt>(Space::Host, n + 1, unset);
  with_values(A, boxes, [&](const auto &values) {
    StarRows<std::decay_t<decltype(values)>>(boxes, values, T.data(), coarse_B.data(), dinv.data(), first, second).make(P);
  });
  boxes.entries = P.nnz();
  return P;
}

} // namespace goza::saamg
