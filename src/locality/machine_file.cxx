/* Files that describe a machine: lines "name value", # begins a comment. */
#include "machine.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace goza::locality {

std::vector<MachineFigure> figures_of(Machine &m)
{
  std::vector<MachineFigure> f = {{"bandwidth", &m.bandwidth, 1e8, 1e14, false},
                                  {"gather", &m.gather, 1e6, 1e14, false},
                                  {"l2", &m.l2, 1e4, 1e11, false},
                                  {"l2_bandwidth", &m.l2_bandwidth, 1e8, 1e15, false},
                                  {"own_bandwidth", &m.own_bandwidth, 0, 1e15, false},
                                  {"miss", &m.miss, 0, 1e-3, false},
                                  {"kernel_launch", &m.kernel_launch, 1e-10, 1, false},
                                  {"sectors", &m.sectors, 1e7, 1e15, true},
                                  {"long_latency", &m.long_latency, 0, 1e-4, false},
                                  {"far_latency", &m.far_latency, 0, 1e-4, false},
                                  {"remembers", &m.remembers, 0, 1e12, false},
                                  {"fits", &m.fits, 1e-3, 100, false},
                                  {"near", &m.near, 1, 1e12, false},
                                  {"slower", &m.slower, 0, 100, false}};
  const struct {
    const char      *name;
    KernelConstants *k;
  } kernels[] = {{"csr", &m.csr},
                 {"slicedell", &m.sliced_ell},
                 {"slicedell_shared", &m.shared},
                 {"slicedell_blocks", &m.blocks},
                 {"fold", &m.fold},
                 {"fold_ranges", &m.ranges},
                 {"cds", &m.cds},
                 {"cds_half", &m.cds_half}};

  for (const auto &[name, k] : kernels) {
    const std::string dot = std::string(name) + ".";

    f.push_back({dot + "launch", &k->launch, 0, 1, true});
    f.push_back({dot + "stream", &k->stream, 0.1, 10, true});
    f.push_back({dot + "latency", &k->latency, 0, 1e-3, true});
    f.push_back({dot + "step", &k->step, 0, 1e-3, true});
    f.push_back({dot + "warp", &k->warp, 0, 1e-3, true});
    f.push_back({dot + "part", &k->part, 0, 1e-3, true});
    f.push_back({dot + "row", &k->row, 0, 1e-3, true});
    f.push_back({dot + "second", &k->second, 0, 1, true});
    f.push_back({dot + "request", &k->request, 0, 100, true});
    f.push_back({dot + "turn", &k->turn, 0, 1e-3, true});
  }
  return f;
}

namespace {

struct Reader {
  const std::string         &file;
  Machine                    machine;
  std::vector<MachineFigure> figures;
  std::vector<bool>          seen;
  const Machine             *base = nullptr;
  bool                       kind = false;

  explicit Reader(const std::string &name) : file(name), figures(figures_of(machine)), seen(figures.size()) { }

  [[noreturn]] void refuse(const std::string &why) const { throw std::runtime_error(file + ": " + why); }

  bool has(const char *name) const
  {
    for (std::size_t k = 0; k < figures.size(); k++)
      if (figures[k].name == name) return seen[k];
    return false;
  }

  void start_from(const std::string &name)
  {
    const std::string own = machine.name, device = machine.device, source = machine.source;
    const bool        gpu = machine.gpu;

    base = find_machine(name);
    if (!base || !base->modelled) refuse("from " + name + " is no known platform with a model");
    for (bool one : seen)
      if (one) refuse("`from` comes after a figure");
    if (kind && gpu != base->gpu) refuse("kind is not that of " + name);
    machine        = *base;
    machine.name   = own;
    machine.device = device;
    machine.source = source;
  }

  int whole(const std::string &word, const std::string &text, double value, double most) const
  {
    if (value < 1 || value > most || value != std::floor(value)) {
      char range[64];

      std::snprintf(range, sizeof(range), " is not a number from 1 to %.0f", most);
      refuse(word + " " + text + range);
    }
    return static_cast<int>(value);
  }

