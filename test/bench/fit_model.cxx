/* The constants of Goza's model of products, fitted to what bench_locality measured, and how well it does on families that were not fitted to.

     fit_model -json FILE[,FILE...] [-platform NAME|FILE] [-fit [-choice WEIGHT] [-restarts N]] [-out FILE]

   Without -fit it only reports. -platform: where a fit begins, and what is reported on (the device's own, by its name, else the reference for the space).
   -out: the machine, for -platform, -goza_platform and machines.cxx. Patterns are generated again, and the model is asked as autoformat asks it. A fit changes
   one constant after the other, as long as the mean |log(predicted / measured)| over the families of role `fit` falls, and WEIGHT times what a choice by the
   model is expected to lose there; then from N other places. A run that was cut off is an error. */
#include "petscgoza.h"
#include "locality_models.hpp"
#include "petsc/errors.hpp"
#include <algorithm>
#include <deque>
#include <fstream>
#include <map>
#include <random>

using namespace goza_test;

struct Point { // a product
  const goza::Sample *sample;
  goza::FormatChoice  choice;
  goza::Traits        traits;
  double              seconds;
  std::string         matrix;
  Role                role;
};

struct Study {
  std::deque<Asked>  asked; // keeps the samples
  std::vector<Point> points;
};

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

static PetscErrorCode Read(const std::string &file, Measured *all, std::string *device, goza::Space *space)
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
    if (Member(line, "what") == "blocks in ranges") continue; /* of Fold, where it does not take such blocks: measured before fold_range_entries */
    if (format == "cds-half" && line.find("\"what\": \"half") == std::string::npos) continue; /* it was not possible: the same as full */
    const double working = std::atof(Member(line, "device").c_str()), seconds = std::atof(Member(line, "seconds").c_str());

    (*all)[Member(line, "matrix")][format] = working > 0 ? working : seconds;
  }
  PetscCheck(whole, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s is of a run that was cut off", file.c_str());
  PetscFunctionReturn((PetscErrorCode)0);
}

static void Gather(const Measured &measured, const goza::Machine &machine, Study *study)
{
  for (const StudyMatrix &m : study_gallery()) {
    const auto found = measured.find(m.name);

    if (found == measured.end()) continue;
    study->asked.push_back(ask(m, machine, machine.space()));
    Asked &a = study->asked.back();
    for (const AskedWay &w : a.choices) {
      const auto time = found->second.find(w.label);

      if (time != found->second.end()) study->points.push_back({&a.sample, w.choice, w.traits, time->second, m.name, m.role});
    }
    a.matrix = {}; // large, and not needed any more
  }
}

static double Predicted(const goza::Machine &machine, const Point &p)
{
  return goza::cost_of(machine, *p.sample, p.choice, p.traits).seconds;
}

/* What the choice among a matrix's formats is expected to lose where predictions err by some percent. */
static double ExpectedLoss(const std::vector<std::pair<double, double>> &times)
{
  const double spread = 0.04;
  double       best = times[0].second, least = times[0].first, weights = 0, sum = 0;

  for (const auto &[predicted, seconds] : times) {
    best  = std::min(best, seconds);
    least = std::min(least, predicted);
  }
  for (const auto &[predicted, seconds] : times) {
    const double weight = std::exp(-std::log(predicted / least) / spread);

    weights += weight;
    sum += weight * (seconds / best - 1);
  }
  return sum / weights;
}

/* Mean |log(predicted / measured)|, and `choice` times the mean of what a choice loses. */
static double Loss(const goza::Machine &machine, const Study &study, double choice)
{
  std::map<std::string, std::vector<std::pair<double, double>>> by_matrix; // predicted, measured seconds
  double                                                        sum = 0, lost = 0;
  int                                                           n = 0;

  for (const Point &p : study.points) {
    if (p.role != Role::Fit) continue;
    const double predicted = Predicted(machine, p);

    sum += std::fabs(std::log(predicted / p.seconds));
    if (choice > 0) by_matrix[p.matrix].emplace_back(predicted, p.seconds);
    n++;
  }
  for (const auto &[name, times] : by_matrix) lost += ExpectedLoss(times) / (double)by_matrix.size();
  return n ? sum / n + choice * lost : 0;
}

/* What is measured and not fitted; far_latency shows in matrices alone whose long rows come from memory, which a study of small ones does not have, and on a
   host a thread's waits are in what its steps cost. */
static bool Kept(const goza::Machine &machine, const std::string &name)
{
  const std::string figure = name.substr(name.find('.') + 1);

  return name == "bandwidth" || name == "gather" || name == "kernel_launch" || name == "far_latency" ||
         (!machine.gpu && (name == "l2" || name == "fits" || figure == "latency"));
}

