/* The machines that are known, each with how its figures were obtained. */
#include "machine.hpp"
#include <array>

namespace goza::locality
{

namespace
{

/* The card of paper P2. Its kernels are not known: nobody has measured ours there. */
Machine c2050()
{
  Machine m;

  m.name        = "c2050";
  m.source      = "paper P2 (Tanabe 2014), table 1, in single precision; with vectors in it eq. 7 below 70 000 rows";
  m.device      = "Tesla C2050";
  m.bandwidth   = 144e9;
  m.cache       = 16 << 10;
  m.value_bytes = 4;
  m.small_rows  = 70000;
  m.modelled    = false;
  return m;
}

/* Fitted to the families `fit` of test/support/study_gallery.cxx by the device's clock: how fast a host launches differs by half from one to the next. The kernels' figures are fitted to
   test/bench/results/products_h200.json and products_h200_large.json, the device's own are not. */
Machine h200()
{
  Machine m;

  m.name          = "h200";
  m.source        = "copy and gather measured on an NVIDIA H200, the kernels' costs fitted to products on it; first cache: NVIDIA's Hopper tuning guide";
  m.device        = "NVIDIA H200";
  m.cache         = 256 << 10;
  m.bandwidth     = 4.25e12;
  m.gather        = 389e9;
  m.l2            = 27.4e6;
  m.l2_bandwidth  = 9.96e12;
  m.kernel_launch = 2.2e-6;
  m.sectors       = 4.05e12;
  m.long_latency  = 2.15e-07;
  m.far_latency   = 58e-9;
  m.fits          = 1.9;
  m.near          = 7.15e+05;
  m.slower        = 1.11;
  m.processors    = 132;
  m.csr           = {4.15e-06, 0.508, 2.37e-07, 4.7e-12, 4.65e-10, 0, 0, 0, 4.61};
  m.sliced_ell    = {2.45e-06, 0.508, 1.47e-07, 0, 0, 0, 2.55e-12, 3.55e-06, 7.05};
  m.shared        = {2.37e-06, 0.5, 9.69e-08, 0, 2.81e-11, 4.07e-12, 2.78e-12, 0, 5.52};
  m.blocks        = {1.92e-06, 0.508, 1.63e-07, 8e-12, 3.11e-10, 6.38e-10, 0, 0, 0};
  m.fold          = {2.51e-06, 0.502, 6.05e-08, 1.35e-11, 1.38e-12, 1.1e-10, 1.43e-12, 2.46e-06, 6.28};
  m.ranges        = {3.27e-06, 0.523, 1.41e-07, 0, 1.09e-10, 1.55e-10, 1.09e-12, 2.54e-06, 2.16};
  m.cds           = {2.2e-06, 0.872, 5.05e-08, 4.06e-12, 0, 0, 0, 3.06e-06, 0};
  m.cds_half      = {2.06e-06, 0.523, 5.66e-08, 8.92e-12, 2.09e-11, 0, 0, 3.22e-06, 0};
  return m;
}

/* A "warp" is 32 lanes of a loop here. Fitted to test/bench/results/products_host.json, of a core that had nothing else to do. */
Machine host()
{
  Machine m;

  m.name          = "host";
  m.source        = "copy and gather measured on a core of an AMD EPYC, the kernels' costs fitted to products on one of an Intel Xeon";
  m.gpu           = false;
  m.line          = 64;
  m.cache         = 1 << 20;
  m.bandwidth     = 16e9;
  m.gather        = 3.8e9;
  m.l2            = 12e6;
  m.l2_bandwidth  = 54e9;
  m.miss          = 1.8e-13;
  m.long_latency  = 7.12e-09;
  m.slower        = 0.125;
  m.near          = 1;
  m.kernel_launch = 20e-9;
  m.sectors       = 2.6e+09;
  m.fits          = 2.78;
  m.csr           = {0, 1.1, 0, 3.45e-09, 1.1e-08, 0, 0, 0, 0.21, 3.31e-09};
  m.sliced_ell    = {0, 0.793, 5.67e-09, 3.46e-09, 1.63e-09, 0, 4.42e-10, 2.89e-06, 0.424, 0};
  m.shared        = {0, 0.583, 5.67e-09, 3.2e-09, 1.03e-12, 1.03e-12, 0, 0, 2, 0};
  m.blocks        = {0, 0.78, 0, 2.7e-09, 0, 0, 0, 0, 0.769, 0};
  m.fold          = {0, 1, 8.24e-09, 4.6e-09, 3.2e-08, 9.23e-08, 2.37e-10, 0, 0.413, 0};
  m.ranges        = m.fold;
  m.cds           = {1.03e-09, 0.57, 4e-09, 2e-09, 0, 0, 3.2e-10, 5.5e-07, 1, 0};
  m.cds_half      = {0, 0.78, 1.4e-09, 6.6e-10, 1.89e-09, 0, 3.3e-11, 0, 2, 0};
  return m;
}

const std::array<Machine, 3> &machines()
{
  static const std::array<Machine, 3> table = {c2050(), h200(), host()};

  return table;
}

} // namespace

const Machine *find_machine(const std::string &name)
{
  for (const Machine &m : machines()) {
    if (m.name == name) return &m;
  }
  return nullptr;
}

/* "NVIDIA H200" and "NVIDIA H200 NVL", and not "NVIDIA H2000" */
const Machine *find_machine_by_device(Space space, const std::string &device)
{
  for (const Machine &m : machines()) {
    if (m.space() == space && !m.device.empty() && (device + " ").rfind(m.device + " ", 0) == 0) return &m;
  }
  return nullptr;
}

std::string machine_names()
{
  std::string names;

  for (const Machine &m : machines()) names += (names.empty() ? "" : ", ") + m.name;
  return names;
}

} // namespace goza::locality
