/* The machines that are known, each with how its figures were obtained. */
#include "machine.hpp"
#include <array>

namespace goza::locality {

/* The card of paper P2. Its kernels are not known: nobody has measured ours there. */
static Machine c2050()
{
  Machine m;

  m.name        = "c2050";
  m.source      = "paper P2 (Tanabe 2014), table 1, in single precision; with vectors in it eq. 7 below 70 000 rows";
  m.device      = "Tesla C2050";
  m.bandwidth   = 144e9;
  m.cache       = 16 << 10;
  m.value_bytes = 4;
  m.small_rows  = 70000;
  m.few_rows    = {1.32, -0.267}; // through our hits of 105 matrices in Fold's order: the paper draws lines and prints none
  m.many_rows   = {1.37, -0.322};
  m.modelled    = false;
  return m;
}

/* Fitted to the families `fit` of test/support/study_gallery.cxx by the device's clock: how fast a host launches differs by half from one to the next. All but
   bandwidth, gather and far_latency come from `fit_model -fit -choice 0.5` of test/bench/results/products_h200.json and products_h200_large.json together. */
static Machine h200()
{
  Machine m;

  m.name          = "h200";
  m.source        = "copy and gather measured on an NVIDIA H200, the kernels' costs fitted to products on it; first cache: NVIDIA's Hopper tuning guide";
  m.device        = "NVIDIA H200";
  m.cache         = 256 << 10;
  m.bandwidth     = 4.25e12;
  m.gather        = 389e9;
  m.l2            = 27.4e6;
  m.l2_bandwidth  = 8.85e+12;
  m.kernel_launch = 2.2e-6;
  m.sectors       = 4.43e+12;
  m.long_latency  = 1.9e-07;
  m.far_latency   = 58e-9;
  m.fits          = 1.84;
  m.near          = 1.22e+06;
  m.slower        = 0.498;
  m.processors    = 132;
  m.csr           = {4.15e-06, 0.508, 2.51e-07, 8.13e-12, 4.38e-10, 0, 4.59e-12, 0, 3.17};
  m.sliced_ell    = {2.31e-06, 0.508, 1.77e-07, 0, 0, 0, 5.52e-12, 3.79e-06, 8.47};
  m.shared        = {2.3e-06, 0.515, 1.36e-07, 0, 6.26e-11, 8.73e-11, 1.74e-12, 0, 5.2};
  m.blocks        = {1.92e-06, 0.589, 1.63e-07, 1.18e-11, 3.9e-10, 7.45e-10, 0, 0, 0.106};
  m.fold          = {2.3e-06, 0.502, 8.18e-08, 1.33e-11, 1.13e-12, 2.14e-10, 6.14e-12, 2.39e-06, 4.42};
  m.ranges        = {4.2e-06, 0.542, 1.69e-07, 0, 7.23e-11, 1.4e-10, 1.18e-12, 2.54e-06, 2.02};
  m.cds           = {2.58e-06, 0.738, 5.72e-08, 1.11e-11, 0, 0, 0, 2.38e-06, 0.198};
  m.cds_half      = {2e-06, 0.633, 7.76e-08, 6.09e-12, 1.57e-11, 0, 0, 2.95e-06, 0};
  return m;
}

/* A "warp" is 32 lanes of a loop here. The kernels and the bandwidths of caches by `fit_model -fit -choice 0.5 -restarts 120` of
   test/bench/results/products_host.json, of a core that had nothing else to do. */
static Machine host()
{
  Machine m;

  m.name          = "host";
  m.source        = "copy and gather measured on a core of an AMD EPYC, the kernels' costs fitted to products on one of an Intel Xeon";
  m.gpu           = false;
  m.line          = 64;
  m.cache         = 1 << 20;
  m.bandwidth     = 1.6e+10;
  m.gather        = 3.8e+09;
  m.l2            = 1.2e+07;
  m.l2_bandwidth  = 2.38e+10;
  m.own_bandwidth = 4.58e+10;
  m.miss          = 2.3e-09;
  m.long_latency  = 0;
  m.slower        = 2.82;
  m.near          = 1.21;
  m.remembers     = 1.09e+04;
  m.kernel_launch = 2e-08;
  m.sectors       = 9.84e+09;
  m.fits          = 2.78;
  m.csr           = {2.35e-07, 0.629, 0, 4.46e-09, 1.04e-08, 1.27e-09, 2.7e-10, 0, 0.393, 3.87e-09};
  m.sliced_ell    = {2.31e-08, 0.705, 5.67e-09, 3.46e-09, 0, 0, 0, 4.46e-06, 0.646, 2.29e-09};
  m.shared        = {1.97e-09, 0.822, 5.67e-09, 1.39e-09, 1.5e-12, 1.98e-10, 1.16e-11, 0, 0, 0};
  m.blocks        = {0, 0.567, 0, 2.27e-09, 2.8e-09, 2.1e-10, 0, 0, 0, 4.64e-09};
  m.fold          = {1.56e-09, 0.593, 8.24e-09, 5.98e-09, 1.91e-08, 1.13e-07, 1.73e-10, 0, 1.33, 6.57e-10};
  m.ranges        = m.fold;
  m.cds           = {0, 0.768, 4e-09, 0, 7.59e-10, 4.87e-11, 1.82e-10, 0, 0, 0};
  m.cds_half      = {1.61e-07, 0.645, 1.4e-09, 2.66e-09, 6.21e-09, 9.24e-11, 1.53e-10, 0, 0, 0};
  return m;
}

/* The same of products_epyc.json; bandwidth, gather and l2 by a calibration. The other core of that machine was at work. A step of blocks by products of 3 x 3
   and 6 x 6 in both precisions, which were made faster since. */
static Machine epyc()
{
  Machine m;

  m.name          = "epyc";
  m.source        = "copy and gather measured on a core of an AMD EPYC, the kernels' costs fitted to products on it";
  m.device        = "AMD EPYC";
  m.gpu           = false;
  m.line          = 64;
  m.cache         = 1 << 20;
  m.bandwidth     = 3.98e+10;
  m.gather        = 1.18e+09;
  m.l2            = 1.68e+07;
  m.l2_bandwidth  = 7.76e+10;
  m.own_bandwidth = 0;
  m.miss          = 1.8e-09;
  m.long_latency  = 7.11e-08;
  m.slower        = 0;
  m.near          = 1.21;
  m.remembers     = 7.52e+04;
  m.kernel_launch = 2e-08;
  m.sectors       = 1.46e+10;
  m.fits          = 2.78;
  m.csr           = {2.03e-07, 1.08, 0, 2.53e-09, 2.35e-09, 0, 2.92e-11, 0, 2.56, 4.4e-09};
  m.sliced_ell    = {1.16e-07, 0.893, 5.67e-09, 3.54e-09, 5.38e-11, 1.04e-12, 2.52e-10, 5.1e-07, 2, 1.56e-09};
  m.shared        = {5.59e-09, 0.969, 5.67e-09, 4.68e-09, 8.64e-10, 6.6e-12, 8.03e-11, 0, 0, 0};
  m.blocks        = {0, 0.504, 0, 1.2e-09, 1.79e-09, 4.07e-11, 0, 0, 0.426, 5.29e-09};
  m.fold          = {0, 0.931, 8.24e-09, 5.37e-09, 4.16e-09, 7.34e-08, 6.31e-10, 0, 1.85, 2.68e-10};
  m.ranges        = m.fold;
  m.cds           = {1.7e-07, 0.798, 4e-09, 7.69e-11, 4.09e-09, 1.11e-10, 9.62e-13, 0, 0.745, 0};
  m.cds_half      = {1.45e-07, 0.869, 1.4e-09, 2.14e-09, 3.38e-09, 1.51e-10, 3.69e-12, 0, 0.141, 0};
  return m;
}

const std::array<Machine, 4> &machines()
{
  static const std::array<Machine, 4> table = {c2050(), h200(), host(), epyc()};

  return table;
}

const Machine *find_machine(const std::string &name)
{
  for (const Machine &m : machines())
    if (m.name == name) return &m;
  return nullptr;
}

/* "NVIDIA H200" and "NVIDIA H200 NVL", and not "NVIDIA H2000" */
const Machine *find_machine_by_device(Space space, const std::string &device)
{
  for (const Machine &m : machines())
    if (m.space() == space && !m.device.empty() && (device + " ").rfind(m.device + " ", 0) == 0) return &m;
  return nullptr;
}

std::string machine_names()
{
  std::string names;

  for (const Machine &m : machines()) names += (names.empty() ? "" : ", ") + m.name;
  return names;
}

} // namespace goza::locality