/* One constant after the other, by ever smaller steps. Returns what is left of the loss. */
static double Descend(goza::Machine *machine, const Study &study, double choice, const std::vector<double> &steps)
{
  std::vector<goza::MachineFigure> figures = goza::figures_of(*machine);
  double                           best    = Loss(*machine, study, choice);

  for (double step : steps) {
    for (int sweep = 0, moved = 1; sweep < 6 && moved; sweep++) {
      moved = 0;
      for (const goza::MachineFigure &f : figures) {
        if (Kept(*machine, f.name)) continue;
        const bool   stream = f.name.find(".stream") != std::string::npos; /* bytes moved for one of the arrays: hardly more than one */
        const double before = *f.value, seed = f.name == "own_bandwidth"                                         ? 1e11
                                             : f.name == "remembers"                                             ? 1e4
                                             : f.name.find("request") != std::string::npos || f.name == "slower" ? 0.1
                                                                                                                 : 1e-12;
        const double tries[] = {before > 0 ? before * step : seed * step, before > 0 ? before / step : 1000 * seed * step, 0};

        for (double value : tries) {
          const double kept = *f.value;

          if (value < (stream ? 0.5 : f.least) || value > (stream ? 1.1 : f.most)) continue;
          *f.value          = value;
          const double loss = machine->l2_bandwidth < machine->bandwidth ? 1e9 : Loss(*machine, study, choice);
          if (loss < best - 1e-7) {
            best  = loss;
            moved = 1;
          } else *f.value = kept;
        }
      }
    }
  }
  return best;
}

/* What a kernel may not have got from a measurement of memory. Again from `restarts` other places: six constants of the best found so far, up to four times or
   a fourth of what they were. */
static void Fit(goza::Machine *machine, const Study &study, double choice, PetscInt restarts)
{
  std::mt19937 random(7);
  double       best = Descend(machine, study, choice, {2.0, 1.3, 1.1, 1.03});

  for (PetscInt k = 0; k < restarts; k++) {
    goza::Machine                          other   = *machine;
    const std::vector<goza::MachineFigure> figures = goza::figures_of(other);

    for (int moved = 0; moved < 6; moved++) {
      const goza::MachineFigure &f     = figures[random() % figures.size()];
      const double               value = *f.value * std::exp2(4. * random() / random.max() - 2);

      if (!Kept(other, f.name) && f.name.find(".stream") == std::string::npos && value >= f.least && value <= f.most) *f.value = value;
    }
    const double found = Descend(&other, study, choice, {1.5, 1.15, 1.04});

    if (found < best - 1e-5) {
      best     = found;
      *machine = other;
    }
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
      const double seconds = Predicted(machine, p), flops = 2e-9 * (double)p.sample->nnz;

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

int main(int argc, char **argv)
{
  char         *files[16], name[PETSC_MAX_PATH_LEN] = "", out[PETSC_MAX_PATH_LEN] = "";
  PetscInt      nfiles = 16;
  PetscBool     fit    = PETSC_FALSE, given;
  Measured      measured;
  std::string   device, json;
  goza::Space   space = goza::Space::Host;
  goza::Machine machine;
  Study         study;
  PetscReal     choice   = 0;
  PetscInt      restarts = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, "Fits the model of products to measurements\n"));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-json", files, &nfiles, &given));
  PetscCheck(given && nfiles, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-json: give what bench_locality wrote");
  PetscCall(PetscOptionsGetString(NULL, NULL, "-platform", name, sizeof(name), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-out", out, sizeof(out), NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-fit", &fit, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-choice", &choice, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-restarts", &restarts, NULL));
  for (PetscInt k = 0; k < nfiles; k++) {
    PetscCall(Read(files[k], &measured, &device, &space));
    json += (k ? "," : "") + std::string(files[k]).substr(std::string(files[k]).rfind('/') + 1);
    PetscCall(PetscFree(files[k]));
  }
  PetscCall(goza::Guarded([&] {
    const goza::Machine *known = name[0] ? goza::find_machine(name) : goza::find_machine_by_device(space, device);

    machine = known ? *known : name[0] ? goza::read_machine(name) : *goza::find_machine(space == goza::Space::Cuda ? "h200" : "host");
    if (!machine.modelled) throw std::runtime_error(machine.name + " is known for paper P2's models alone");
    if (machine.space() != space) throw std::runtime_error(machine.name + " is no platform for products on the " + goza::space_name(space));
    Gather(measured, machine, &study);
    if (fit) {
      Fit(&machine, study, choice, restarts);
      machine.source = "kernels' costs fitted to products on " + device + ", families `fit` (test/bench/fit_model.cxx)";
    }
    Report(machine, study, device, json);
    if (out[0]) goza::write_text(goza::machine_text(machine), out);
  }));
  PetscCall(PetscFinalize());
  return 0;
}
