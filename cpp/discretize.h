// Numbers into categories: value maps, and the cuts of Fayyad & Irani (1993) made from them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "columns.h"
#include "types.h"

namespace savvybayes {

// What a column tells of the classes: for each key, in rising order, its least and its greatest value and the
// weight of each class. A key is the order-preserving pattern of a value without its lowest `level` bits, the
// fewest that leave at most 2^14 keys. The map thus depends on the set of rows alone, not on their order.
struct ValueMap {
    int level;
    std::vector<double> least;
    std::vector<double> greatest;
    std::vector<Count> counts;   // class by class, key after key
    std::vector<Count> missing;  // class by class
};

// The maps of columns of the same length. `weights` may be null (all 1); a row of weight 0 is absent.
std::vector<ValueMap> value_maps(std::span<const Column> columns, const Class* classes, std::size_t n_classes,
                                 const Count* weights);

// The same as a map, of which the cuts need no more: keys in rising order.
struct MapView {
    std::span<const double> least;
    std::span<const double> greatest;
    std::span<const Count> counts;
    std::size_t n_classes;
};

// The cut points, rising: recursive binary cuts of least class entropy, while they pay by the description length.
// A value equal to a cut goes left.
std::vector<double> mdlp_cuts(const MapView& map);

}  // namespace savvybayes
