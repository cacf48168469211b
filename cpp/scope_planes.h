// Counts of chosen scopes by bit-planes: the planes of all attributes but one are met, and then with those of the last.
#pragma once

#include <span>

#include "block.h"
#include "counts.h"

namespace savvybayes {

// Whether planes count a scope for less than counters do.
bool scope_suits_planes(const Block& block, const Scope& scope);

// A scope to be counted, and where its table goes: of every class, one after the other, or of its own.
struct WantedScope {
    const Scope* scope;
    Count* out;
};

// Adds the tables of scopes that suit planes. Weights are not looked at.
void count_scopes_by_planes(const Block& block, std::span<const WantedScope> wanted);

}  // namespace savvybayes
