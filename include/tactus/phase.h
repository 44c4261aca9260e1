/* Tells the gate of Tactus what the launches of this thread are from now on:

       tactus_phase("prefill");
       ...
       tactus_phase("decode");

   Does nothing in a program that runs without the agent of Tactus. C and C++; needs no library but
   the C library (link with -ldl before glibc 2.34). */
#ifndef TACTUS_PHASE_H
#define TACTUS_PHASE_H

#ifndef RTLD_DEFAULT
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#endif

static inline void tactus_phase(const char* phase) {
  typedef void (*tactus_phase_function)(const char*);
  static tactus_phase_function function;
  static int is_known;
  if (!is_known) {
    union {
      void* address;
      tactus_phase_function function;
    } found;
    found.address = dlsym(RTLD_DEFAULT, "tactus_phase");
    function = found.function;
    is_known = 1;
  }
  if (function) function(phase);
}

#endif
