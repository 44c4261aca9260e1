// The only purpose of this file is to compile base/precompiled.h.