  void figure(const std::string &word, const std::string &text)
  {
    char        *end   = nullptr;
    const double value = std::strtod(text.c_str(), &end);

    if (*end || !std::isfinite(value)) refuse(word + " " + text + " is not a number");
    if (word == "processors") machine.processors = whole(word, text, value, 1e5);
    else if (word == "line") machine.line = whole(word, text, value, 4096);
    else if (word == "cache") machine.cache = whole(word, text, value, 2e9);
    else {
      for (std::size_t k = 0; k < figures.size(); k++) {
        if (figures[k].name != word) continue;
        if (value < figures[k].least || value > figures[k].most) {
          char range[96];

          std::snprintf(range, sizeof(range), " is not from %g to %g", figures[k].least, figures[k].most);
          refuse(word + " " + text + range);
        }
        *figures[k].value = value;
        seen[k]           = true;
        return;
      }
      refuse(word + " is no figure of a platform");
    }
  }

  /* What the kernels of the base cost goes with how fast this machine's last cache is. How long one empty kernel takes after another does not count: that is
     how fast a host asks for them, and a product's launch, by the device's clock, is as long on another card's host. */
  void scale_kernels()
  {
    const double cache = has("l2_bandwidth") ? base->l2_bandwidth / machine.l2_bandwidth : 1;

    for (std::size_t k = 0; k < figures.size(); k++) {
      const std::string what = figures[k].name.substr(figures[k].name.find('.') + 1);

      if (!figures[k].of_kernel || seen[k]) continue;
      if (what == "sectors") *figures[k].value /= cache;
      else if (what == "step" || what == "warp" || what == "part" || what == "row") *figures[k].value *= cache;
    }
    if (!has("l2_bandwidth")) machine.l2_bandwidth = std::max(machine.l2_bandwidth, machine.bandwidth);
  }

  Machine finish()
  {
    if (!kind || machine.name.empty()) refuse(std::string("not a platform file: it has no ") + (kind ? "name" : "kind"));
    for (std::size_t k = 0; !base && k < figures.size(); k++)
      if (!seen[k]) refuse(figures[k].name + " is missing");
    if (base) scale_kernels();
    if (machine.l2_bandwidth < machine.bandwidth) refuse("l2_bandwidth is below bandwidth");
    if (machine.source.empty()) machine.source = file;
    return machine;
  }
};

} // namespace

Machine machine_from_text(const std::string &text, const std::string &file)
{
  std::istringstream in(text);
  std::string        line, word, value;
  Reader             r(file);

  while (std::getline(in, line)) {
    std::istringstream words(line.substr(0, line.find('#')));

    if (!(words >> word)) continue;
    if (!(words >> value)) r.refuse(word + " has no value");
    if (word == "source" || word == "device") { // the rest of the line
      std::string rest;

      std::getline(words, rest);
      (word == "source" ? r.machine.source : r.machine.device) = value + rest;
    } else if (word == "name") r.machine.name = value;
    else if (word == "from") r.start_from(value);
    else if (word == "kind") {
      if (value != "host" && value != "gpu") r.refuse("kind is host or gpu, not " + value);
      r.machine.gpu = value == "gpu";
      r.kind        = true;
    } else r.figure(word, value);
  }
  return r.finish();
}

Machine read_machine(const std::string &file)
{
  std::ifstream     in(file);
  std::stringstream text;

  if (!in) throw std::runtime_error("platform " + file + " is no known name (" + machine_names() + "), and no such file can be opened");
  text << in.rdbuf();
  return machine_from_text(text.str(), file);
}

std::string machine_text(const Machine &machine)
{
  Machine            m = machine;
  std::ostringstream out;

  out << "# A platform of Goza's models, see src/locality/machine.hpp. Bytes, seconds, and their quotients.\nname " << m.name << "\nkind "
      << (m.gpu ? "gpu" : "host") << "\nline " << m.line << "\ncache " << std::max(1, m.cache) << "\nprocessors " << m.processors << "\n";
  if (!m.source.empty()) out << "source " << m.source << "\n";
  if (!m.device.empty()) out << "device " << m.device << "\n";
  for (const MachineFigure &f : figures_of(m)) out << f.name << " " << *f.value << "\n";
  return out.str();
}

void write_text(const std::string &text, const std::string &file)
{
  const std::string part = file + "." + std::to_string(static_cast<long>(getpid()));
  std::ofstream     out(part);

  out << text;
  out.close();
  if (!out || std::rename(part.c_str(), file.c_str())) {
    std::remove(part.c_str());
    throw std::runtime_error("cannot write " + file);
  }
}

} // namespace goza::locality
