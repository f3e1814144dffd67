// SPDX-License-Identifier: MIT
// kgen: the loop over tiles in shared memory. Most arrays are contiguous along axis a; arrays that are contiguous along axis b
// are called turned. Turned inputs are read along b in squares, transposed in registers, and stored in shared memory as vectors
// along a. Then the tile is computed in rows along a: turned arrays are read from shared memory, all others directly. Results
// of turned outputs wait in shared memory too, and are stored along b in squares. A side of a tile may run over several axes;
// places along a and b count their elements in the order of the walk.
//
// If rows begin anywhere in a word (P::kgen_loose), narrow elements are moved by whole words all the same: loads read the
// aligned words around a vector, and results wait in shared memory until whole aligned vectors can be stored.

// Transposes squares of elements in registers; names call this "turn". Rows of narrow elements are stored as
// 32-bit words. Two byte permutations transpose 2 x 2 elements of 2 bytes, eight transpose 4 x 4 elements of 1 byte.
template <class T, int side> struct kgen_packing {
    static const int per_word = sizeof(T) < 4 && side * sizeof(T) % 4 == 0 ? 4 / sizeof(T) : 1;
};
template <class T, int per_word> struct kgen_packed { typedef unsigned type; };
template <class T> struct kgen_packed<T, 1> { typedef T type; };
template <class T, int side> struct kgen_square {
    static const int per_word = kgen_packing<T, side>::per_word;
    typedef kgen_vector<typename kgen_packed<T, per_word>::type, side / per_word> row;
    row kgen_row[side];
};
template <int per_word> struct kgen_turned {
    template <class S, int side> static __device__ __forceinline__ void kgen_turn(const S& from, S& to) {
#pragma unroll
        for (int row = 0; row < side; ++row) {
#pragma unroll
            for (int column = 0; column < side; ++column) to.kgen_row[column].kgen_at[row] = from.kgen_row[row].kgen_at[column];
        }
    }
};
template <> struct kgen_turned<2> {
    template <class S, int side> static __device__ __forceinline__ void kgen_turn(const S& from, S& to) {
#pragma unroll
        for (int row = 0; row < side; row += 2) {
#pragma unroll
            for (int word = 0; word < side / 2; ++word) {
                const unsigned a = from.kgen_row[row].kgen_at[word], b = from.kgen_row[row + 1].kgen_at[word];
                to.kgen_row[2 * word].kgen_at[row / 2] = __byte_perm(a, b, 0x5410);
                to.kgen_row[2 * word + 1].kgen_at[row / 2] = __byte_perm(a, b, 0x7632);
            }
        }
    }
};
template <> struct kgen_turned<4> {
    template <class S, int side> static __device__ __forceinline__ void kgen_turn(const S& from, S& to) {
#pragma unroll
        for (int row = 0; row < side; row += 4) {
#pragma unroll
            for (int word = 0; word < side / 4; ++word) {
                const unsigned a = from.kgen_row[row].kgen_at[word], b = from.kgen_row[row + 1].kgen_at[word];
                const unsigned c = from.kgen_row[row + 2].kgen_at[word], d = from.kgen_row[row + 3].kgen_at[word];
                const unsigned ab_low = __byte_perm(a, b, 0x5140), ab_high = __byte_perm(a, b, 0x7362);
                const unsigned cd_low = __byte_perm(c, d, 0x5140), cd_high = __byte_perm(c, d, 0x7362);
                to.kgen_row[4 * word].kgen_at[row / 4] = __byte_perm(ab_low, cd_low, 0x5410);
                to.kgen_row[4 * word + 1].kgen_at[row / 4] = __byte_perm(ab_low, cd_low, 0x7632);
                to.kgen_row[4 * word + 2].kgen_at[row / 4] = __byte_perm(ab_high, cd_high, 0x5410);
                to.kgen_row[4 * word + 3].kgen_at[row / 4] = __byte_perm(ab_high, cd_high, 0x7632);
            }
        }
    }
};
template <class T, int side> __device__ __forceinline__ void kgen_turn(const kgen_square<T, side>& from, kgen_square<T, side>& to) {
    kgen_turned<kgen_packing<T, side>::per_word>::template kgen_turn<kgen_square<T, side>, side>(from, to);
}
// Reads memory that nothing writes while the kernel runs. From compute capability 7.5 on, loads of 16 bytes make the L2
// cache fetch the whole line, because a neighbouring thread block reads the rest of it.
template <class V> __device__ __forceinline__ V kgen_load_line(const V* pointer) {
#if __CUDA_ARCH__ >= 750
    if constexpr (sizeof(V) == 16) {
        uint4 bits;
        asm("ld.global.nc.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w) : "l"(pointer));
        return (V&)bits;
    }
#endif
    return kgen_load_read_only(pointer);
}

__device__ __forceinline__ int kgen_least(long long left, int whole) { return left < whole ? (int)left : whole; }
// Moves to the thread's next place: `inner` wraps around at `extent`, and `outer` then grows by one more.
__device__ __forceinline__ void kgen_step(int& outer, int& inner, int outer_step, int inner_step, int extent) {
    outer += outer_step;
    inner += inner_step;
    if (inner >= extent) { inner -= extent; ++outer; }
}
template <bool read_only, class T> __device__ __forceinline__ T kgen_load_as(const T* pointer) {
    if constexpr (read_only) return kgen_load_read_only(pointer);
    else return kgen_load(pointer);
}

// A vector that begins anywhere: the words that were read, and the byte permutation that selects the vector from two
// neighbouring words. Elements of 4 bytes and more are read one by one.
template <class T, int count, bool is_narrow = sizeof(T) < 4> struct kgen_loose {
    enum { words = sizeof(T) * count / 4 };
    unsigned kgen_word[words + 1], kgen_choice;
};
template <class T, int count> struct kgen_loose<T, count, false> { kgen_vector<T, count> kgen_whole; };
// Reads the aligned words that cover the vector, and one more behind it if the vector is aligned.
template <bool read_only, class T, int count>
__device__ __forceinline__ void kgen_load_words(kgen_loose<T, count>& to, const T* pointer) {
    if constexpr (sizeof(T) < 4) {
        const unsigned rest = (unsigned)(size_t)pointer & 3;
        const unsigned* const words = (const unsigned*)((const char*)pointer - rest);
        to.kgen_choice = 0x3210 + rest * 0x1111;
#pragma unroll
        for (int w = 0; w <= kgen_loose<T, count>::words; ++w) to.kgen_word[w] = kgen_load_as<read_only>(words + w);
    } else {
#pragma unroll
        for (int e = 0; e < count; ++e) to.kgen_whole.kgen_at[e] = kgen_load_as<read_only>(pointer + e);
    }
}
// Reads the first `valid` elements of the vector one by one.
template <bool read_only, class T, int count>
__device__ __forceinline__ void kgen_load_singles(kgen_loose<T, count>& to, const T* pointer, int valid) {
    if constexpr (sizeof(T) < 4) {
        typedef typename kgen_word<sizeof(T)>::type bits;
        to.kgen_choice = 0x3210;
#pragma unroll
        for (int w = 0; w <= kgen_loose<T, count>::words; ++w) to.kgen_word[w] = 0;
#pragma unroll 1
        for (int e = 0; e < count && e < valid; ++e) {
            const unsigned shifted = (unsigned)kgen_load_as<read_only>((const bits*)pointer + e) << e * 8 * sizeof(T) % 32;
#pragma unroll
            for (int w = 0; w < kgen_loose<T, count>::words; ++w) to.kgen_word[w] |= e * (int)sizeof(T) / 4 == w ? shifted : 0;
        }
    } else {
#pragma unroll
        for (int e = 0; e < count; ++e) {
            if (e < valid) to.kgen_whole.kgen_at[e] = kgen_load_as<read_only>(pointer + e);
        }
    }
}
template <class T, int count> __device__ __forceinline__ kgen_vector<T, count> kgen_fit(const kgen_loose<T, count>& from) {
    if constexpr (sizeof(T) < 4) {
        kgen_vector<unsigned, kgen_loose<T, count>::words> whole;
#pragma unroll
        for (int w = 0; w < kgen_loose<T, count>::words; ++w)
            whole.kgen_at[w] = __byte_perm(from.kgen_word[w], from.kgen_word[w + 1], from.kgen_choice);
        return (kgen_vector<T, count>&)whole;
    } else {
        return from.kgen_whole;
    }
}
// Reads the first `valid` elements of a vector whose elements lie `stride` bytes apart.
template <bool read_only, class V, class T>
__device__ __forceinline__ void kgen_load_apart(V& to, const T* pointer, long long stride, int valid) {
    kgen_vector<T, sizeof(V) / sizeof(T)> whole;
#pragma unroll
    for (int e = 0; e < (int)(sizeof(V) / sizeof(T)); ++e) {
        if (e < valid) whole.kgen_at[e] = kgen_load_as<read_only>((const T*)((const char*)pointer + e * stride));
    }
    to = (V&)whole;
}

// The bytes that are reached from an address along some axes.
struct kgen_reach {
    long long low, high;
    __device__ __forceinline__ void kgen_add(long long far) { (far < 0 ? low : high) += far; }
};
// Whether all words around the bytes that a tile reaches from `at` lie within the bytes that the array reaches from `data`.
__device__ __forceinline__ bool kgen_is_inside(const void* data, const kgen_reach& array, const void* at, const kgen_reach& tile) {
    const long long low = ((long long)at + tile.low) & -4, high = (((long long)at + tile.high) & -4) + 4;
    return low >= (long long)data + array.low && high <= (long long)data + array.high;
}

template <class T, int side> struct kgen_loose_square { kgen_loose<T, side> kgen_row[side]; };
template <class T, int side> __device__ __forceinline__ const kgen_square<T, side>& kgen_as_square(const kgen_square<T, side>& square) {
    return square;
}
template <class T, int side> __device__ __forceinline__ kgen_square<T, side> kgen_as_square(const kgen_loose_square<T, side>& square) {
    kgen_square<T, side> whole;
#pragma unroll
    for (int e = 0; e < side; ++e) {
        const kgen_vector<T, side> row = kgen_fit(square.kgen_row[e]);
        whole.kgen_row[e] = (const typename kgen_square<T, side>::row&)row;
    }
    return whole;
}
// Transposes a square and stores its rows `pitch` vectors apart, each by one access.
template <class T, int side>
__device__ __forceinline__ void kgen_keep(kgen_vector<T, side>* tile, const kgen_square<T, side>& square, int pitch) {
    kgen_square<T, side> turned;
    kgen_turn(square, turned);
#pragma unroll
    for (int e = 0; e < side; ++e) (typename kgen_square<T, side>::row&)tile[e * pitch] = turned.kgen_row[e];
}
// Reads the rows of a square from shared memory, `pitch` vectors apart, and transposes it.
template <class T, int side>
__device__ __forceinline__ void kgen_turn_back(const kgen_vector<T, side>* tile, kgen_square<T, side>& square, int pitch) {
    kgen_square<T, side> kept;
#pragma unroll
    for (int e = 0; e < side; ++e) kept.kgen_row[e] = (const typename kgen_square<T, side>::row&)tile[e * pitch];
    kgen_turn(kept, square);
}
// Stores the first `valid` elements of a row of a square, `stride` bytes apart.
template <class T, int side>
__device__ __forceinline__ void kgen_store_apart(T* to, const typename kgen_square<T, side>::row& row, long long stride, int valid) {
    const kgen_vector<T, side>& whole = (const kgen_vector<T, side>&)row;
#pragma unroll
    for (int e = 0; e < side; ++e) {
        if (e < valid) kgen_store((T*)((char*)to + e * stride), whole.kgen_at[e]);
    }
}

// The rows of a tile that wait in shared memory. Row r lies at vector (r % side * squares + r / side) * pitch, so the rows of
// a square lie squares * pitch vectors apart. A row has `units` vectors, of which `count` elements exist. The thread's place
// and its steps count rows and units.
struct kgen_row_places { int rows, count, squares, pitch, units, row, unit, row_step, unit_step; };
__device__ __forceinline__ unsigned kgen_slot(int row, int side, int squares, int pitch) {
    return ((unsigned)row % side * squares + (unsigned)row / side) * pitch;
}
// Returns the word that begins at any byte of shared memory.
__device__ __forceinline__ unsigned kgen_word_at(const unsigned* words, int byte) {
    return __byte_perm(words[byte >> 2], words[(byte >> 2) + 1], 0x3210 + (byte & 3) * 0x1111);
}
template <int bytes> __device__ __forceinline__ void kgen_store_piece(unsigned char* to, const unsigned* words, int byte) {
    if constexpr (bytes > 4) {
#pragma unroll
        for (int b = 0; b < bytes; b += 4) kgen_store_piece<4>(to + b, words, byte + b);
    } else {
        *(typename kgen_word<bytes>::type*)to = (typename kgen_word<bytes>::type)kgen_word_at(words, byte);
    }
}
// Stores `bytes` bytes, fewer than `most`, in pieces whose sizes are powers of two. The memory is aligned for the largest
// piece at its end (rising) or at its begin.
template <int piece, int most, bool rising>
__device__ __forceinline__ void kgen_store_pieces(unsigned char* to, const unsigned* words, int byte, int bytes) {
    if constexpr (piece < most) {
        if constexpr (!rising) kgen_store_pieces<2 * piece, most, rising>(to, words, byte, bytes);
        // Larger pieces come before this one, or smaller pieces do.
        const int before = rising ? bytes & (piece - 1) : bytes & ~(2 * piece - 1);
        if (bytes & piece) kgen_store_piece<piece>(to + before, words, byte + before);
        if constexpr (rising) kgen_store_pieces<2 * piece, most, rising>(to, words, byte, bytes);
    }
}
// Stores the rows of a tile. Narrow elements are stored as aligned vectors. Then each thread stores both ends of whole rows.
// find(r) returns the address at which row r begins.
template <class T, int side, class Find>
__device__ __forceinline__ void kgen_store_rows(const kgen_vector<T, side>* tile, const kgen_row_places& at, const Find& find) {
    int row = at.row, unit = at.unit;
    if constexpr (sizeof(T) >= 4) {
        for (; row < at.rows; kgen_step(row, unit, at.row_step, at.unit_step, at.units)) {
            const T* const from = (const T*)(tile + kgen_slot(row, side, at.squares, at.pitch));
            T* const begin = find(row);
#pragma unroll
            for (int e = 0; e < side; ++e) {
                const int place = unit + e * at.units;
                if (place < at.count) kgen_store(begin + place, from[place]);
            }
        }
    } else {
        enum { bytes = sizeof(T) * side };
        const unsigned* const words = (const unsigned*)tile;
        const int all = at.count * (int)sizeof(T);
        for (; row < at.rows; kgen_step(row, unit, at.row_step, at.unit_step, at.units)) {
            unsigned char* const begin = (unsigned char*)find(row);
            const int place = (-(int)(size_t)begin & (bytes - 1)) + unit * bytes;
            if (place + bytes <= all) {
                const int byte = kgen_slot(row, side, at.squares, at.pitch) * bytes + place;
                const unsigned choice = 0x3210 + (byte & 3) * 0x1111;
                kgen_vector<unsigned, bytes / 4> whole;
#pragma unroll
                for (int w = 0; w < bytes / 4; ++w)
                    whole.kgen_at[w] = __byte_perm(words[(byte >> 2) + w], words[(byte >> 2) + w + 1], choice);
                kgen_store((kgen_vector<unsigned, bytes / 4>*)(begin + place), whole);
            }
        }
#pragma unroll 1
        for (int r = kgen_thread(); r < at.rows; r += kgen_block_size()) {
            unsigned char* const begin = (unsigned char*)find(r);
            const int byte = kgen_slot(r, side, at.squares, at.pitch) * bytes, head = -(int)(size_t)begin & (bytes - 1);
            if (head <= all) {
                kgen_store_pieces<sizeof(T), bytes, true>(begin, words, byte, head);
                const int end = head + ((all - head) & -bytes);
                kgen_store_pieces<sizeof(T), bytes, false>(begin + end, words, byte + end, all - end);
            } else {
#pragma unroll 1
                for (int b = 0; b < all; b += sizeof(T)) kgen_store_piece<sizeof(T)>(begin + b, words, byte + b);
            }
        }
    }
}

template <class P, class Parameters, class Operands, class Body>
__device__ __forceinline__ void kgen_shared_tiles(const Parameters& p, Operands& x, const Body& body) {
    extern __shared__ __align__(16) unsigned char kgen_shared[];
    const kgen_tile_shape& tile = p.kgen_tile;
    x.kgen_share(kgen_shared);
    x.kgen_find(kgen_block());  // sets kgen_begin_a and kgen_begin_b, where the tile begins along its sides
    const int count_a = kgen_least(tile.extent_a - x.kgen_begin_a, tile.tile_a);
    const int count_b = kgen_least(tile.extent_b - x.kgen_begin_b, tile.tile_b);
    bool inside = true;  // whether words may be read
    if constexpr (P::kgen_loose) inside = x.kgen_find_inside(count_a, count_b);
    const int square_a = kgen_divide(kgen_thread(), tile.by_squares_b);
    const int square_b = kgen_thread() - square_a * tile.squares_b;
    int a = square_a, b = square_b;
    if constexpr (P::kgen_reads_squares) {
        for (int m = 0; m < tile.squares_a * tile.squares_b; m += P::kgen_unroll * kgen_block_size()) {
            typename Operands::kgen_squares squares[P::kgen_unroll];
            int slots[P::kgen_unroll];  // places in shared memory; -1 outside the array
#pragma unroll
            for (int u = 0; u < P::kgen_unroll; ++u) {
                slots[u] = -1;
                if (a * P::kgen_pack < count_a && b * P::kgen_pack < count_b) {
                    slots[u] = b * tile.pitch + a;
#pragma unroll
                    for (int e = 0; e < P::kgen_pack; ++e) {
                        const int row = a * P::kgen_pack + e;
                        if constexpr (P::kgen_loose) x.kgen_load_square(squares[u], e, row < count_a ? row : count_a - 1, b * P::kgen_pack, inside, count_b - b * P::kgen_pack);
                        else x.kgen_load_square(squares[u], e, row, b * P::kgen_pack, true, P::kgen_pack);
                    }
                }
                kgen_step(a, b, tile.square_step_a, tile.square_step_b, tile.squares_b);
            }
#pragma unroll
            for (int u = 0; u < P::kgen_unroll; ++u) {
                if (slots[u] >= 0) x.kgen_keep_square(squares[u], slots[u]);
            }
        }
        __syncthreads();
    }
    const int row_b = kgen_divide(kgen_thread(), tile.by_squares_a);
    const int row_a = kgen_thread() - row_b * tile.squares_a;
    b = row_b;
    a = row_a;
    for (int m = 0; m < tile.squares_a * tile.tile_b; m += P::kgen_rows * kgen_block_size()) {
        typename Operands::kgen_values values[P::kgen_rows];
        int rows[P::kgen_rows], vectors[P::kgen_rows];  // a row is -1 outside the array
#pragma unroll
        for (int r = 0; r < P::kgen_rows; ++r) {
            rows[r] = -1;
            if (b < count_b && a * P::kgen_pack < count_a) {
                rows[r] = b;
                vectors[r] = a;
                x.kgen_load_values(values[r], kgen_slot(b, P::kgen_pack, tile.squares_b, tile.pitch) + a, b, a, inside, count_a - a * P::kgen_pack);
            }
            kgen_step(b, a, tile.row_step_b, tile.row_step_a, tile.squares_a);
        }
#pragma unroll
        for (int r = 0; r < P::kgen_rows; ++r) {
            if (rows[r] >= 0) {
                x.kgen_fit_values(values[r]);
                const int valid = P::kgen_loose ? count_a - vectors[r] * P::kgen_pack : P::kgen_pack;
#pragma unroll
                for (int e = 0; e < P::kgen_pack; ++e) {
                    if (e < valid) x.kgen_call(body, values[r], e, rows[r], vectors[r]);
                }
                x.kgen_store_values(values[r], kgen_slot(rows[r], P::kgen_pack, tile.squares_b, tile.pitch) + vectors[r], rows[r], vectors[r], valid);
            }
        }
    }
    if constexpr (P::kgen_stores_squares) {
        __syncthreads();
        a = square_a;
        b = square_b;
        for (int m = 0; m < tile.squares_a * tile.squares_b; m += kgen_block_size()) {
            if (a * P::kgen_pack < count_a && b * P::kgen_pack < count_b)
                x.kgen_store_square(b * tile.pitch + a, a, b, count_a - a * P::kgen_pack, count_b - b * P::kgen_pack);
            kgen_step(a, b, tile.square_step_a, tile.square_step_b, tile.squares_b);
        }
    }
    if constexpr (P::kgen_stores_rows) {
        __syncthreads();
        x.kgen_store_waiting({count_b, count_a, tile.squares_b, tile.pitch, tile.squares_a, row_b, row_a, tile.row_step_b, tile.row_step_a},
                             {count_a, count_b, tile.squares_a, tile.pitch_b, tile.squares_b, square_a, square_b, tile.square_step_a, tile.square_step_b});
    }
}
