/* The machine at hand: by its name, else by what was measured once and is kept in the user's cache folder. */
#include "machine.hpp"
#include "core/device/properties.hpp"
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <sys/stat.h>

namespace goza::locality {
namespace {

struct Found { // measured, or read from the kept file
  std::unique_ptr<const Machine> machine;
  bool                           looked = false;
};

std::unique_ptr<const Machine> chosen;

Found &found_in(Space space)
{
  static std::array<Found, 2> found;

  return found[space == Space::Cuda];
}

/* Letters and digits as they are, and one '-' for each run of other characters. */
std::string slug(const std::string &text)
{
  std::string out;

  for (char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c))) out += c;
    else if (!out.empty() && out.back() != '-') out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "unnamed" : out;
}

std::string processor_name()
{
  std::ifstream in("/proc/cpuinfo");
  std::string   line;

  while (std::getline(in, line)) {
    const std::size_t at = line.find(": ");

    if (line.rfind("model name", 0) == 0 && at != std::string::npos) return line.substr(at + 2);
  }
  return "unknown processor";
}

/* The user's cache folder, and Goza's in it; "" where there is none. */
std::string cache_folder()
{
  const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");

  if (cache && cache[0] == '/') return cache;
  return home && home[0] == '/' ? std::string(home) + "/.cache" : "";
}

/* Whose kernels' costs go with what is measured: a processor's name stands for several machines, a GPU's for one. */
const Machine &reference(Space space, const std::string &device)
{
  const Machine *named = find_machine_by_device(space, device);

  return named ? *named : *find_machine(space == Space::Cuda ? "h200" : "host");
}

/* How a calibration of it was obtained: what Calibration::text() says. */
std::string source_of(Space space, const std::string &device)
{
  return "measured on " + device + " by a copy and a gather; the kernels' costs are those of " + reference(space, device).name +
         (space == Space::Cuda ? ", scaled by L2" : "");
}

/* nullptr: there is no file, or it is not one of this machine, or of a Goza that took the kernels' costs from elsewhere. */
std::unique_ptr<const Machine> read_kept(Space space)
{
  const std::string file = kept_calibration(space);

  if (file.empty() || !std::ifstream(file)) return nullptr;
  try {
    auto machine = std::make_unique<const Machine>(read_machine(file));

    return machine->space() == space && machine->device == device_name(space) && machine->source == source_of(space, machine->device) ? std::move(machine)
                                                                                                                                      : nullptr;
  } catch (const std::runtime_error &) { // it will be measured, and written, again
    return nullptr;
  }
}

void keep(const std::string &text, Space space)
{
  const std::string file = kept_calibration(space), folder = file.substr(0, file.rfind('/'));

  if (file.empty()) return;
  (void)mkdir(cache_folder().c_str(), 0700);
  (void)mkdir(folder.c_str(), 0700);
  try {
    write_text(text, file);
  } catch (const std::runtime_error &) { // the next process measures again
  }
}

/* Without measuring: nullptr where it is not known. */
const Machine *known(Space space)
{
  if (const Machine *named = space == Space::Cuda ? find_machine_by_device(space, device_name(space)) : nullptr) return named;
  Found &found = found_in(space);

  if (!found.looked) found.machine = read_kept(space);
  found.looked = true;
  return found.machine.get();
}

} // namespace

std::string device_name(Space space)
{
  static const std::string host = processor_name(), gpu = device::name(); // what is asked for often costs much

  return space == Space::Cuda ? gpu : host;
}

std::string kept_calibration(Space space)
{
  const std::string folder = cache_folder();

  return folder.empty() ? "" : folder + "/goza/platform-" + slug(device_name(space)) + ".txt";
}

std::string Calibration::text() const
{
  std::ostringstream out;
  const bool         gpu = space == Space::Cuda;

  out << "# Measured by Goza on the device named below; bytes, seconds, and their quotients. What the kernels of a product cost is not measured: see "
         "`from`.\nname "
      << slug(device) << "\nkind " << (gpu ? "gpu" : "host") << "\ndevice " << device << "\nsource " << source_of(space, device) << "\nfrom "
      << reference(space, device).name << "\nbandwidth " << bandwidth << "\ngather " << gather << "\nl2 " << l2 << "\n";
  if (gpu) out << "l2_bandwidth " << l2_bandwidth << "\nkernel_launch " << kernel_launch << "\n";
  out << "# as the system tells them\nline " << line << "\ncache " << cache << "\n";
  if (gpu) out << "processors " << processors << "\n";
  return out.str();
}

const Machine &this_machine(Space space)
{
  if (const Machine *machine = known(space)) return *machine;
  const std::string text = calibrate(space).text();

  found_in(space).machine = std::make_unique<const Machine>(machine_from_text(text, "the calibration"));
  keep(text, space);
  return *found_in(space).machine;
}

void choose_machine(const Machine *machine) { chosen.reset(machine ? new Machine(*machine) : nullptr); }

const Machine *chosen_machine() { return chosen.get(); }

const Machine &machine_for(Space space)
{
  if (chosen && chosen->modelled && chosen->space() == space) return *chosen;
  if (space == Space::Host) return reference(space, device_name(space));
  if (const Machine *machine = known(space)) return *machine;
  return *find_machine("h200");
}

} // namespace goza::locality
