/* The stand-ins for the sixteen matrices of paper P3: as many rows and entries as the real ones, and what the paper finds special of each. */
#include "locality/locality.hpp"

#include "../support/check.hpp"
#include "../support/study_gallery.hpp"

#include <map>

using namespace goza;
namespace tt = boost::test_tools;

namespace {

/* As the collection has them; its files of symmetric matrices, and so the paper, hold the lower triangles of these. The paper's thermal2 is Botonakis'
   FEM_3D_thermal2 by its rows and entries, not Schmid's thermal2. */
struct Real {
  double rows, entries;
  bool   symmetric = true;
};

const std::map<std::string, Real> collection = {
  {"crankseg_2", {63838, 14148858}},  {"nd24k", {72000, 28715634}},       {"thermal2", {147900, 3489300, false}},    {"hood", {220542, 10768436}},
  {"F1", {343791, 26837113}},         {"msdoor", {415863, 20240935}},     {"rajat29", {643994, 4866270, false}},     {"ASIC_680ks", {682712, 2329176, false}},
  {"apache2", {715176, 4817870}},     {"ldoor", {952203, 46522475}},      {"webbase-1M", {1000005, 3105536, false}}, {"delaunay_n20", {1048576, 6291372}},
  {"roadNet-TX", {1393383, 3843320}}, {"roadNet-CA", {1971281, 5533214}}, {"Hamrle3", {1447360, 5514242, false}},    {"G3_circuit", {1585478, 7660826}},
};

/* Useful values a line of 32: in CSR's order, and in that of the paper's Fold with its padding and without. */
struct Spatial {
  double csr, padded, unpadded;
};

Spatial spatial_of(const goza_test::Sparse &A)
{
  AnalysisOptions options;

  options.shift                  = 5;
  options.most_entries           = 400000;
  const LocalityCounts csr       = analyse(A.view(), Layout::Csr, options).locality.plain;
  const LayoutLocality rectangle = analyse(A.view(), Layout::Rectangle, options);
  return {csr.spatial(), rectangle.locality.padded.spatial(), rectangle.locality.plain.spatial()};
}

} // namespace

BOOST_AUTO_TEST_CASE(as_large_as_the_real_ones_and_as_special)
{
  std::map<std::string, Spatial> found;

  for (const goza_test::StudyMatrix &m : goza_test::study_gallery()) {
    if (m.role != goza_test::Role::P3) continue;
    const goza_test::Sparse A = m.make();

    BOOST_TEST_CONTEXT(m.name)
    {
      BOOST_TEST(static_cast<double>(A.rows) == collection.at(m.name).rows, tt::tolerance(0.01));
      BOOST_TEST(static_cast<double>(A.col.size()) == collection.at(m.name).entries, tt::tolerance(0.03));
    }
    found[m.name] = spatial_of(collection.at(m.name).symmetric ? goza_test::lower_triangle(A) : A); /* what the paper counted */
  }
  BOOST_REQUIRE(found.size() == collection.size());

  for (const auto &[name, s] : found) BOOST_TEST((s.csr < found["nd24k"].csr || name == "nd24k"), name << " has longer runs than nd24k");
  BOOST_TEST(found["nd24k"].padded < 0.2 * found["nd24k"].csr); /* Fold breaks them */
  for (const char *name : {"webbase-1M", "Hamrle3"}) {
    BOOST_TEST_CONTEXT(name)
    {
      BOOST_TEST(found[name].padded > 1.2 * found[name].csr);
      BOOST_TEST(found[name].unpadded > found[name].csr);
    }
  }
  BOOST_TEST(found["apache2"].csr < 2);
  BOOST_TEST(found["apache2"].padded > 10 * found["apache2"].csr);
  for (double index : {found["F1"].csr, found["F1"].padded, found["F1"].unpadded}) BOOST_TEST((index >= 1 && index <= 5));
  BOOST_TEST(found["ldoor"].csr > 2 * found["F1"].csr);
  BOOST_TEST(found["ldoor"].padded > 1.5 * found["F1"].padded);
  for (const char *name : {"thermal2", "ASIC_680ks", "roadNet-TX", "roadNet-CA"}) BOOST_TEST(found[name].padded < 1.5, name);
}
