/* Products that are no Mat's: Goza's formats with vectors in single precision, and cuSPARSE's own formats. Each takes its matrix from an aij on the host. */
#pragma once
#include "petsc/plugin.hpp"
#include "mat/cds/cds.hpp"
#include "mat/common/borrowed_csr.hpp"
#include "petsc/errors.hpp"
#include "mat/common/narrow.hpp"
#include "petscgoza.h"
#if defined(GOZA_HAVE_CUDA)
  #include <cusparse.h>
#endif

namespace goza_test {

using goza::Array;
using goza::Space;

/* y = A x with arrays in `space`; V: of the vectors. */
class Product {
public:
  virtual ~Product()                     = default;
  virtual void                     run() = 0;
  virtual std::vector<PetscScalar> y()   = 0;
};

template <class V> class ProductOf : public Product {
public:
  ProductOf(Space space, const std::vector<PetscScalar> &x, PetscInt rows) : x_(space, std::vector<V>(x.begin(), x.end()).data(), x.size()), y_(space, rows) { }
  std::vector<PetscScalar> y() override
  {
    const std::vector<V> v = y_.to_host();
    return {v.begin(), v.end()};
  }

protected:
  Array<V> x_, y_;
};

/* A format of Goza's. */
template <class V> class FormatProduct final : public ProductOf<V> {
public:
  FormatProduct(std::unique_ptr<goza::Format<V>> format, const goza::Csr &A, const std::vector<PetscScalar> &x) :
    ProductOf<V>(A.space, x, A.nrows), format_(std::move(format))
  {
    format_->build(A);
  }
  void run() override { format_->apply(this->x_.data(), goza::Assign<V>{this->y_.data()}); }

private:
  std::unique_ptr<goza::Format<V>> format_;
};

#if defined(GOZA_HAVE_CUDA)
inline void check_cusparse(cusparseStatus_t status)
{
  if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}

/* cuSPARSE's formats and algorithms, by the names that -types has for them. */
constexpr struct {
  const char       *name;
  cusparseSpMVAlg_t algorithm;
} cusparse_ways[] = {
  {"csr1", CUSPARSE_SPMV_CSR_ALG1},  {"csr2", CUSPARSE_SPMV_CSR_ALG2},   {"coo1", CUSPARSE_SPMV_COO_ALG1},  {"coo2", CUSPARSE_SPMV_COO_ALG2},
  {"sell", CUSPARSE_SPMV_SELL_ALG1}, {"bsr", CUSPARSE_SPMV_ALG_DEFAULT}, {"csr1d", CUSPARSE_SPMV_CSR_ALG1},
  #if CUSPARSE_VERSION >= 12600
  {"bsr1", CUSPARSE_SPMV_BSR_ALG1},
  #endif
};

/* One of them in double precision, after the preprocessing that cuSPARSE has for it. Slices of sliced ELL have 32 rows. */
class CusparseProduct final : public ProductOf<double> {
public:
  CusparseProduct(const goza::Csr &host, PetscInt bs, const std::string &name, cusparseSpMVAlg_t algorithm, const std::vector<PetscScalar> &x) :
    ProductOf<double>(Space::Cuda, x, host.nrows), algorithm_(algorithm)
  {
    static_assert(sizeof(PetscInt) == sizeof(int), "32-bit indices");
    if (name.rfind("bsr", 0) == 0) make_bsr(host, bs, name == "bsr1");
    else if (name == "sell") make_sell(host);
    else make_csr_or_coo(host, name.rfind("coo", 0) == 0);
    check_cusparse(cusparseCreate(&handle_));
    check_cusparse(cusparseSetStream(handle_, static_cast<cudaStream_t>(goza::device::stream())));
    check_cusparse(cusparseCreateDnVec(&xd_, host.ncols, x_.data(), CUDA_R_64F));
    check_cusparse(cusparseCreateDnVec(&yd_, host.nrows, y_.data(), CUDA_R_64F));
    if (name == "csr1d") {
      const double both[] = {1, 0};

      scalars_ = Array<double>(Space::Cuda, both, 2);
      alpha_   = scalars_.data();
      beta_    = scalars_.data() + 1;
      check_cusparse(cusparseSetPointerMode(handle_, CUSPARSE_POINTER_MODE_DEVICE));
    }
    if (A_) {
      std::size_t bytes = 0;

      check_cusparse(cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha_, A_, xd_, beta_, yd_, CUDA_R_64F, algorithm_, &bytes));
      work_ = Array<char>(Space::Cuda, bytes);
      check_cusparse(cusparseSpMV_preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha_, A_, xd_, beta_, yd_, CUDA_R_64F, algorithm_, work_.data()));
    }
  }
  ~CusparseProduct() override
  {
    if (A_) (void)cusparseDestroySpMat(A_);
    if (info_) (void)cusparseDestroyMatDescr(info_);
    (void)cusparseDestroyDnVec(xd_);
    (void)cusparseDestroyDnVec(yd_);
    (void)cusparseDestroy(handle_);
  }
  void run() override
  {
    if (A_) check_cusparse(cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha_, A_, xd_, beta_, yd_, CUDA_R_64F, algorithm_, work_.data()));
    else bsrmv();
  }

