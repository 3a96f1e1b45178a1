/* Loops on the host, compiled twice: for any x86-64 and for processors with AVX2 and FMA, of which the library takes what the machine has when it is loaded. */
#pragma once

/* Not where everything is compiled for such processors already (MARCH=native), nor under sanitizers, whose checks would run while the dynamic linker still
   chooses. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  #define GOZA_FOR_EACH_PROCESSOR __attribute__((flatten, target_clones("default", "arch=x86-64-v3")))
#else
  #define GOZA_FOR_EACH_PROCESSOR
#endif

namespace goza {

/* loop() with all that it calls, which takes no memory: GCC 12 lets no exception out of a function that it compiles twice. */
template <class Loop> GOZA_FOR_EACH_PROCESSOR void run_on_host(const Loop &loop) { loop(); }

} // namespace goza
