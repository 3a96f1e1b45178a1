/* The search of fit_model: one constant after the other, as long as the mean |log(predicted / measured)| over products of the families of role `fit` falls, and
   a weight times what a choice by the model is expected to lose there; then from other places. A kernel's constant changes its own products alone: only these
   are predicted again. */
#pragma once
#include "locality_models.hpp"
#include <deque>
#include <map>
#include <random>

namespace goza_test {

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

inline double predicted(const goza::Machine &machine, const Point &p) { return goza::cost_of(machine, *p.sample, p.choice, p.traits).seconds; }

class Misfit {
public:
  Misfit(const Study &study, double weight) : weight_(weight)
  {
    std::map<std::string, int> numbers;

    for (const Point &p : study.points) {
      if (p.role != Role::Fit) continue;
      const int m = numbers.emplace(p.matrix, (int)numbers.size()).first->second;

      if (m == (int)of_matrix_.size()) of_matrix_.emplace_back();
      of_matrix_[m].push_back((int)points_.size());
      points_.push_back(&p);
      matrix_.push_back(m);
    }
    if (points_.empty()) throw std::runtime_error("no products of families to be fitted to");
    seconds_.resize(points_.size());
    lost_.resize(of_matrix_.size());
  }

  /* Products whose time a constant changes: all, or for one of a kernel, in which times are linear, those that a change of it changes. */
  std::vector<int> moved_by(goza::Machine machine, std::size_t figure) const
  {
    const goza::MachineFigure f = goza::figures_of(machine)[figure];
    std::vector<double>       before(points_.size());
    std::vector<int>          moved;

    for (std::size_t p = 0; p < points_.size(); p++) before[p] = predicted(machine, *points_[p]);
    *f.value = 2 * *f.value + 1;
    for (std::size_t p = 0; p < points_.size(); p++) {
      if (f.name.find('.') == std::string::npos || predicted(machine, *points_[p]) != before[p]) moved.push_back((int)p);
    }
    return moved;
  }

  /* What is left when these products are predicted anew. */
  double with(const goza::Machine &machine, const std::vector<int> &moved)
  {
    std::vector<char> touched(of_matrix_.size());

    for (int p : moved) {
      seconds_[p]         = predicted(machine, *points_[p]);
      touched[matrix_[p]] = 1;
    }
    for (std::size_t m = 0; weight_ > 0 && m < touched.size(); m++) {
      if (touched[m]) lost_[m] = expected_loss(of_matrix_[m]);
    }
    return left();
  }

  double with_all(const goza::Machine &machine)
  {
    std::vector<int> all(points_.size());

    for (std::size_t p = 0; p < all.size(); p++) all[p] = (int)p;
    return with(machine, all);
  }

private:
  /* Of the choice among a matrix's formats, where predictions err by some per cent. */
  double expected_loss(const std::vector<int> &formats) const
  {
    const double spread = 0.04;
    double       best = points_[formats[0]]->seconds, least = seconds_[formats[0]], weights = 0, sum = 0;

    for (int p : formats) {
      best  = std::min(best, points_[p]->seconds);
      least = std::min(least, seconds_[p]);
    }
    for (int p : formats) {
      const double weight = std::exp(-std::log(seconds_[p] / least) / spread);

      weights += weight;
      sum += weight * (points_[p]->seconds / best - 1);
    }
    return sum / weights;
  }

  double left() const
  {
    double sum = 0, lost = 0;

    for (std::size_t p = 0; p < points_.size(); p++) sum += std::fabs(std::log(seconds_[p] / points_[p]->seconds));
    for (double l : lost_) lost += l;
    return sum / (double)points_.size() + weight_ * lost / (double)lost_.size();
  }

