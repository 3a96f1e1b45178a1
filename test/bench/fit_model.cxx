/* The constants of Goza's model of products, fitted to what bench_locality measured, and how well it does on families that were not fitted to.

     fit_model -json FILE[,FILE...] [-platform auto|NAME|FILE,...] [-fit [-choice WEIGHT] [-restarts N]] [-out FILE]

   Without -fit it only reports, on every platform that is named. -platform: where a fit begins; auto: the device's own, by its name, else the reference for the
   space.
   -out: the machine, for -platform, -goza_platform and machines.cxx. Patterns are generated again, and the model is asked as autoformat asks it. How a fit goes
   about it: fit_search.hpp. A run that was cut off is an error. */
#include "petscgoza.h"
#include "fit_search.hpp"
#include "../support/bench_timing.hpp"
#include "petsc/errors.hpp"
#include <algorithm>
#include <fstream>
#include <future>
#include <map>
#include <thread>

using namespace goza_test;

/* What follows "name": in a line that bench_locality wrote; "" where there is none. */
static std::string Member(const std::string &line, const std::string &name)
{
  const std::size_t at = line.find("\"" + name + "\": ");

  if (at == std::string::npos) return "";
  std::string value = line.substr(at + name.size() + 4);
  const bool  text  = value[0] == '"';
  if (text) value.erase(0, 1);
  return value.substr(0, value.find_first_of(text ? "\"" : ",}"));
}

using Measured = std::map<std::string, std::map<std::string, double>>; // seconds, by matrix and format
using LeftOut  = std::map<std::string, int>;                           // products that are not asked about, by why

