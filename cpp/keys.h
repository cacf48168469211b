// Doubles as 64-bit keys, and an index of keys.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace savvybayes {

using Key = std::uint64_t;

// The order-preserving pattern: keys compare as their doubles do. For neither NaN nor -0.0.
inline Key key_of(double value) {
    constexpr Key kSign = Key{1} << 63;
    const auto bits = std::bit_cast<Key>(value);
    return bits & kSign ? ~bits : bits | kSign;
}

inline double value_of(Key key) {
    constexpr Key kSign = Key{1} << 63;
    return std::bit_cast<double>(key & kSign ? key & ~kSign : ~key);
}

// Numbers keys 0, 1, ... in the order in which they are first seen: open addressing, at most half full.
class KeyIndex {
  public:
    std::size_t number_of(Key key) {
        Slot& slot = find(key);
        if (slot.number == 0) {
            keys_.push_back(key);
            slot = {key, keys_.size()};
            if (2 * keys_.size() > slots_.size()) grow();
            return keys_.size() - 1;
        }
        return slot.number - 1;
    }

    const std::vector<Key>& keys() const { return keys_; }

  private:
    struct Slot {
        Key key;
        std::size_t number;  // plus one; 0 is an empty slot
    };

    Slot& find(Key key) {
        std::size_t i = static_cast<std::size_t>(scatter(key)) & (slots_.size() - 1);
        while (slots_[i].number != 0 && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
        return slots_[i];
    }

    // Keys of round numbers differ in their high bits alone, so that these must reach the low ones.
    static Key scatter(Key key) {
        key = (key ^ (key >> 32)) * 0x9E3779B97F4A7C15u;
        return key ^ (key >> 32);
    }

    void grow() {
        slots_.assign(2 * slots_.size(), Slot{0, 0});
        for (std::size_t i = 0; i < keys_.size(); ++i) find(keys_[i]) = {keys_[i], i + 1};
    }

    std::vector<Slot> slots_ = std::vector<Slot>(64, Slot{0, 0});
    std::vector<Key> keys_;
};

}  // namespace savvybayes
