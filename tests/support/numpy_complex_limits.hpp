// SPDX-License-Identifier: MIT
//
// What NumPy 1.24 gives for complex numbers with infinite, NaN and zero parts, in complex64 and complex128 alike:
// letter 'a' + 4 * class of the real part + class of the imaginary one. Operands are all pairs of the parts,
// the first operand varying slowest, the imaginary part faster than the real one.
#pragma once

#include <array>
#include <limits>
#include <string_view>

namespace kgen::test {

// Classes: 0 NaN, 1 and 2 the infinities, 3 finite.
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
    "paaaaapaaaaaaaaaaapaaaaaaaaaaaaaaaaappppeappppeappppeaaaapeaaaapeaaaapeapppepapppepa"
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
