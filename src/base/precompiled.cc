// Nothing but the place where base/precompiled.h is compiled.
