#pragma once

#include <optional>

#include "cycles/anchors/anchors.h"
#include "cycles/repeats/kernel_stream.h"

namespace tactus {

/// The turns of the loops of a program of which nothing else is known: no name marks them, and no
/// layers repeat. A turn ends where the host takes its result: a thread that launches waits for the
/// device, or a copy comes back from it. Nothing if there are fewer than three of them, or if they
/// are single kernels.
std::optional<Anchor> find_turns_by_results(const Run& run, const Loops& loops);

/// The same where nothing comes back: the kernels themselves repeat.
std::optional<Anchor> find_turns_by_repeats(const Loops& loops,
                                            std::span<const KernelStream* const> streams);

}  // namespace tactus
