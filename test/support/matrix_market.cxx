#include "matrix_market.hpp"
#include "line_source.hpp"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string>

namespace goza_test {
namespace {

struct Header {
  bool        pattern = false, symmetric = false, skew = false;
  std::string why; /* it is not read */
};

Header read_header(std::string line)
{
  Header      h;
  std::string banner, object, format, field, symmetry;

  std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return std::tolower(c); });
  std::istringstream(line) >> banner >> object >> format >> field >> symmetry;
  h.pattern   = field == "pattern";
  h.skew      = symmetry == "skew-symmetric";
  h.symmetric = h.skew || symmetry == "symmetric";
  if (banner != "%%matrixmarket" || object != "matrix") h.why = "it does not begin with %%MatrixMarket matrix";
  else if (format != "coordinate") h.why = "only coordinate format is read, not " + format;
  else if (!h.pattern && field != "real" && field != "integer") h.why = "real, integer or pattern is read, not " + field;
  else if (!h.symmetric && symmetry != "general") h.why = "general, symmetric or skew-symmetric is read, not " + symmetry;
  return h;
}

struct Entry {
  PetscInt  row, col;
  PetscReal value;
};

/* Sorted by row and column, repeated entries added. */
HostCsr compressed(PetscInt rows, PetscInt cols, std::vector<Entry> &entries)
{
  HostCsr A;

  A.rows = rows;
  A.cols = cols;
  A.ptr.assign(rows + 1, 0);
  std::stable_sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.row != b.row ? a.row < b.row : a.col < b.col; });
  for (std::size_t k = 0; k < entries.size(); k++) {
    const Entry &e = entries[k];

    if (k && entries[k - 1].row == e.row && entries[k - 1].col == e.col) A.val.back() += e.value;
    else {
      A.col.push_back(e.col);
      A.val.push_back(e.value);
      A.ptr[e.row + 1] = (PetscInt)A.col.size();
    }
  }
  for (PetscInt i = 0; i < rows; i++) A.ptr[i + 1] = std::max(A.ptr[i + 1], A.ptr[i]);
  return A;
}

} // namespace

bool is_matrix_market(const char *file)
{
  LineSource  in(file);
  std::string line;

  return in.opened() && (in.next(line) ? line.compare(0, 2, "%%") == 0 : in.gzip()); // of a damaged gzip file the reader can say more
}

PetscErrorCode read_matrix_market(const char *file, HostCsr *A)
{
  LineSource         in(file);
  std::string        line, wrong;
  std::vector<Entry> entries;
  Header             header;
  long long          rows = -1, cols = -1, count = -1, found = 0;

  PetscFunctionBeginUser;
  PetscCheck(in.opened(), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open %s", file);
  if (!in.next(line)) {
    wrong = in.close();
    line.clear();
  }
  PetscCheck(wrong.empty(), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s: %s", file, wrong.c_str());
  header = read_header(line);
  PetscCheck(header.why.empty(), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s: %s", file, header.why.c_str());
  do {
    if (!in.next(line)) {
      line.clear();
      break;
    }
  } while (line.empty() || line[0] == '%' || line == "\r");
  std::istringstream(line) >> rows >> cols >> count;
  PetscCheck(rows >= 0 && cols >= 0 && count >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s: no line with rows, columns and entries", file);
  PetscCheck(rows < PETSC_MAX_INT && cols < PETSC_MAX_INT && count < PETSC_MAX_INT / 2, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%s: %lld rows, %lld columns and %lld entries are too many for a PetscInt", file, rows, cols, count);
  while (found < count && in.next(line)) {
    char           *at = &line[0], *end;
    const long long i = std::strtoll(at, &end, 10), j = std::strtoll(end, &at, 10);
    PetscReal       value = 1;

    if (at == end || end == line.c_str()) continue; /* an empty line */
    if (!header.pattern) value = (PetscReal)std::strtod(at, &end);
    PetscCheck(i >= 1 && i <= rows && j >= 1 && j <= cols && (header.pattern || end != at), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "%s: entry %lld is bad: %s", file, found + 1, line.c_str());
    entries.push_back({(PetscInt)(i - 1), (PetscInt)(j - 1), value});
    if (header.symmetric && i != j) entries.push_back({(PetscInt)(j - 1), (PetscInt)(i - 1), header.skew ? -value : value});
    found++;
  }
  if (found < count) wrong = in.close();
  PetscCheck(found == count, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s: ends after %lld of %lld entries%s%s", file, found, count,
             wrong.empty() ? "" : ": ", wrong.c_str());
  PetscCallCXX(*A = compressed((PetscInt)rows, (PetscInt)cols, entries));
  PetscFunctionReturn((PetscErrorCode)0);
}

} // namespace goza_test
