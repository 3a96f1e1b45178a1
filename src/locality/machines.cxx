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

/* Fitted to the families `fit` of test/support/study_gallery.cxx by the device's clock: how fast a host launches differs by half from one to the next. All but bandwidth, gather and
   far_latency come from `fit_model -fit -choice 0.5` of test/bench/results/products_h200.json and products_h200_large.json together. */
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

/* A "warp" is 32 lanes of a loop here. The kernels and the bandwidths of caches by `fit_model -fit -choice 0.5 -restarts 120` of test/bench/results/products_host.json, of a core that had
   nothing else to do. */
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
  m.l2_bandwidth  = 2.48e+10;
  m.own_bandwidth = 5e+10;
  m.miss          = 1.57e-09;
  m.long_latency  = 0;
  m.slower        = 2.65;
  m.near          = 2.34;
  m.kernel_launch = 20e-9;
  m.sectors       = 4.44e+09;
  m.fits          = 2.78;
  m.csr           = {0, 0.701, 0, 2.73e-09, 2.38e-08, 1.12e-09, 2.75e-10, 0, 0.207, 2.89e-09};
  m.sliced_ell    = {0, 0.748, 5.67e-09, 3.12e-09, 7.54e-10, 0, 2.94e-10, 5.01e-06, 0.27, 0};
  m.shared        = {0, 0.57, 5.67e-09, 4.68e-09, 4.52e-10, 2e-12, 2e-12, 0, 0, 0};
  m.blocks        = {3.26e-07, 0.504, 0, 3.86e-09, 0, 0, 0, 0, 0, 0};
  m.fold          = {0, 0.527, 8.24e-09, 5.98e-09, 1.36e-08, 1.17e-07, 8.15e-10, 0, 0.991, 0};
  m.ranges        = m.fold;
  m.cds           = {0, 0.847, 4e-09, 1.39e-10, 0, 0, 1.72e-10, 0, 0, 0};
  m.cds_half      = {5.65e-07, 0.816, 1.4e-09, 3.11e-09, 0, 0, 1.37e-10, 0, 0, 0};
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
