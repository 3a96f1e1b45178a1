# find_package(Goza) gives Goza::goza, by whichever of make install and cmake --install it came; PETSc is pkg-config's, as when Goza was built.
include(CMakeFindDependencyMacro)
find_dependency(MPI COMPONENTS CXX)
find_dependency(PkgConfig)
pkg_search_module(PETSC REQUIRED IMPORTED_TARGET PETSc petsc)
if(NOT TARGET Goza::goza)
  get_filename_component(goza_libdir "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
  find_path(Goza_INCLUDE_DIR petscgoza.h REQUIRED NO_DEFAULT_PATH PATHS "${goza_libdir}/../include" "${goza_libdir}/../../include") # lib, or lib/x86_64-linux-gnu
  add_library(Goza::goza SHARED IMPORTED)
  set_target_properties(Goza::goza PROPERTIES IMPORTED_LOCATION "${goza_libdir}/libgoza.so" INTERFACE_INCLUDE_DIRECTORIES "${Goza_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "PkgConfig::PETSC;MPI::MPI_CXX")
endif()
