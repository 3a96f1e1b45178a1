"""For PETSc's configure: copy this file to config/BuildSystem/config/packages, then `./configure --download-goza=/path/to/goza-0.1.0.tar.gz ...`.

Goza is built after PETSc, for it. PETSc does not link it: programs load it by -dll_append ${PETSC_DIR}/${PETSC_ARCH}/lib/libgoza.so.
"""
import config.package


class Configure(config.package.Package):
    def __init__(self, framework):
        config.package.Package.__init__(self, framework)
        self.version         = '0.1.0'
        self.download        = ['file:///goza-0.1.0.tar.gz'] # the sdist: --download-goza=FILE
        self.downloaddirnames = ['goza']
        self.functions       = ['GozaInitializePackage']
        self.includes        = ['petscgoza.h']
        self.liblist         = [['libgoza.so']]
        self.buildLanguages  = ['Cxx']
        self.minCxxVersion   = 'c++17'
        self.precisions      = ['single','double']
        self.linkedbypetsc   = 0
        self.builtafterpetsc = 1
        return

    def setupDependencies(self, framework):
        config.package.Package.setupDependencies(self, framework)
        self.sharedLibraries = framework.require('PETSc.options.sharedLibraries', self)
        self.mpi             = framework.require('config.packages.MPI', self)
        self.blasLapack      = framework.require('config.packages.BlasLapack', self)
        self.cuda            = framework.require('config.packages.CUDA', self)
        self.deps            = [self.mpi, self.blasLapack]
        self.odeps           = [self.cuda]
        return

    def Install(self):
        import os
        if not self.checkSharedLibrariesEnabled():
            raise RuntimeError('Goza is loaded at run time, which a PETSc of static libraries cannot do: configure with shared libraries')
        if self.argDB['prefix'] and 'package-prefix-hash' not in self.argDB:
            prefix = os.path.abspath(os.path.expanduser(self.argDB['prefix']))
            petsc = 'PETSC_DIR=' + prefix + ' PETSC_ARCH=""'
        else:
            prefix = os.path.join(self.petscdir.dir, self.arch)
            petsc = 'PETSC_DIR=${PETSC_DIR} PETSC_ARCH=${PETSC_ARCH}'
        arguments = ' '.join([petsc, 'PREFIX=' + prefix, 'DEPS=no', 'WERROR=', 'CUDA=' + ('yes' if self.cuda.found else 'no')])
        if self.cuda.found:
            arguments += ' CUDA_HOME=' + self.cuda.cudaDir
        self.include = [os.path.join(self.installDir, 'include')]
        self.lib     = [os.path.join(self.installDir, 'lib', 'libgoza.so')]
        self.addPost(self.packageDir, ['${OMAKE} ' + arguments, '${OMAKE} ' + arguments + ' install'])
        return self.installDir