private:
  void make_sell(const goza::Csr &A)
  {
    constexpr PetscInt    H       = 32;
    const PetscInt        nslices = (A.nrows + H - 1) / H;
    std::vector<PetscInt> ptr(nslices + 1), col;
    std::vector<double>   val;

    for (PetscInt s = 0; s < nslices; s++) {
      PetscInt longest = 0;

      for (PetscInt i = s * H; i < std::min(A.nrows, (s + 1) * H); i++) longest = std::max(longest, A.ptr[i + 1] - A.ptr[i]);
      ptr[s + 1] = ptr[s] + longest * H;
    }
    col.assign(ptr.back(), -1); // what cuSPARSE takes for padding
    val.assign(ptr.back(), 0);
    for (PetscInt i = 0; i < A.nrows; i++) {
      for (PetscInt k = 0; k < A.ptr[i + 1] - A.ptr[i]; k++) {
        col[ptr[i / H] + k * H + i % H] = A.col[A.ptr[i] + k];
        val[ptr[i / H] + k * H + i % H] = A.val[A.ptr[i] + k];
      }
    }
    keep(ptr, col, val);
    check_cusparse(cusparseCreateSlicedEll(&A_, A.nrows, A.ncols, A.nnz, ptr.back(), H, ptr_.data(), col_.data(), val_.data(), CUSPARSE_INDEX_32I,
                                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  }

  void make_csr_or_coo(const goza::Csr &A, bool coo)
  {
    std::vector<PetscInt> ptr(A.ptr, A.ptr + A.nrows + 1);

    if (coo) {
      ptr.clear();
      for (PetscInt i = 0; i < A.nrows; i++) ptr.insert(ptr.end(), A.ptr[i + 1] - A.ptr[i], i);
    }
    keep(ptr, std::vector<PetscInt>(A.col, A.col + A.nnz), std::vector<double>(A.val, A.val + A.nnz));
    if (coo)
      check_cusparse(
        cusparseCreateCoo(&A_, A.nrows, A.ncols, A.nnz, ptr_.data(), col_.data(), val_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    else
      check_cusparse(cusparseCreateCsr(&A_, A.nrows, A.ncols, A.nnz, ptr_.data(), col_.data(), val_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  }

  /* generic: for cusparseSpMV(), which has it since CUDA 13; else for the deprecated bsrmv */
  void make_bsr(const goza::Csr &A, PetscInt bs, [[maybe_unused]] bool generic)
  {
    std::vector<PetscInt> ptr{0}, col;
    std::vector<double>   val;

    if (A.nrows % bs || A.ncols % bs) throw std::runtime_error("no whole blocks");
    bs_    = bs;
    nrows_ = A.nrows / bs;
    ncols_ = A.ncols / bs;
    for (PetscInt i = 0; i < nrows_; i++) {
      const PetscInt n = (A.ptr[i * bs + 1] - A.ptr[i * bs]) / bs;

      for (PetscInt k = 0; k < n; k++) {
        col.push_back(A.col[A.ptr[i * bs] + k * bs] / bs);
        for (PetscInt r = 0; r < bs; r++) val.insert(val.end(), A.val + A.ptr[i * bs + r] + k * bs, A.val + A.ptr[i * bs + r] + (k + 1) * bs);
      }
      ptr.push_back(static_cast<PetscInt>(col.size()));
    }
    if (static_cast<PetscInt>(val.size()) != A.nnz) throw std::runtime_error("no full blocks");
    keep(ptr, col, val);
  #if CUSPARSE_VERSION >= 12600
    if (generic) {
      check_cusparse(cusparseCreateBsr(&A_, nrows_, ncols_, static_cast<int64_t>(col.size()), bs, bs, ptr_.data(), col_.data(), val_.data(), CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F, CUSPARSE_ORDER_ROW));
      return;
    }
  #endif
    check_cusparse(cusparseCreateMatDescr(&info_));
  }

  void bsrmv()
  {
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    check_cusparse(cusparseDbsrmv(handle_, CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE, nrows_, ncols_, static_cast<int>(col_.size()), &one_,
                                  info_, val_.data(), ptr_.data(), col_.data(), bs_, x_.data(), &zero_, y_.data()));
  #pragma GCC diagnostic pop
  }

  void keep(const std::vector<PetscInt> &ptr, const std::vector<PetscInt> &col, const std::vector<double> &val)
  {
    ptr_ = Array<PetscInt>(Space::Cuda, ptr.data(), ptr.size());
    col_ = Array<PetscInt>(Space::Cuda, col.data(), col.size());
    val_ = Array<double>(Space::Cuda, val.data(), val.size());
  }

  const double         one_ = 1, zero_ = 0;
  const double        *alpha_ = &one_, *beta_ = &zero_;
  Array<double>        scalars_;
  cusparseSpMVAlg_t    algorithm_;
  PetscInt             bs_ = 1, nrows_ = 0, ncols_ = 0;
  Array<PetscInt>      ptr_, col_;
  Array<double>        val_;
  Array<char>          work_;
  cusparseHandle_t     handle_ = nullptr;
  cusparseMatDescr_t   info_   = nullptr;
  cusparseSpMatDescr_t A_      = nullptr;
  cusparseDnVecDescr_t xd_ = nullptr, yd_ = nullptr;
};
#endif

/* float:cds, float:cds:half, float:slicedell, float:slicedell:half; cusparse: and one of cusparse_ways. product is left empty for any other type. */
inline PetscErrorCode MakeProduct(const std::string &type, Mat A, const std::vector<PetscScalar> &x, std::unique_ptr<Product> *product)
{
  goza::BorrowedCsr lent;
  const bool        single = type.rfind("float:", 0) == 0, cusparse = type.rfind("cusparse:", 0) == 0;
  const std::string name = single || cusparse ? type.substr(type.find(':') + 1) : "";
  PetscInt          bs;

  PetscFunctionBeginUser;
  if (!single && !cusparse) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(goza::use_petsc_stream());
  PetscCall(lent.open(A, cusparse ? Space::Host : goza::default_space()));
  PetscCall(goza::Guarded([&] {
    const goza::Csr &csr   = lent.csr();
    const Space      space = csr.space;

    if (single) {
      std::unique_ptr<goza::Format<float>> format;
      goza::CdsOptions                     cds;
      goza::SlicedEllOptions               ell;

      cds.bs = bs == 2 || bs == 3 || bs == 6 ? bs : 1;
      ell.bs = bs;
      if (name == "cds") format = std::make_unique<goza::Cds<float, float>>(space, cds);
      if (name == "cds:half") format = std::make_unique<goza::Narrow<goza::Cds<goza::Half, float>, float>>(space, cds);
      if (name == "slicedell") format = std::make_unique<goza::SlicedEll<float, float>>(space, ell);
      if (name == "slicedell:half") format = std::make_unique<goza::Narrow<goza::SlicedEll<goza::Half, float>, float>>(space, ell);
      if (format) *product = std::make_unique<FormatProduct<float>>(std::move(format), csr, x);
    }
#if defined(GOZA_HAVE_CUDA)
    for (const auto &way : cusparse_ways) {
      if (cusparse && name == way.name) *product = std::make_unique<CusparseProduct>(csr, bs, name, way.algorithm, x);
    }
#endif
  }));
  PetscCall(lent.close());
  PetscCheck(*product, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "-types: no product %s in this build", type.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza_test
