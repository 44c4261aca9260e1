#pragma once

#include <span>
#include <string>

#include "bench/bench.h"
#include "catalogue/catalogue.h"

namespace tactus {

/// Adds the generic operators among `names` that the catalogue does not have. If there are no
/// others, only they are left, and count the same for the score; else they do not count for it.
void add_generic_operators(Catalogue& catalogue, std::span<const std::string> names);

/// The catalogue that a question is about: with the generic operators that it names and, if its
/// shapes are given as parameters ("rows=64", "columns=4096", "dtype=fp32"), with that one shape.
/// The question then asks for its id. An error if a parameter is missing, unknown or impossible.
Result<Catalogue> asked_catalogue(Catalogue catalogue, BenchQuestion& question);

}  // namespace tactus
