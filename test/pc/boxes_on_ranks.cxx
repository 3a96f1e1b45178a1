/* The set-up on a lattice of boxes on several ranks against the general steps on the same ones, however these share the lattice: the same aggregates,
   interpolations and operators, with the same numbers. */
#include "pc/saamg/setup/hierarchy.hpp"
#include "pc/saamg/setup/own_rows.hpp"
#include "../support/alloc_sweep.hpp"
#include "../support/box_cases.hpp"
#include "../support/same_hierarchies.hpp"
#include "../support/spaces.hpp"

#include <numeric>

using namespace goza;
using namespace goza_test;

namespace {

/* The points of each rank, by their natural numbers. */
using Share = std::vector<std::vector<PetscInt>>;

PetscMPIInt ranks()
{
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size;
}

/* Runs of natural numbers, lines and planes cut through; of `first` ranks none has any. */
Share by_runs(const PetscInt n[3], PetscMPIInt first)
{
  const PetscInt total = n[0] * n[1] * n[2], of = ranks() - first;
  Share          share(ranks());

  for (PetscInt r = 0; r < of; r++) {
    share[first + r].resize((r + 1) * total / of - r * total / of);
    std::iota(share[first + r].begin(), share[first + r].end(), r * total / of);
  }
  return share;
}

/* Boxes of widths 1, 2, 3, .. along some directions, as of a DMDA; `along`: how many there are along each. */
Share by_boxes(const PetscInt n[3], const PetscMPIInt along[3])
{
  Share share(ranks());

  for (PetscInt i = 0; i < n[0] * n[1] * n[2]; i++) {
    const PetscInt at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
    PetscInt       rank = 0, stride = 1;

    for (int d = 0; d < 3; d++) {
      const PetscInt parts = along[d] * (along[d] + 1) / 2;
      PetscInt       p     = 0;

      while (p + 1 < along[d] && at[d] >= (p + 1) * (p + 2) / 2 * n[d] / parts) p++;
      rank += stride * p;
      stride *= along[d];
    }
    share[rank].push_back(i);
  }
  return share;
}

struct Built {
  MatHandle A;
  OwnRows   rows, third;
  Hierarchy hierarchy;
  bool      finite = false;