static PetscErrorCode Read(const std::string &file, Measured *all, LeftOut *left_out, std::string *device, goza::Space *space)
{
  std::ifstream in(file);
  std::string   line;
  bool          whole = false;

  PetscFunctionBeginUser;
  PetscCheck(in, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-json: cannot open %s", file.c_str());
  while (std::getline(in, line)) {
    const std::string format = Member(line, "format"), run = Member(line, "run");

    whole = whole || run == "whole";
    if (run == "products") {
      PetscCheck(device->empty() || *device == Member(line, "device"), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
                 "%s is of another device than the files before it", file.c_str());
      *device = Member(line, "device");
      *space  = Member(line, "space") == "host" ? goza::Space::Host : goza::Space::Cuda;
    }
    if (format.empty() || format.rfind("auto", 0) == 0) continue;
    if (Member(line, "what") == "blocks in ranges") { /* of Fold, where it does not take such blocks: measured before fold_range_entries */
      (*left_out)["fold's blocks in ranges, which it does not take any more"]++;
      continue;
    }
    if (format == "cds-half" && line.find("\"what\": \"half") == std::string::npos) {
      (*left_out)["cds-half that was not possible, the same as full"]++;
      continue;
    }
    const double working = std::atof(Member(line, "device").c_str()), seconds = std::atof(Member(line, "seconds").c_str());
    const bool   first = (*all)[Member(line, "matrix")].insert_or_assign(format, working > 0 ? working : seconds).second;

    if (!first) (*left_out)["measured again later on"]++;
  }
  PetscCheck(whole, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s is of a run that was cut off", file.c_str());
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Patterns are made by as many threads as there are cores. */
static void Gather(const Measured &measured, const goza::Machine &machine, Study *study, LeftOut *left_out)
{
  Measured                         left = measured;
  std::deque<std::future<Asked>>   coming;
  std::vector<const StudyMatrix *> wanted;
  const std::size_t                ahead = std::max(1u, std::thread::hardware_concurrency());
  std::size_t                      next  = 0;

  for (const StudyMatrix &m : study_gallery()) {
    if (measured.count(m.name)) wanted.push_back(&m);
  }
  for (const StudyMatrix *m : wanted) {
    for (; next < wanted.size() && coming.size() < ahead; next++) {
      coming.push_back(std::async(std::launch::async, [&machine, one = wanted[next]] {
        Asked a = ask(*one, machine, machine.space());

        a.matrix = {}; // large, and not needed any more
        return a;
      }));
    }
    study->asked.push_back(coming.front().get());
    coming.pop_front();
    for (const AskedWay &w : study->asked.back().choices) {
      const auto &times = measured.at(m->name);
      const auto  time  = times.find(w.label);

      if (time == times.end()) continue;
      study->points.push_back({&study->asked.back().sample, w.choice, w.traits, time->second, m->name, m->role});
      left[m->name].erase(w.label);
    }
  }
  for (const auto &[matrix, times] : left) {
    const bool made = std::any_of(wanted.begin(), wanted.end(), [&, &name = matrix](const StudyMatrix *m) { return m->name == name; });

    for (const auto &time : times) (*left_out)[made ? time.first + ", of which the model is not asked" : matrix + ", which the study does not make"]++;
  }
}

static double Correlation(const std::vector<std::pair<double, double>> &pairs)
{
  double       a = 0, b = 0, ab = 0, aa = 0, bb = 0;
  const double n = (double)pairs.size();

  for (const auto &[x, y] : pairs) {
    a += x / n;
    b += y / n;
  }
  for (const auto &[x, y] : pairs) {
    ab += (x - a) * (y - b);
    aa += (x - a) * (x - a);
    bb += (y - b) * (y - b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

/* Of GFLOPS; and what is lost by the choice of the model alone. */
static void Report(const goza::Machine &machine, const Study &study, const std::string &device, const std::string &json)
{
  for (Role role : {Role::Fit, Role::Report, Role::P3}) {
    std::vector<std::pair<double, double>>                        pairs;
    std::map<std::string, std::vector<std::pair<double, double>>> by_matrix; // predicted, measured seconds
    double                                                        error = 0, loss = 0, worst = 0;

    for (const Point &p : study.points) {
      if (p.role != role) continue;
      const double seconds = predicted(machine, p), flops = 2e-9 * (double)p.sample->nnz;

      pairs.emplace_back(flops / seconds, flops / p.seconds);
      error += std::fabs(p.seconds / seconds - 1);
      by_matrix[p.matrix].emplace_back(seconds, p.seconds);
    }
    if (pairs.empty()) continue;
    for (const auto &[name, times] : by_matrix) {
      double best = times[0].second;

      for (const auto &t : times) best = std::min(best, t.second);
      const double lost = std::min_element(times.begin(), times.end())->second / best - 1;
      loss += lost / (double)by_matrix.size();
      worst = std::max(worst, lost);
    }
    printf("{\"work\": \"model\", \"json\": \"%s\", \"device\": \"%s\", \"platform\": \"%s\", \"matrices\": \"%s\", \"count\": %zu, \"products\": %zu, "
           "\"correlation\": %.4f, "
           "\"mean_error_percent\": %.1f, \"choice_loss_percent\": %.2f, \"worst_choice_percent\": %.0f}\n",
           json.c_str(), device.c_str(), machine.name.c_str(), role_name(role), by_matrix.size(), pairs.size(), Correlation(pairs),
           100 * error / (double)pairs.size(), 100 * loss, 100 * worst);
  }
}

/* "auto": the device's own. Throws where it is none that products in this space can be predicted for. */
static goza::Machine Platform(const std::string &name, goza::Space space, const std::string &device)
{
  const goza::Machine *known   = name == "auto" ? goza::find_machine_by_device(space, device) : goza::find_machine(name);
  const goza::Machine  machine = known ? *known : name != "auto" ? goza::read_machine(name) : *goza::find_machine(space == goza::Space::Cuda ? "h200" : "host");

  if (!machine.modelled) throw std::runtime_error(machine.name + " is known for paper P2's models alone");
  if (machine.space() != space) throw std::runtime_error(machine.name + " is no platform for products on the " + goza::space_name(space));
  return machine;
}

int main(int argc, char **argv)
{
  char                     out[PETSC_MAX_PATH_LEN] = "";
  PetscBool                fit                     = PETSC_FALSE;
  Measured                 measured;
  LeftOut                  left_out;
  std::string              device, json;
  std::vector<std::string> files, platforms;
  goza::Space              space = goza::Space::Host;
  Study                    study;
  PetscReal                choice   = 0;
  PetscInt                 restarts = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, "Fits the model of products to measurements\n"));
  PetscCall(GetList("-json", {}, &files));
  PetscCheck(!files.empty(), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-json: give what bench_locality wrote");
  PetscCall(GetList("-platform", {"auto"}, &platforms));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-out", out, sizeof(out), NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-fit", &fit, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-choice", &choice, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-restarts", &restarts, NULL));
  PetscCheck(platforms.size() == 1 || !fit, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-fit begins at one -platform");
  for (const std::string &file : files) {
    PetscCall(Read(file, &measured, &left_out, &device, &space));
    json += (json.empty() ? "" : ",") + file.substr(file.rfind('/') + 1);
  }
  PetscCall(goza::Guarded([&] {
    std::vector<goza::Machine> machines;

    for (const std::string &name : platforms) machines.push_back(Platform(name, space, device));
    Gather(measured, machines[0], &study, &left_out);
    for (const auto &[why, products] : left_out) fprintf(stderr, "%s: %d products left out: %s\n", json.c_str(), products, why.c_str());
    if (fit) {
      fit_constants(&machines[0], study, choice, restarts);
      machines[0].source = "kernels' costs fitted to products on " + device + ", families `fit` (test/bench/fit_model.cxx)";
    }
    for (const goza::Machine &machine : machines) Report(machine, study, device, json);
    if (out[0]) goza::write_text(goza::machine_text(machines[0]), out);
  }));
  PetscCall(PetscFinalize());
  return 0;
}
