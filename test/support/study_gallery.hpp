/* The matrices of `make bench-locality`: families of one structure at several sizes, after paper P2's study; and paper P3's sixteen. */
#pragma once

#include "generators.hpp"

#include <string>

namespace goza_test {

enum class Role {
  Fit,    /* constants of the model may be fitted to these */
  Report, /* what a model is judged by: nothing is fitted to them */
  P3      /* stand-ins of paper P3's matrices, reported apart; nothing is fitted to them */
};

struct StudyMatrix {
  std::string             name, family;
  Role                    role;
  std::function<Sparse()> make;
};

const char *role_name(Role role);

/* 35 families at five sizes, and the sixteen. The roles are by family. */
const std::vector<StudyMatrix> &study_gallery();

} // namespace goza_test
