# Goza: a PETSc plugin. `make help` lists the targets; README.md and test/README.md explain them.
#
#   make [demo|check|...] [PETSC_DIR=... PETSC_ARCH=...] [CUDA=auto|yes|no] [BUILD=build]
#
# demo, check and petsc-tests name the Debian packages that are missing, and install them; DEPS=no leaves that out.
#
# PETSc is found by PETSC_DIR and PETSC_ARCH, else by pkg-config. A build folder holds one configuration; changing PETSc or
# the flags rebuilds what is in it: use BUILD=build/other to keep two. Sanitizers: SANITIZE=address,undefined CUDA=no.

BUILD   = build
CUDA    = auto
DEPS    = yes
WERROR  = -Werror
PREFIX  = /usr/local
JOBS   := $(shell nproc --all)
goals  := $(or $(MAKECMDGOALS),all)

SHELL     = /bin/bash
MAKEFLAGS += -j$(JOBS) --no-builtin-rules
.DELETE_ON_ERROR:
space := $(subst ,, )
.SECONDEXPANSION:

all: $(BUILD)/lib/libgoza.so ## build the library (the default)

# --- What a machine needs. Looked for before anything below asks pkg-config or a compiler.
ifneq ($(filter demo check check-quick petsc-tests deps,$(goals)),)
  ifeq ($(DEPS),yes)
    $(info $(shell .ci/deps.sh >&2))
    ifneq ($(.SHELLSTATUS),0)
      $(error .ci/deps.sh could not install what is missing: install it by hand, then use DEPS=no)
    endif
  endif
endif
deps: ; @:               ## install what a Debian machine lacks (demo and check do this first; DEPS=no skips it)

# --- PETSc and its MPI: the MPI that PETSc was built with, where it lies in or beside PETSc, else the one on the PATH.
ifdef PETSC_DIR
  pkgconf = PKG_CONFIG_PATH=$(PETSC_DIR)/$(PETSC_ARCH)/lib/pkgconfig pkg-config
else
  pkgconf = pkg-config
endif
ifeq ($(filter help clean format deps petsc-cuda petsc-variant check-download,$(goals)),)
  PETSC_LIBDIR := $(shell $(pkgconf) --variable=libdir PETSc)
  ifeq ($(PETSC_LIBDIR),)
    $(error PETSc not found: give PETSC_DIR and PETSC_ARCH, or install petsc-dev (`make deps`))
  endif