  void build(const BoxCase &c, const Share &share, bool named, const HierarchyOptions &options, Space space, MPI_Comm comm = PETSC_COMM_WORLD)
  {
    open(c, share, space, comm);
    PETSC_OK(set_up(c, share, named, options));
  }
  void open(const BoxCase &c, const Share &share, Space space, MPI_Comm comm)
  {
    const Entry          &e = c.entry;
    std::vector<PetscInt> natural, number(e.rows);
    PetscMPIInt           rank;

    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    for (const auto &points : share) natural.insert(natural.end(), points.begin(), points.end());
    for (PetscInt i = 0; i < e.rows; i++) number[natural[i]] = i;
    const Entry    shared{e.name, e.rows, e.cols, e.flags, [&](PetscInt i, Row &out) {
                         e.row(natural[i], out);
                         for (PetscInt &col : out.col) col = number[col];
                       }};
    const PetscInt n = static_cast<PetscInt>(share[rank].size());
    PETSC_OK(MatCreate(comm, A.put()));
    PETSC_OK(MatSetSizes(A, n, n, e.rows, e.rows));
    PETSC_OK(MatSetType(A, MATAIJ));
    PETSC_OK(MatSeqAIJSetPreallocation(A, 30, nullptr));
    PETSC_OK(MatMPIAIJSetPreallocation(A, 30, nullptr, 30, nullptr));
    fill(shared, A);
    PETSC_OK(rows.open(A, space));
  }
  PetscErrorCode set_up(const BoxCase &c, const Share &share, bool named, const HierarchyOptions &options)
  {
    FinestOperator finest;

    PetscFunctionBegin;
    {
      const WithMemory         of_the_test;
      std::vector<PetscScalar> B;
      std::vector<PetscInt>    name;
      Lattice                  lattice;
      PetscMPIInt              rank;
      const Space              space = rows.A.space;

      MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
      for (PetscInt i : share[rank]) B.push_back(1 + 0.3 * uniform(i, 1, 7));
      if (named) name = share[rank];
      for (int d = 0; d < 3; d++) lattice.points[d] = lattice.tiles[d] = c.n[d];
      finest = {rows.A, rows.columns, 1, 1, Array<PetscScalar>(space, B.data(), B.size()), Array<PetscInt>(space, name.data(), name.size()), lattice};
    }
    PetscCall(hierarchy.build(std::move(finest), options, &finite));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  void update(const HierarchyOptions &options)
  {
    PETSC_OK(MatScale(A, 1. / 3));
    PETSC_OK(third.open(A, rows.A.space));
    PETSC_OK(hierarchy.update(third.A, options, &finite));
  }
};

int levels_of_boxes(const Hierarchy &hierarchy)
{
  int levels = 0;

  for (const Grid &grid : hierarchy.grids()) levels += &grid != hierarchy.grids().data() && grid.level->natural;
  return levels;
}

void same_places(const Hierarchy &got, const Hierarchy &want, const std::string &what)
{
  for (std::size_t l = 0; l < want.grids().size(); l++) {
    const CsrLevel &g = *got.grids()[l].level, &w = *want.grids()[l].level;

    all_ranks(g.name.to_host() == w.name.to_host(), what + ", level " + std::to_string(l) + ": names");
    for (int d = 0; d < 3; d++) {
      const Lattice &a = g.lattice, &b = w.lattice;

      all_ranks(a.tiles[d] == b.tiles[d] && a.spacing[d] == b.spacing[d] && a.shift[d] == b.shift[d], what + ", level " + std::to_string(l) + ": lattice");
    }
  }
}

void same_as_general(const BoxCase &c, const Share &share, bool named, PetscInt gather_limit, Keep keep)
{
  for (Space space : spaces()) {
    const std::string what = c.entry.name + " on " + space_name(space);
    HierarchyOptions  options, general_options;
    Built             general, boxes;

    options.coarse_limit     = 8;
    options.gather_limit     = gather_limit;
    options.keep             = keep;
    options.threshold        = c.threshold;
    general_options          = options;
    general_options.by_place = false;
    general.build(c, share, named, general_options, Space::Host);
    boxes.build(c, share, named, options, space);
    all_ranks(general.finite && boxes.finite && (c.stars || levels_of_boxes(general.hierarchy) == 0), what + ": general steps");
    const int levels = levels_of_boxes(boxes.hierarchy);
    all_ranks(c.boxes < 0 ? levels == 0 : levels >= c.boxes, what + ": " + std::to_string(levels) + " levels of boxes");
    check_hierarchies(c.entry, boxes.hierarchy, general.hierarchy, gather_limit, what, true);
    same_places(boxes.hierarchy, general.hierarchy, what);
    general.update(general_options);
    boxes.update(options);
    check_hierarchies(c.entry, boxes.hierarchy, general.hierarchy, gather_limit, what + ", new values", true);
  }
}

/* Runs of natural numbers, so that the boxes of all ranks have one rank's numbers. */
void same_as_on_one_rank(const BoxCase &c)
{
  PetscMPIInt rank;
  Share       alone(ranks());

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  for (PetscInt i = 0; i < c.entry.rows; i++) alone[rank].push_back(i);
  for (Space space : spaces()) {
    HierarchyOptions options;
    Built            together, one;

    options.coarse_limit = 8;
    options.gather_limit = 0;
    together.build(c, by_runs(c.n, 0), false, options, space);
    one.build(c, alone, false, options, Space::Host, PETSC_COMM_SELF);
    all_ranks(levels_of_boxes(together.hierarchy) >= 1 && levels_of_boxes(one.hierarchy) >= 1, c.entry.name + ": levels of boxes");
    check_hierarchies(c.entry, together.hierarchy, one.hierarchy, 0, c.entry.name + " on " + space_name(space));
  }
}

/* One rank alone sees that a point is coupled to one far away. */
BoxCase with_one_far_coupling(BoxCase c)
{
  const auto near = c.entry.row;
  const auto last = c.entry.rows - 1;

  c.boxes = -1;
  c.entry.name += "_one_far_coupling";
  c.entry.row = [=](PetscInt i, Row &out) {
    near(i, out);
    if (i == last - 5 || i == last) out.add(i == last ? last - 5 : last, -1e-3);
  };
  return c;
}

/* One rank alone has entries along z that are not weak. */
BoxCase strong_at_one_end(BoxCase c)
{
  const auto     weak  = c.entry.row;
  const PetscInt plane = c.n[0] * c.n[1], end = c.entry.rows - 3 * plane;

  c.boxes = -1;
  c.entry.name += "_strong_at_one_end";
  c.entry.row = [=](PetscInt i, Row &out) {
    weak(i, out);
    for (std::size_t k = 0; k < out.col.size(); k++)
      if (std::min(i, out.col[k]) >= end && std::abs(out.col[k] - i) == plane) out.val[k] *= 100;
  };
  return c;
}

/* Every request for memory of one rank refused in turn: all hear of it, and make the levels when asked again. */
void hear_of_refused_memory(const BoxCase &c)
{
  const Share      share = by_runs(c.n, 0);
  HierarchyOptions options;

  options.max_levels   = 2;
  options.gather_limit = 0;
  options.threshold    = c.threshold;
  options.keep         = Keep::Aggregates;
  for (Space space : spaces())
    sweep(
      true, How::once,
      [&] {
        auto built = std::make_unique<Built>();

        built->open(c, share, space, PETSC_COMM_WORLD);
        return built;
      },
      [&](Built &built) { return built.set_up(c, share, false, options); },
      [&](Built &built) { all_ranks(built.finite && levels_of_boxes(built.hierarchy) >= 1, c.entry.name + ": levels of boxes"); });
}

void add_laws()
{
  auto                *suite = suite_named(nullptr, "boxes_on_ranks");
  std::vector<BoxCase> all = box_cases(), stars = star_cases(), narrow = narrow_cases(false);
  int                  n = 0, narrow_shares = 0;

  for (const BoxCase &c : stars) add_test(suite, c.entry.name + "/as_on_one_rank", [=] { same_as_on_one_rank(c); });
  all.insert(all.end(), stars.begin(), stars.end());
  add_test(suite, narrow[0].entry.name + "/refused_memory", [=] { hear_of_refused_memory(narrow[0]); });
  all.insert(all.end(), narrow.begin(), narrow.end());
  all.push_back(with_one_far_coupling(on_lattice({10, 11, 12}, -1, "27_points")));
  all.push_back(with_one_far_coupling(narrow[0]));
  all.push_back(strong_at_one_end(narrow[0]));
  for (const BoxCase &c : all) {
    const auto add = [&](const std::string &how, const Share &share, bool named) {
      constexpr PetscInt limits[] = {0, 40, 1 << 20};
      if (c.threshold > 0 && c.boxes > 0 && narrow_shares++ % 3) return; // there are many
      const PetscInt gather = limits[n % 3];
      const Keep     keep   = static_cast<Keep>(n++ / 3 % 3);

      add_test(suite, c.entry.name + "/" + how, [=] { same_as_general(c, share, named, gather, keep); });
    };

    for (PetscMPIInt first = 0; first < ranks(); first++) add("runs_from_rank_" + std::to_string(first), by_runs(c.n, first), false);
    for (int d = 0; d < 3; d++) {
      PetscMPIInt along[3] = {1, 1, 1};

      along[d] = ranks();
      add("slabs_across_" + std::to_string(d), by_boxes(c.n, along), true);
    }
    const PetscMPIInt two = ranks() % 2 ? 1 : 2, along[3] = {two, c.n[1] > 1 ? ranks() / two : 1, c.n[1] > 1 ? 1 : ranks() / two};
    add("boxes", by_boxes(c.n, along), true);
  }
}

const AddTests added(add_laws);

} // namespace
