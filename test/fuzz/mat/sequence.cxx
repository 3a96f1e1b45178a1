#include "sequence.hpp"
#include "operations.hpp"

#include <iterator>
#include <sstream>
#include <stdexcept>

namespace goza_fuzz {
namespace {

const std::vector<const char *> &values_of(const std::string &option)
{
  static const std::vector<std::pair<std::string, std::vector<const char *>>> table{
    {"precision", {"double", "double", "double", "single", "half"}},
    {"cds_storage", {"auto", "full", "auto", "full", "auto", "full", "half"}},
    {"cds_share", {"0.01", "0.1", "0.5", "1"}},
    {"cds_block_size", {"auto", "1", "2", "3", "6"}},
    {"slicedell_slice_height", {"auto", "1", "2", "4", "8", "16", "32", "64", "128"}},
    {"slicedell_sort_window", {"-1", "0", "1", "8", "64"}},
    {"slicedell_index", {"auto", "32"}},
    {"slicedell_block_size", {"auto", "1", "3", "6"}},
    {"fold_width", {"auto", "1", "2", "3", "8", "17", "127"}},
    {"fold_order", {"auto", "natural", "auto", "natural", "breadth_first"}},
    {"fold_layout", {"groups", "rectangle"}},
    {"autoformat_candidates", {"all", "csr", "slicedell,fold", "cds", "csr,cds", "fold"}},
    {"autoformat_trials", {"1", "2", "8"}},
  };
  for (const auto &line : table)
    if (line.first == option) return line.second;
  throw std::out_of_range("no values of " + option);
}

const std::vector<std::string> &options_of(const std::string &root)
{
  static const std::vector<std::string> cds{"cds_storage", "cds_share", "cds_block_size", "cds_precision"};
  static const std::vector<std::string> slicedell{"slicedell_slice_height", "slicedell_sort_window", "slicedell_index", "slicedell_block_size",
                                                  "slicedell_precision"};
  static const std::vector<std::string> fold{"fold_width", "fold_order", "fold_layout", "fold_precision"};
  static const std::vector<std::string> autoformat{"autoformat_candidates", "autoformat_trials"};

  /* values are in full precision, and nobody says that they are symmetric */
  static const std::vector<std::string> none, ownslicedell{slicedell.begin(), slicedell.end() - 1};

  if (root.rfind("own", 0) == 0) return root == "owncds" ? none : ownslicedell;
  return root == "cds" ? cds : root == "slicedell" ? slicedell : root == "fold" ? fold : autoformat;
}

void random_settings(Case &c, const std::string &root, Rng &rng)
{
  for (const auto &option : options_of(root)) {
    if (!rng.chance(35)) continue;
    const auto &values = values_of(option.find("precision") != std::string::npos ? "precision" : option);
    c.options.emplace_back("-mat_" + option, values[rng.below((long)values.size())]);
  }
  if (root == "cds") c.options.emplace_back("-mat_cds_max_fill", "1e9"); /* else a refusal, which is right, would end most sequences */
}

} // namespace

Case random_case(std::uint64_t seed, int ranks, bool owning)
{
  static const char *const roots[] = {"cds", "fold", "slicedell", "autoformat"}, *const owners[] = {"owncds", "ownslicedell"};
  Rng               rng(seed * 8 + (std::uint64_t)ranks);
  Case              c;
  const std::string root = owning ? owners[rng.below(2)] : roots[rng.below(4)];

  c.seed  = seed;
  c.type  = ranks == 1 && rng.chance(15) && !owning ? "mpiaij" + root : root;
  c.whole = rng.chance(70);
  random_settings(c, root, rng);

  const auto &all    = operations();
  long        weight = 0;
  for (const auto &op : all) weight += op.weight;
  const long count = 5 + rng.below(26);
  for (long k = 0; k < count; k++) {
    long at    = k == 0 ? 0 : rng.below(weight);
    auto which = all.begin(); /* the first creates a matrix */
    while (at >= which->weight) at -= (which++)->weight;
    Op op;
    op.name = which->name;
    for (auto &s : op.slot) s = rng.below(4);
    for (auto &p : op.p) p = rng.below(61);
    op.seed = rng.below(1 << 20);
    c.ops.push_back(op);
  }
  return c;
}

std::ostream &operator<<(std::ostream &out, const Case &c)
{
  out << "seed " << c.seed << "\ntype " << c.type << "\nwhole " << c.whole << "\n";
  for (const auto &o : c.options) out << "option " << o.first << " " << o.second << "\n";
  for (const auto &op : c.ops) {
    out << "op " << op.name;
    for (long s : op.slot) out << " " << s;
    for (long p : op.p) out << " " << p;
    out << " " << op.seed << "\n";
  }
  return out;
}

Case read_case(std::istream &in)
{
  Case        c;
  std::string line, word;

  while (std::getline(in, line)) {
    std::istringstream words(line);
    words >> word;
    if (word == "seed") words >> c.seed;
    else if (word == "type") words >> c.type;
    else if (word == "whole") words >> c.whole;
    else if (word == "option") {
      std::string name, value;
      words >> name >> value;
      c.options.emplace_back(name, value);
    } else if (word == "op") {
      Op op;
      words >> op.name;
      for (auto &s : op.slot) words >> s;
      for (auto &p : op.p) words >> p;
      words >> op.seed;
      c.ops.push_back(op);
    }
    if (!words) throw std::runtime_error("not a line of a case: " + line);
  }
  return c;
}

} // namespace goza_fuzz