endif
PETSC_DIR    ?= $(patsubst %/lib,%,$(PETSC_LIBDIR))
PETSC_SRC    := $(firstword $(wildcard $(PETSC_DIR)/src /usr/share/petsc/*/share/petsc/examples/src))
PETSC_CFLAGS := $(patsubst -I%,-isystem %,$(filter -I%,$(shell $(pkgconf) --cflags PETSc)))
PETSC_LIBS   := $(shell $(pkgconf) --libs PETSc) -Wl,-rpath,$(PETSC_LIBDIR)
# Complex scalars: PetscScalar is a pair of Goza's own (core/complex), and what is written for real numbers only is left out.
ifneq ($(shell cat $(addsuffix /petscconf.h,$(filter-out -isystem,$(PETSC_CFLAGS))) 2>/dev/null | grep 'define PETSC_USE_COMPLEX'),)
  COMPLEX_CFLAGS := -DPETSC_DESIRE_KOKKOS_COMPLEX -Isrc/core/complex
  REAL_ONLY      := $(addsuffix %,$(file <src/real_only.list))
else
  NO_COMPLEX     := -DPETSC_SKIP_COMPLEX # or PETSc's headers bring Thrust's complex numbers along, a third of nvcc's time
endif
MPI_BIN      := $(dir $(firstword $(wildcard $(PETSC_DIR)/$(PETSC_ARCH)/bin/mpicxx $(abspath $(PETSC_DIR)/../mpi/bin)/mpicxx)))
MPICXX       := $(MPI_BIN)mpicxx
MPICC        := $(MPI_BIN)mpicc
MPIEXEC      := $(MPI_BIN)mpiexec
MPI_CFLAGS   := $(patsubst -I%,-isystem %,$(filter -I%,$(shell $(MPICXX) -show)))

# --- CUDA: nvcc where it is found; without it the .cu files go through the C++ compiler, as host code.
CUDA_HOME ?= /usr/local/cuda
ifneq ($(CUDA),no)
  NVCC := $(firstword $(shell command -v nvcc) $(wildcard $(CUDA_HOME)/bin/nvcc))
  ifeq ($(CUDA)$(NVCC),yes)
    $(error CUDA=yes, but there is no nvcc on the PATH or in CUDA_HOME=$(CUDA_HOME): install the CUDA toolkit, or give CUDA=no for a library that runs on the host)
  endif
endif
ifneq ($(NVCC),)
  CUDA_HOME   := $(patsubst %/bin/,%,$(dir $(realpath $(NVCC))))
  CUDA_ARCH   := $(or $(subst .,,$(firstword $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null))),90)
  CUDA_CFLAGS := -DGOZA_HAVE_CUDA -isystem $(CUDA_HOME)/include
  CUDA_LIBS   := -L$(CUDA_HOME)/lib64 -lcudart_static -ldl -lrt -lpthread # static: only the driver is needed at run time
endif

# --- Device code on a host without a device, for check-emulated: a thread of a block is a fiber there (test/emulated).
ifeq ($(EMULATED),yes)
  CUDA_CFLAGS := -DGOZA_HAVE_CUDA -isystem $(CUDA_HOME)/include -isystem $(CUDA_HOME)/include/cccl
  EMULATION   := -w -include test/emulated/cuda.hpp -Itest/emulated/include
endif

# --- Compilers. Host code is for any processor of its kind, and loops that gain from newer ones are there for those as well (core/launch/host_loop.hpp); MARCH=native: for this machine alone.
MARCH     =
CPPFLAGS  = -Iinclude -Isrc $(COMPLEX_CFLAGS) $(CUDA_CFLAGS) $(PETSC_CFLAGS) $(MPI_CFLAGS)
SANITIZED = $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -Wno-maybe-uninitialized) # gcc 12 sees false ones in instrumented code
CXXFLAGS  = -std=c++17 $(OPTIMIZE) -g1 $(MARCH:%=-march=%) -Wall -Wextra $(WERROR) -fPIC -fno-semantic-interposition $(SANITIZED)
NVCCFLAGS = -std=c++17 -O3 -arch=sm_$(CUDA_ARCH) --expt-relaxed-constexpr -ccbin g++ $(NO_COMPLEX) \
            $(if $(WERROR),-Werror all-warnings) $(addprefix -Xcompiler ,$(MARCH:%=-march=%) -Wall $(WERROR) -fPIC -fno-semantic-interposition)
OPTIMIZE  = -O3
CXX_OBJ   = $(MPICXX) $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -c
CU_OBJ    = $(if $(NVCC),$(NVCC) $(CPPFLAGS) $(NVCCFLAGS) -MMD -MP -c,$(CXX_OBJ) $(EMULATION) -x c++)
LIBS      = $(PETSC_LIBS) -llapack -lblas $(CUDA_LIBS)

# --- The one list of sources, by place: the library, what tests share, and one program for every other file.
#     The library's are compiled as units of some files of a folder; CMake compiles each by itself, so that each includes what it needs.
UNIT     = 6
sources  = $(filter-out $(REAL_ONLY),$(sort $(shell find $(1) -name '*.cxx' -o -name '*.cu' 2>/dev/null)))
objects  = $(patsubst %,$(BUILD)/obj/%.o,$(1))
programs = $(patsubst $(2)/%,$(BUILD)/$(3)/%,$(basename $(1)))
LIB_OBJ     := $(if $(PETSC_LIBDIR),$(call objects,$(shell .ci/units.sh $(BUILD) $(UNIT) $(call sources,src $(if $(EMULATION),test/emulated)))))
# kernels start in the CUDA runtime that knows them: a program's own are not known to the library's
SUPPORT_OBJ := $(call objects,$(call sources,test/support) src/core/device/launch_kernel.cu)
BENCH_SRC   := $(call sources,test/bench)
PART_SRC    := $(filter-out $(wildcard test/fuzz/*.cxx),$(call sources,test/fuzz)) # test/fuzz/X/* are parts of test/fuzz/fuzz_X
TEST_SRC    := $(filter-out test/support/% test/emulated/% test/bench/% $(PART_SRC),$(call sources,test))
EXAMPLE_SRC := $(call sources,examples)
TESTS       := $(call programs,$(TEST_SRC),test,test)
BENCHES     := $(call programs,$(BENCH_SRC),test/bench,bench)
EXAMPLES    := $(call programs,$(EXAMPLE_SRC),examples,bin)

# PETSc's own programs, unmodified: ksp/ksp/tutorials/ex45.c becomes petsc/ksp_ksp_tutorials_ex45. Any other can be asked for by name.
PETSC_NAMES    := $(file <test/petsc/programs.list)
PETSC_PROGRAMS := $(foreach p,$(PETSC_NAMES),$(if $(wildcard $(PETSC_SRC)/$(p).c),$(BUILD)/petsc/$(subst /,_,$(p))))

# --- Objects depend on the commands that make them: the file changes only when its content does, and not where make only says what it would do.
FLAGS := $(BUILD)/obj/flags
define flags_now
$(CXX_OBJ)
$(CU_OBJ)
$(LIBS)
endef
dry_run := $(findstring n,$(filter-out --%,$(firstword $(MAKEFLAGS))))
ifneq ($(if $(dry_run),,$(PETSC_LIBDIR)),)
  ifneq ($(flags_now),$(file <$(FLAGS)))
    $(shell mkdir -p $(dir $(FLAGS)))
    $(file >$(FLAGS),$(flags_now))
  endif
endif

$(call objects,$(TEST_SRC) $(PART_SRC)): OPTIMIZE = -O1 # compiling them takes longer than what they compute
$(BUILD)/obj/%.cxx.o: %.cxx $(FLAGS)
	@mkdir -p $(@D)
	@echo "  C++   $<"
	@$(CXX_OBJ) -o $@ $<
$(BUILD)/obj/%.cu.o: %.cu $(FLAGS)
	@mkdir -p $(@D)
	@echo "  $(if $(NVCC),CUDA ,C++  ) $<"
	@$(CU_OBJ) -o $@ $<
$(BUILD)/obj/unit/%.cxx.o: $(BUILD)/unit/%.cxx $(FLAGS)
	@mkdir -p $(@D)
	@echo "  C++   $(unit_says)"
	@$(CXX_OBJ) -I. -o $@ $<
$(BUILD)/obj/unit/%.cu.o: $(BUILD)/unit/%.cu $(FLAGS)
	@mkdir -p $(@D)
	@echo "  $(if $(NVCC),CUDA ,C++  ) $(unit_says)"
	@$(CU_OBJ) -I. -o $@ $<
unit_says = $(*D): $(notdir $(subst ",,$(filter "%,$(file <$<))))
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# --- Linking. libgoza.so shows its C functions only; tests and benches take libgoza-whole.so, of the same objects, which shows everything;
#     calls within either look up no names.
link   = @mkdir -p $(@D); echo "  link  $@"; $(MPICXX) $(CXXFLAGS) -o $@ $(filter %.o,$^)
shared = -shared -Wl,--no-undefined,--exclude-libs,ALL,-soname,$(@F)
whole  = -L$(BUILD)/lib -lgoza-whole -lz '-Wl,-rpath,$$ORIGIN/../lib:$$ORIGIN/../../lib'

$(BUILD)/lib/libgoza.so: $(LIB_OBJ) src/exports.map
	$(link) $(shared) -Wl,-Bsymbolic,--version-script=src/exports.map $(LIBS)
$(BUILD)/lib/libgoza-whole.so: $(LIB_OBJ)
	$(link) $(shared) -Wl,-Bsymbolic-functions $(LIBS)
$(EXAMPLES): $(BUILD)/bin/%: $$(call objects,$$(wildcard examples/$$*.c*)) | $(BUILD)/lib/libgoza.so
	$(link) -L$(BUILD)/lib -Wl,--as-needed $(if $(filter locality,$*),-lgoza-whole -lz,-lgoza) '-Wl,-rpath,$$ORIGIN/../lib' $(LIBS)
$(BUILD)/bin/locality: $(call objects,$(addprefix test/support/,study_gallery.cxx generators.cxx sparse.cxx matrix_market.cxx petsc_binary.cxx line_source.cxx)) | $(BUILD)/lib/libgoza-whole.so # reaches the library's hidden parts
$(TESTS): $(BUILD)/test/%: $$(call objects,$$(wildcard test/$$*.c*)) $(SUPPORT_OBJ) | $(BUILD)/lib/libgoza-whole.so
	$(link) $(whole) $(LIBS)
$(BUILD)/test/fuzz/fuzz_mat: $(call objects,$(call sources,test/fuzz/mat))
$(BUILD)/test/fuzz/fuzz_pc: $(call objects,$(call sources,test/fuzz/pc))
$(BENCHES): $(BUILD)/bench/%: $$(call objects,$$(wildcard test/bench/$$*.c*)) $(BUILD)/obj/support.a | $(BUILD)/lib/libgoza-whole.so
	$(link) $(BUILD)/obj/support.a $(whole) $(LIBS) $(if $(NVCC),-lcusparse) # a peer of bench_spmv
# The same bench of loops that the compiler leaves as they are: paper P4's cases without `omp simd`
$(BUILD)/obj/test/bench/bench_assembly_scalar.o: test/bench/bench_assembly.cu $(FLAGS)
	@mkdir -p $(@D)
	@echo "  C++   $< -fno-tree-vectorize"
	@$(CXX_OBJ) -fno-tree-vectorize -x c++ -o $@ $<
$(BUILD)/bench/bench_assembly_scalar: $(BUILD)/obj/test/bench/bench_assembly_scalar.o $(BUILD)/obj/support.a | $(BUILD)/lib/libgoza-whole.so
	$(link) $(BUILD)/obj/support.a $(whole) $(LIBS)
$(BUILD)/obj/support.a: $(SUPPORT_OBJ) # an archive, since a bench has its own main() and takes from support only what it calls
	@rm -f $@; ar rcs $@ $^
$(BUILD)/petsc/%: $$(PETSC_SRC)/$$(subst _,/,$$*).c $(FLAGS)
	@mkdir -p $(@D)
	@echo "  PETSc $<"
	@$(MPICC) -O2 -w $(SANITIZED) $(CPPFLAGS) -o $@ $< $(PETSC_LIBS) -lm

programs: all $(EXAMPLES) $(TESTS) $(PETSC_PROGRAMS) $(BUILD)/bench/bench_league

# --- What people run. Open MPI must be told that more ranks than cores, and root, are meant.
export BUILD PETSC_DIR PETSC_ARCH MPIEXEC
export PETSC_EXAMPLES := $(PETSC_SRC)
export OMPI_ALLOW_RUN_AS_ROOT = 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = 1
export OMPI_MCA_rmaps_base_oversubscribe = 1
export OMPI_MCA_mpi_yield_when_idle = 1
export OMP_NUM_THREADS = 1

demo: all $(BUILD)/bin/poisson $(BUILD)/petsc/ksp_ksp_tutorials_ex45 ## solve with Goza beside plain PETSc, and compare
	@python3 examples/demo.py
check: programs ## build everything and run every test
	@test/run.sh
# Tests of every room on one rank and on two: those that take some seconds each
QUICK = (core|parallel|mat|locality|choice|assembly|ksp|pc)/[^ ]*|laws/(mat|mat_device|pc_bad_input|edge_cases|alloc_failures)
check-quick: programs ## the quick tests: under two minutes when all is built
	@test/run.sh '^($(QUICK)) [12] (host|mpi)$$|^command line: loaded'
# Tests that most of the library passes through, for another kind of PETSc
KIND_TESTS = laws/mat laws/mat_change laws/edge_cases laws/pc mat/cds mat/slicedell mat/fold mat/own core/half pc/symmetric pc/convection ksp/fused assembly/matrix assembly/diagonals parallel/halo parallel/rows
check-kind: all $(BUILD)/lib/libgoza-whole.so $(addprefix $(BUILD)/test/,$(KIND_TESTS)) ## build for another kind of PETSc (PETSC_DIR, PETSC_ARCH), and run a selection of the tests, KIND_TESTS, on each of RANKS
	@test/run.sh '^($(subst $(space),|,$(KIND_TESTS))) ($(subst $(space),|,$(RANKS))) (host|mpi)$$'
# What runs device code of most rooms in some minutes, emulated
EMULATED_TESTS = core/csr_ops mat/cds mat/fold mat/own pc/setup ksp/fused
check-emulated: ## device code without a device: kernels on the host, a fiber a thread; a selection of the tests, EMULATED_TESTS
	@test/emulated/translate.py $(BUILD)/emulated
	@$(MAKE) --no-print-directory -C $(BUILD)/emulated check-kind EMULATED=yes CUDA=no CUDA_HOME=$(CUDA_HOME) DEPS=no OPTIMIZE=-O1 BUILD=build RANKS=1 KIND_TESTS='$(EMULATED_TESTS)'
pages: programs ## write the generated parts of the pages: include/README.md and the tables of measurements
	@.ci/reference.py
	@test/bench/tables.py
FUZZERS = $(addprefix $(BUILD)/test/fuzz/,fuzz_mat fuzz_pc fuzz_alloc)
SEEDS   = 1000
FIRST   = 1
fuzz: all $(FUZZERS) $(BUILD)/test/laws/alloc_failures $(BUILD)/bin/locality ## random sequences of matrix operations, configurations of saamg, files, and every allocation refused: SEEDS from FIRST on each of RANKS (SEEDS=100000 RANKS=1)
	@failed=0; \
	for n in $(RANKS); do \
	  python3 test/fuzz/fuzz.py $(BUILD)/test/fuzz/fuzz_mat --ranks $$n --first $(FIRST) --count $(SEEDS) --out $(BUILD)/fuzz --short 5 || failed=1; \
	  python3 test/fuzz/fuzz.py $(BUILD)/test/fuzz/fuzz_mat --ranks $$n --first $(FIRST) --count $(SEEDS) --out $(BUILD)/fuzz --short 5 -- -fuzz_owning || failed=1; \
	  python3 test/fuzz/fuzz.py $(BUILD)/test/fuzz/fuzz_pc --ranks $$n --first $(FIRST) --count $$(($(SEEDS) / 5)) --out $(BUILD)/fuzz --short 5 || failed=1; \
	  for t in fuzz/fuzz_alloc laws/alloc_failures; do $(MPIEXEC) -n $$n $(BUILD)/test/$$t -every || failed=1; done; \
	done; \
	python3 test/fuzz/fuzz_locality.py $(BUILD)/bin/locality --first $(FIRST) --count $$(($(SEEDS) / 5)) || failed=1; \
	exit $$failed
bench: all $(BENCHES) ## build the benchmarks
bench-amg: all $(EXAMPLES) ## the tables of paper P5: smoothers and precisions of saamg
	@python3 test/bench/bench_amg.py
bench-peers: all $(EXAMPLES) ## saamg beside GAMG and what else this PETSc has
	@python3 test/bench/bench_peers.py
bench-settings: all $(EXAMPLES) ## iterations, complexity and memory of saamg's settings (a minute, on the host), for the table of examples/README.md
	@python3 test/bench/bench_settings.py
bench-league: $(BUILD)/lib/libgoza-whole.so $(BUILD)/bench/bench_league ## saamg beside GAMG, hypre and ML, no option set, on a hundred problems made here (SIZES=0,1,2; minutes on the host)
	@BUILD=$(BUILD) python3 test/bench/league.py --sizes $(or $(SIZES),0)
bench-cds: $(BUILD)/bench/bench_cds ## the table of paper P1 (GRIDS=64x64x64,128x128x128 where memory is small); its figure is made from results/cds.json
	$< $(if $(GRIDS),-sizes $(GRIDS)) -json $(BUILD)/bench/cds.json
bench-spmv: $(BUILD)/bench/bench_spmv ## products in every type and precision, beside PETSc and cuSPARSE, over the gallery
	@rm -f $(BUILD)/bench/spmv.json
	$< -gallery all -n 64,128 -elasticity 64 -types all -json $(BUILD)/bench/spmv.json
	@python3 test/bench/table_spmv.py $(BUILD)/bench/spmv.json
bench-assembly: $(BUILD)/bench/bench_assembly ## paper P4's table of assembly: steps, variants, ours and peers, 128^3 nodes; the memory's traffic where there is ncu
	$< -n $(N) -poisson $$((2 * $(N))) -general $(N) -whole cds,slicedell,aij -coo 64 -host 33 -json $(BUILD)/bench/assembly.json
	$< -n $$(($(N) / 2)) -elements none -whole cds,slicedell,aij,baij -json $(BUILD)/bench/assembly.json
	@if [ -n "$(NCU)" ]; then BUILD=$(BUILD) NCU=$(NCU) python3 test/bench/assembly_traffic.py $(N); fi
bench-instructions: $(BUILD)/bench/bench_assembly $(BUILD)/bench/bench_assembly_scalar ## paper P4's figure 10: instructions of an assembly on a host (CUDA=no), by valgrind, into test/bench/results and the bench's page
	@BUILD=$(BUILD) python3 test/bench/assembly_instructions.py --out test/bench/results/assembly_instructions.json
	@test/bench/tables.py
N = 128
RANKS = 1 2 4
P5 =
GPUS =
bench-scaling: all $(EXAMPLES) $(BUILD)/bench/bench_scaling ## products and solves over RANKS, by every kind of exchange, beside GAMG; paper P5's tables and a model (P5="--n 30 --weak-n 12" for smaller ones)
	@rm -f $(BUILD)/scaling.json
	@for ranks in $(RANKS); do for mode in no yes; do \
	  $(MPIEXEC) -n $$ranks $(BUILD)/bench/bench_scaling -weak $$mode -solve -halos peer,nccl,host -types slicedell,cds -peers gamg -json $(BUILD)/scaling.json $(SCALING) || exit; \
	done; done
	@python3 test/bench/bench_gpus.py $(GPUS)
	@python3 test/bench/bench_scaling.py $(P5)
	@python3 test/bench/scaling_model.py $(BUILD)/bench/scaling_p5.json
bench-locality: $(BUILD)/bench/bench_locality ## measure all formats on the study's matrices, and compare with the models (minutes)
	@$< -json $(BUILD)/locality.json $(BENCH_OPTIONS)
	@python3 test/bench/locality_report.py $(BUILD)/locality.json $(BUILD)/pictures
bench-counters: $(BUILD)/bench/bench_locality ## what ncu counts of products of CSR and Fold on papers P2's and P3's matrices, into test/bench/results and the bench's page
	@BUILD=$(BUILD) NCU=$(NCU) python3 test/bench/counters.py --families fit,report --sizes 2 --out test/bench/results/p2_counters.json
	@BUILD=$(BUILD) NCU=$(NCU) python3 test/bench/counters.py --families p3 --out test/bench/results/p3_counters.json
	@test/bench/tables.py
bench-indices: $(BUILD)/bench/bench_locality ## tables and figures of papers P2 and P3 that come from patterns alone, into test/bench/results and the bench's page
	@$< -indices -families fit,report -sizes 3 -json test/bench/results/p2_indices.json
	@$< -indices -families p3 -json test/bench/results/p3_indices.json
	@test/bench/tables.py
bench-model: $(BUILD)/bench/fit_model ## how well the model of products does on PRODUCTS, kept from bench_locality, into the bench's page (PRODUCTS=JSON MODEL="-fit -out FILE": shown only, with its constants fitted anew)
	$(if $(and $(filter -out,$(MODEL)),$(word 2,$(PRODUCTS))),$(error -out FILE is of one file of products: name it, PRODUCTS=JSON))
	@set -o pipefail; for products in $(PRODUCTS); do \
	  if [ -n "$(filter -fit,$(MODEL))" ] && ! grep -q '"role": "fit"' $$products; then echo "$$products: left out: no products of families to be fitted to" >&2; continue; fi; \
	  name=$${products##*products_}; file=test/bench/results/platform_$${name%%[_.]*}.txt; \
	  if [ -e "$$file" ] && [ -z "$(MODEL)" ]; then platforms=auto,$$file; else platforms=auto; fi; \
	  $< -json $$products -platform $$platforms $(MODEL) || exit 1; done | tee $(if $(MODEL),,test/bench/results/model.json)
	@$(if $(MODEL),,test/bench/tables.py)
PRODUCTS = $(wildcard test/bench/results/products_*.json)
NCU = $(if $(NVCC),$(firstword $(shell command -v ncu) $(wildcard $(CUDA_HOME)/bin/ncu)))
petsc-tests: all ## PETSc's own tests with Goza's types put in: all that apply, or PART=k/n of them, PACKAGES="mat ksp", MAT_TYPES="cds fold"
	@.ci/petsc-tests.sh
check-packaging: all ## install in every way that packaging knows, into folders of its own, and use what was installed
	@test/packaging/run.sh
check-download: ## configure PETSc 3.26.1 (PyPI) for the host with --download-goza=HEAD, build both and use them (15 minutes the first time; INSTALLED=FOLDER: with --prefix)
	@CACHE=$(CACHE) test/packaging/download.sh
check-recipes: ## render, build and test conda-forge's recipe and install Spack's (SPACK_ROOT), with tools that PyPI has, for this PETSc
	@CACHE=$(CACHE) test/packaging/recipes.sh
check-applications: all ## programs of FEniCS, SLEPc, petsc4py and others, unmodified, with Goza's types; a program that is not installed is skipped
	@test/applications/run.sh
petsc-cuda: ## build PETSc 3.26.1 with CUDA and its MPI from PyPI into CACHE (kept, resumable)
	@.ci/petsc.sh $(CACHE) arch-goza --with-cuda --with-cuda-arch=$(CUDA_ARCH)
petsc-variant: ## build PETSc 3.26.1 for the host, of the kind SCALAR=real|complex PRECISION=double|single INDICES=32|64, in the same way (CONFIGURE: more options of PETSc's configure)
	@.ci/petsc.sh $(CACHE) arch-$(SCALAR)-$(PRECISION)-$(INDICES) --with-scalar-type=$(SCALAR) --with-precision=$(PRECISION) --with-64-bit-indices=$(if $(filter 64,$(INDICES)),1,0) $(CONFIGURE)
bundle: programs $(BENCHES) ## pack everything that a GPU machine without a network needs
	@.ci/bundle.sh
CACHE     = $(HOME)/.cache/goza/$@
SCALAR    = real
PRECISION = double
INDICES   = 32

version = $(shell awk '/define GOZA_VERSION_/ { printf "%s%s", dot, $$3; dot = "." }' include/petscgoza.h)
install: all ## copy library, header, goza.pc and the package of CMake to PREFIX
	install -D -t $(DESTDIR)$(PREFIX)/lib $(BUILD)/lib/libgoza.so
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include include/*.h
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/cmake/Goza .ci/packaging/*.cmake
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig
	sed -e 's|@prefix@|$(PREFIX)|; s|@libdir@|$${prefix}/lib|; s|@includedir@|$${prefix}/include|; s|@PROJECT_VERSION@|$(version)|' .ci/packaging/goza.pc.in >$(DESTDIR)$(PREFIX)/lib/pkgconfig/goza.pc

# --- Housekeeping
STYLED = $(shell find src include examples test -name '*.[ch]xx' -o -name '*.h' -o -name '*.hpp' -o -name '*.cu')
format: ## lay the sources out as .clang-format says
	clang-format -i $(STYLED)
tidy: ## static analysis (clang-tidy)
	clang-tidy --quiet $(filter src/%.cxx,$(STYLED)) -- $(filter-out -DGOZA_HAVE_CUDA,$(CPPFLAGS)) -std=c++17
clean: ## remove the build folder
	rm -rf $(BUILD)
help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' makefile | expand -t 14
.PHONY: all deps programs demo check check-quick check-kind check-emulated pages fuzz bench bench-amg bench-assembly bench-cds bench-counters bench-indices bench-instructions bench-league bench-locality bench-model bench-peers bench-scaling bench-settings bench-spmv petsc-tests check-packaging check-download check-recipes check-applications petsc-cuda petsc-variant bundle install format tidy clean help
