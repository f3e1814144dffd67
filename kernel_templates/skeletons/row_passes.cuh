// SPDX-License-Identifier: MIT
// kgen: the passes of a row kernel. A pass folds the elements of a row and leaves results, which the passes behind it read.
template <class A, bool starts, class Map, class Reduce, class Identity, class Post> struct kgen_pass {
    typedef A kgen_accumulator_type;
    typedef kgen_fold<A, starts> kgen_fold_type;
    enum { kgen_has_identity = starts };
    const Map& kgen_map;
    const Reduce& kgen_reduce;
    const Identity& kgen_identity;
    const Post& kgen_post;
};
template <class A, bool starts, class Map, class Reduce, class Identity, class Post>
__device__ __forceinline__ kgen_pass<A, starts, Map, Reduce, Identity, Post>
kgen_make_pass(const Map& map, const Reduce& reduce, const Identity& identity, const Post& post) {
    return {map, reduce, identity, post};
}
