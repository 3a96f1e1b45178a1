/* The machines that cost.hpp's model knows, and files that describe others. */
#include "cost.hpp"
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace goza::locality
{

namespace
{

/* bandwidth, gather: measured. The rest fitted to the families `fit` of test/support/study_gallery.cxx, measured there by bench_locality,
   by the device's clock: how fast a host launches differs by half from one to the next. */
Machine h200()
{
  Machine m;

  m.name          = "h200";
  m.bandwidth     = 4.25e12;
  m.gather        = 389e9;
  m.l2            = 27.4e6;
  m.l2_bandwidth  = 9.96e12;
  m.kernel_launch = 2.2e-6;
  m.sectors       = 4.05e12;
  m.long_latency  = 184e-9;
  m.far_latency   = 58e-9;
  m.fits          = 1.9;
  m.near          = 0.123e6;
  m.slower        = 0.621;
  m.processors    = 132;
  m.csr           = {4.03e-6, 0.7, 208e-9, 0, 451e-12, 0, 4.75e-12, 0, 1.49};
  m.sliced_ell    = {2.89e-6, 0.7, 133e-9, 0, 0, 0, 3.06e-12, 0, 6.05};
  m.shared        = {2.18e-6, 0.5, 124e-9, 0, 0, 0, 2.46e-12, 0, 6.83};
  m.blocks        = {2.37e-6, 0.7, 163e-9, 0, 77.8e-12, 0, 0, 0, 0};
  m.fold          = {3.86e-6, 0.7, 49.4e-9, 0, 96.4e-12, 0, 0, 2.54e-6, 6.95};
  m.cds           = {2.78e-6, 0.872, 51.2e-9, 6.58e-12, 0, 0, 0, 2.27e-6, 0};
  m.cds_half      = {2.58e-6, 0.7, 40.5e-9, 11.6e-12, 0, 0, 0, 2.43e-6, 0};
  return m;
}

/* One core of a server. A "warp" is 32 lanes of a loop here. Fitted in the same way, on a core of an AMD EPYC that had nothing else to do. */
Machine host()
{
  Machine m;

  m.name          = "host";
  m.device        = false;
  m.bandwidth     = 16e9;
  m.gather        = 3.8e9;
  m.l2            = 12e6;
  m.l2_bandwidth  = 54e9;
  m.miss          = 0.96e-9;
  m.kernel_launch = 20e-9;
  m.sectors       = 5.2e9;
  m.fits          = 1.3;
  m.csr           = {0.14e-6, 1, 0, 0.59e-9, 0.05e-9, 0, 1.8e-9, 0, 1};
  m.sliced_ell    = {0.12e-6, 1.2, 0, 3.2e-9, 0, 0, 1.4e-9, 0, 1};
  m.shared        = m.sliced_ell;
  m.blocks        = m.sliced_ell;
  m.fold          = {0.77e-6, 1, 0, 4.6e-9, 32e-9, 15e-9, 0, 0, 1};
  m.cds           = {0, 0.57, 0, 0, 0, 0, 0.15e-9, 1.1e-6, 1};
  m.cds_half      = {0, 0.78, 0, 0.66e-9, 0, 0, 0, 0.9e-6, 1};
  return m;
}

/* Every figure of a file: its name, and what a machine may have. */
struct Figure {
  std::string name;
  double     *value;
  double      least, most;
};

std::vector<Figure> figures_of(Machine &m)
{
  std::vector<Figure> f = {{"bandwidth", &m.bandwidth, 1e8, 1e14}, {"gather", &m.gather, 1e6, 1e14}, {"l2", &m.l2, 1e4, 1e11}, {"l2_bandwidth", &m.l2_bandwidth, 1e8, 1e15}, {"miss", &m.miss, 0, 1e-3}, {"kernel_launch", &m.kernel_launch, 1e-10, 1}, {"sectors", &m.sectors, 1e7, 1e15}, {"long_latency", &m.long_latency, 0, 1e-4}, {"far_latency", &m.far_latency, 0, 1e-4}, {"fits", &m.fits, 1e-3, 100}, {"near", &m.near, 1, 1e12}, {"slower", &m.slower, 0, 100}};
  const struct {
    const char      *name;
    KernelConstants *k;
  } kernels[] = {{"csr", &m.csr}, {"slicedell", &m.sliced_ell}, {"slicedell_shared", &m.shared}, {"slicedell_blocks", &m.blocks}, {"fold", &m.fold},
                 {"cds", &m.cds}, {"cds_half", &m.cds_half}};

  for (const auto &[name, k] : kernels) {
    const std::string dot = std::string(name) + ".";

    f.push_back({dot + "launch", &k->launch, 0, 1});
    f.push_back({dot + "stream", &k->stream, 0.1, 10});
    f.push_back({dot + "latency", &k->latency, 0, 1e-3});
    f.push_back({dot + "step", &k->step, 0, 1e-3});
    f.push_back({dot + "warp", &k->warp, 0, 1e-3});
    f.push_back({dot + "part", &k->part, 0, 1e-3});
    f.push_back({dot + "row", &k->row, 0, 1e-3});
    f.push_back({dot + "second", &k->second, 0, 1});
    f.push_back({dot + "request", &k->request, 0, 100});
  }
  return f;
}

} // namespace

static const std::array<Machine, 2> &machines()
{
  static const std::array<Machine, 2> table = {h200(), host()};

  return table;
}

const Machine *find_machine(const std::string &name)
{
  for (const Machine &m : machines()) {
    if (m.name == name) return &m;
  }
  return nullptr;
}

const Machine &machine_for(Space space)
{
  return *find_machine(space == Space::Cuda ? "h200" : "host");
}

Machine read_machine(const std::string &file)
{
  std::ifstream in(file);
  std::string   line, word, text;
  Machine       m;
  bool          kind = false;

  if (!in) throw std::runtime_error("platform " + file + " is no known name, and no such file can be opened");
  std::vector<Figure> wanted = figures_of(m);
  std::vector<bool>   seen(wanted.size());

  while (std::getline(in, line)) {
    std::istringstream words(line.substr(0, line.find('#')));

    if (!(words >> word)) continue;
    if (!(words >> text)) throw std::runtime_error(file + ": " + word + " has no value");
    if (word == "name") m.name = text;
    else if (word == "kind") {
      if (text != "host" && text != "gpu") throw std::runtime_error(file + ": kind is host or gpu, not " + text);
      m.device = text == "gpu";
      kind     = true;
    } else {
      char        *end   = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      bool         known = false;

      if (*end || !std::isfinite(value)) throw std::runtime_error(file + ": " + word + " " + text + " is not a number");
      if (word == "processors") {
        if (value < 1 || value > 1e5 || value != std::floor(value))
          throw std::runtime_error(file + ": processors " + text + " is not a number from 1 to 100000");
        m.processors = static_cast<int>(value);
        continue;
      }
      for (std::size_t k = 0; k < wanted.size(); k++) {
        if (wanted[k].name != word) continue;
        if (value < wanted[k].least || value > wanted[k].most) {
          char range[96];

          std::snprintf(range, sizeof(range), " is not from %g to %g", wanted[k].least, wanted[k].most);
          throw std::runtime_error(file + ": " + word + " " + text + range);
        }
        *wanted[k].value = value;
        known = seen[k] = true;
      }
      if (!known) throw std::runtime_error(file + ": " + word + " is no figure of a platform");
    }
  }
  if (!kind || m.name.empty()) throw std::runtime_error(file + ": not a platform file: it has no " + (kind ? "name" : "kind"));
  for (std::size_t k = 0; k < wanted.size(); k++) {
    if (!seen[k]) throw std::runtime_error(file + ": " + wanted[k].name + " is missing");
  }
  if (m.l2_bandwidth < m.bandwidth) throw std::runtime_error(file + ": l2_bandwidth is below bandwidth");
  return m;
}

void write_machine(const Machine &machine, const std::string &file)
{
  Machine       m = machine;
  std::ofstream out(file);

  out << "# A platform of Goza's model of products, see src/locality/cost.hpp. Bytes, seconds, and their quotients.\nname " << m.name << "\nkind " << (m.device ? "gpu" : "host") << "\nprocessors " << m.processors << "\n";
  for (const Figure &f : figures_of(m)) out << f.name << " " << *f.value << "\n";
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

} // namespace goza::locality