  double                        weight_;
  std::vector<const Point *>    points_;
  std::vector<int>              matrix_;    // of a product
  std::vector<std::vector<int>> of_matrix_; // its products
  std::vector<double>           seconds_;   // predicted
  std::vector<double>           lost_;      // by a matrix's choice
};

/* What is measured and not fitted; far_latency shows in matrices alone whose long rows come from memory, which a study of small ones does not have, and on a
   host a thread's waits are in what its steps cost. */
inline bool kept(const goza::Machine &machine, const std::string &name)
{
  const std::string figure = name.substr(name.find('.') + 1);

  return name == "bandwidth" || name == "gather" || name == "kernel_launch" || name == "far_latency" ||
         (!machine.gpu && (name == "l2" || name == "fits" || figure == "latency"));
}

/* Values to try for a constant, by a step up and down, and none. */
inline std::array<double, 3> tries_of(const goza::MachineFigure &f, double step)
{
  const double seed = f.name == "own_bandwidth"                                         ? 1e11
                    : f.name == "remembers"                                             ? 1e4
                    : f.name.find("request") != std::string::npos || f.name == "slower" ? 0.1
                                                                                        : 1e-12;
  if (*f.value > 0) return {*f.value * step, *f.value / step, 0};
  return {seed * step, 1000 * seed * step, 0};
}

inline bool allowed(const goza::MachineFigure &f, double value)
{
  const bool stream = f.name.find(".stream") != std::string::npos; // bytes moved for one of the arrays: hardly more than one

  return value >= (stream ? 0.5 : f.least) && value <= (stream ? 1.1 : f.most);
}

/* One constant after the other, by ever smaller steps. Returns what is left of the misfit. */
inline double descend(goza::Machine *machine, Misfit &misfit, const std::vector<std::vector<int>> &moved_by, const std::vector<double> &steps)
{
  const std::vector<goza::MachineFigure> figures = goza::figures_of(*machine);
  double                                 best    = misfit.with_all(*machine);

  for (double step : steps) {
    for (int sweep = 0, moved = 1; sweep < 6 && moved; sweep++) {
      moved = 0;
      for (std::size_t k = 0; k < figures.size(); k++) {
        const goza::MachineFigure &f = figures[k];

        if (kept(*machine, f.name) || moved_by[k].empty()) continue;
        for (double value : tries_of(f, step)) {
          const double before = *f.value;

          if (value == before || !allowed(f, value)) continue;
          *f.value          = value;
          const double left = machine->l2_bandwidth < machine->bandwidth ? 1e9 : misfit.with(*machine, moved_by[k]);
          if (left < best - 1e-7) {
            best  = left;
            moved = 1;
          } else {
            *f.value = before;
            (void)misfit.with(*machine, moved_by[k]);
          }
        }
      }
    }
  }
  return best;
}

/* What a kernel may not have got from a measurement of memory. Again from `restarts` other places: six constants of the best found so far, up to four times or
   a fourth of what they were. */
inline void fit_constants(goza::Machine *machine, const Study &study, double choice, PetscInt restarts)
{
  std::mt19937                  random(7);
  Misfit                        misfit(study, choice);
  std::vector<std::vector<int>> moved_by;

  for (std::size_t k = 0; k < goza::figures_of(*machine).size(); k++) moved_by.push_back(misfit.moved_by(*machine, k));
  double best = descend(machine, misfit, moved_by, {2.0, 1.3, 1.1, 1.03});

  for (PetscInt k = 0; k < restarts; k++) {
    goza::Machine                          other   = *machine;
    const std::vector<goza::MachineFigure> figures = goza::figures_of(other);

    for (int moved = 0; moved < 6; moved++) {
      const goza::MachineFigure &f     = figures[random() % figures.size()];
      const double               value = *f.value * std::exp2(4. * random() / random.max() - 2);

      if (!kept(other, f.name) && f.name.find(".stream") == std::string::npos && value >= f.least && value <= f.most) *f.value = value;
    }
    const double found = descend(&other, misfit, moved_by, {1.5, 1.15, 1.04});

    if (found < best - 1e-5) {
      best     = found;
      *machine = other;
    }
  }
}

} // namespace goza_test
