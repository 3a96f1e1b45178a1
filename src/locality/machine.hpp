/* The machines that the models are asked about: one table of those known (machines.cxx), files that describe others (machine_file.cxx), and what is measured on
   the one at hand (calibrate.cu, this_machine.cxx). */
#pragma once
#include "core/device/space.hpp"
#include <string>
#include <vector>

namespace goza::locality {

/* What differs between the kernels of the formats. Times in seconds, of the whole machine. */
struct KernelConstants {
  double launch  = 0; // of a product of nothing, by the device's clock
  double stream  = 1; // bytes moved for one of the arrays
  double latency = 0; // of a step of one thread
  double step    = 0; // of a warp
  double warp    = 0; // of a warp's beginning and end
  double part    = 0; // of a warp more because rows are shared by lanes
  double row     = 0;
  double second  = 0; // kernel
  double request = 1; // of a sector of x, in those of `sectors`: CDS asks for neighbours at once
  double turn    = 0; // of the end of a row whose length the processor does not foresee
};

struct Machine {
  std::string name;
  std::string source; // how its figures were obtained
  std::string device; // what the system calls it: the name of the GPU or of the processor; of a known machine, how that begins
  bool        gpu       = true;
  double      bandwidth = 0; // B/s of a copy, both ways; W_cache of paper P2's eq. 2

  /* Of paper P2's models alone. */
  int      line        = 128; // L: bytes
  int      cache       = 0;   // bytes by which P2 measures hits: of a GPU's first cache, of a core's own (the second)
  int      value_bytes = 0;   // F that the figures are meant for; 0: PetscScalar's
  PetscInt small_rows  = 0;   // below this many rows eq. 7 replaces eq. 3; 0: never, since its coefficient was fitted on one card
  struct HitLine {
    double at_one = 0, slope = 0; // hits = at_one + slope log10(temporal index), figure 4
  } few_rows, many_rows;          // below small_rows and above

  /* Of Goza's model alone (cost.hpp). */
  bool            modelled      = true; // its kernels' costs are known
  double          gather        = 0;    // B/s of x when 8 bytes each are read at random from memory
  double          l2            = 0;    // bytes of the last cache that count
  double          l2_bandwidth  = 0;    // B/s
  double          own_bandwidth = 0;    // B/s of what fits in a core's own cache; 0: l2_bandwidth
  double          miss          = 0;    // s: of a line of x that comes from there; 0: its bytes at l2_bandwidth
  double          kernel_launch = 0;    // s: from one empty kernel to the next
  double          sectors       = 0;    // of x a second
  double          long_latency  = 0;    // s: of a step of a thread that has many
  double          far_latency   = 0;    // the same, more, where a long row comes from memory
  double          near          = 1;    // bytes of arrays up to which a step waits as little as it can
  double          slower        = 0;    // share by which it waits longer where they take 40 times as much, or more
  double          remembers     = 0;    // entries in rows whose ends a processor still foresees, since it remembers them from the product before
  double          fits          = 1;    // products a little beyond l2 still find part of their arrays there: none at (0.5 + fits) l2
  int             processors    = 1;    // that blocks are spread over
  KernelConstants csr, sliced_ell, fold, cds, cds_half;
  KernelConstants shared, blocks; // sliced ELL whose slices share their columns; with one column index a dense block
  KernelConstants ranges;         // Fold whose blocks take consecutive groups

  Space space() const { return gpu ? Space::Cuda : Space::Host; }
};

const Machine *find_machine(const std::string &name);                          // nullptr: none
const Machine *find_machine_by_device(Space space, const std::string &device); // by what the system calls it
std::string    machine_names();                                                // of all known ones: "c2050, h200, host, epyc"

/* --- files */

/* Every figure of a machine that a file may have. */
struct MachineFigure {
  std::string name;
  double     *value;
  double      least, most; // of what a machine may have
  bool        of_kernel;
};
std::vector<MachineFigure> figures_of(Machine &machine);

/* A file has lines "name value". Without a line `from` it has every figure; with `from NAME` what it does not have is the known machine's, and where it says
   how fast L2 is, the kernels' costs that go with it are scaled. Throws std::runtime_error where the file or a figure in it cannot be. */
Machine read_machine(const std::string &file);
Machine machine_from_text(const std::string &text, const std::string &file); // file: for messages
void    write_text(const std::string &text, const std::string &file);        // whole or not at all: other processes may read it

std::string machine_text(const Machine &machine); // with every figure

/* --- this machine */

/* What was measured of it, and nothing else. */
struct Calibration {
  std::string device;
  Space       space     = Space::Host;
  double      bandwidth = 0, gather = 0, l2 = 0;
  double      l2_bandwidth = 0, kernel_launch = 0;  // of a GPU
  int         line = 64, cache = 0, processors = 1; // as the system tells them

  std::string text() const; // of a file
};

Calibration calibrate(Space space); // takes about a second

std::string    device_name(Space space);               // of this machine, as the system calls it
std::string    kept_calibration(Space space);          // the file in the user's cache folder; "": there is none
const Machine &this_machine(Space space);              // a GPU by its name, else by the kept calibration, else measured now, and kept
void           choose_machine(const Machine *machine); // -goza_platform; nullptr: auto
const Machine *chosen_machine();                       // nullptr: auto

/* That products in this space are compared on: the chosen one where it is of that space, a known one by name, a GPU by kept calibration, else the reference for
   the space. Nothing is measured, and on a host no earlier view changes what is chosen. */
const Machine &machine_for(Space space);

} // namespace goza::locality
