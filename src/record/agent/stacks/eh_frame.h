#pragma once

#include "record/agent/stacks/unwind_rules.h"

namespace tactus::agent {

/// The rule for an address, from the table that begins at `header` (.eh_frame_hdr of x86-64).
/// `scratch` is memory to work in. What is read is copied and checked first.
UnwindRule find_rule(Address header, Address address, Address evaluate, unsigned char* scratch,
                     std::size_t room);

void count_closed_module();

}  // namespace tactus::agent
