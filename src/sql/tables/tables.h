#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "sql/relation.h"
#include "sql/tables/derived.h"

namespace tactus::sql {

/// The tables of a run. They refer to `derived`, which must outlive them.
std::vector<Relation> make_relations(Derived& derived);

// One function per subject; make_relations puts them together.
void add_slice_relations(Derived& derived, std::vector<Relation>& into);
Relation launches_relation(Derived& derived);
Relation counters_relation(Derived& derived);
Relation steps_relation(Derived& derived);
Relation stacks_relation(Derived& derived);
Relation ranks_relation(Derived& derived);

}  // namespace tactus::sql
