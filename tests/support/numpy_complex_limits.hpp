// SPDX-License-Identifier: MIT
//
// Results of NumPy 2.4 for complex numbers with infinite, NaN and zero parts. complex64 and
// complex128 give the same. Each letter is 'a' + 4 * class of the real part + class of the
// imaginary part. The operands are all pairs of the parts. The first operand varies slowest,
// and the imaginary part varies faster than the real part.
#pragma once

#include <array>
#include <limits>
#include <string_view>

namespace kgen::test {

// Classes of results: 0 is NaN, 1 and 2 are the infinities, 3 is finite.
inline constexpr std::array<double, 6> numpy_parts = {0,
                                                      1,
                                                      -2.5,
                                                      std::numeric_limits<double>::infinity(),
                                                      -std::numeric_limits<double>::infinity(),
                                                      std::numeric_limits<double>::quiet_NaN()};

inline constexpr std::string_view numpy_quotients =
    "appppapppppapppppapppaaapppaaaaaaaaabppppapppppapppppapppaaapppaaaaaaaaacppppapppppa"
    "pppppapppaaapppaaaaaaaaabeiaaabfjaaacgkaaaaaaaaaaaaaaaaaaaaacieaaackgaaabjfaaaaaaaaa"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaeppppapppppapppppapppaaapppaaaaaaaaa"
    "fppppapppppapppppapppaaapppaaaaaaaaagppppapppppapppppapppaaapppaaaaaaaaafeiaaabfjaaa"
    "cgkaaaaaaaaaaaaaaaaaaaaagieaaackgaaabjfaaaaaaaaaaaaaaaaaaaaaeaaaaaaaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaaaippppapppppapppppapppaaapppaaaaaaaaajppppapppppapppppapppaaapppaaaaaaaaa"
    "kppppapppppapppppapppaaapppaaaaaaaaajeiaaabfjaaacgkaaaaaaaaaaaaaaaaaaaaakieaaackgaaa"
    "bjfaaaaaaaaaaaaaaaaaaaaaiaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaecbaaaegfaaaikjaaaaaaaaa"
    "aaaaaaaaaaaafcbaaaegfaaaikjaaaaaaaaaaaaaaaaaaaaagcbaaaegfaaaikjaaaaaaaaaaaaaaaaaaaaa"
    "faaaaaaebaaaaciaaaaaaaaaaaaaaaaaaaaagaaaaaaceaaaaibaaaaaaaaaaaaaaaaaaaaaeaaaaaaaaaaa"
    "aaaaaaaaaaaaaaaaaaaaaaaaibcaaaijkaaaefgaaaaaaaaaaaaaaaaaaaaajbcaaaijkaaaefgaaaaaaaaa"
    "aaaaaaaaaaaakbcaaaijkaaaefgaaaaaaaaaaaaaaaaaaaaajaaaaaabiaaaaecaaaaaaaaaaaaaaaaaaaaa"
    "kaaaaaaicaaaabeaaaaaaaaaaaaaaaaaaaaaiaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaaaaaaaaaaaaaaabaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaacaaaaaaaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaaabaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaacaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

inline constexpr std::string_view numpy_powers =
    "paaaaappppppaaaaaappppppaaaaaaaaaaaappppeappppeappppeaaaapeaaaapeaaaapeapppepapppepa"
    "pppepaeeeeaepppappaaaepapaaaaaneeaeeppppapeeeaeeppppapaaaaaapaaaaaoeeeaepppappeeeeae"
    "pppappaaaaaapaaaaamaaaaaaaaaaaaaaaaaaaaaaaaaaaaapppaaapppaaapppaaaaaaaaaaaaaaaaaaaaa"
    "ppppeappppeappppeaeeeaeeppppapaaapeapppepapppepapppepaeeeeaepppappaaaepapaaaaaneeaee"
    "ppppapeeeaeeppppapaaaaaapaaaaaoeeeaepppappeeeeaepppappaaaaaapaaaaamaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaaappppeappppeappppeaeeeaeeppppapaaapeappppeappppeappppeaeeeaeeppppapaaapea"
    "pppepapppepapppepaeeeeaepppappaaaepapaaaaaneeaeeppppapeeeaeeppppapaaaaaapaaaaaoeeeae"
    "pppappeeeeaepppappaaaaaapaaaaamaaaaaaaaaaaaaaaaaaaaaaaaaaaaapaaaaaheeaaepppaapeeeeee"
    "ppppppaaaaaapaaaaaheeaaepppaapeeeeeeppppppaaaaaapaaaaaheeaaepppaapeeeeeeppppppaaaaaa"
    "paaaaafeeaeeppppapeeeaeeppppapaaaaaapaaaaageeeaepppappeeeeaepppappaaaaaapaaaaaeeeaae"
    "pppaapeeeeeeppppppaaaaaapaaaaaleeaeeppppapeeeaeeppppapaaaaaapaaaaaleeaeeppppapeeeaee"
    "ppppapaaaaaapaaaaaleeeaepppappeeeeaepppappaaaaaapaaaaajeeaeeppppapeeeaeeppppapaaaaaa"
    "paaaaakeeeaepppappeeeeaepppappaaaaaapaaaaaieeaaepppaapeeeeeeppppppaaaaaapaaaaadaaaaa"
    "aaaaaaaaaaaaaaaaaaaaaaaapaaaaadaaaaaaaaaaaaaaaaaaaaaaaaaaaaapaaaaadaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaaapaaaaabeeaaepppaapeeeeeeppppppaaaaaapaaaaaceeaaepppaapeeeeeeppppppaaaaaa"
    "paaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

inline constexpr std::string_view numpy_reciprocals = "appppapppppapppppapppaaapppaaaaaaaaa";

}  // namespace kgen::test
