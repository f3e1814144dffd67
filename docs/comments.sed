# The comments of the headers as Doxygen wants them. What opens a file describes the file; what stands above a name describes
# that; what stands behind it in the same line, too. Text is no markup, but for lines that are indented: they are code.
1s,^// SPDX.*,/// \\file,
# How fmt prints what is kgen's.
/^template <>$/,/^};$/d
/^ *\/\/( |$)/{
    /^ *\/\/     /!{
        s/([<>@#&\\])/\\\1/g
        s/%/%%/g
    }
    s,^( *)//,\1///,
}
s, +// NOLINT.*,,
/^ *[^ /].*[;,{)] +\/\/ /{
    h
    s,^.*[;{\,)] +// ,,
    s/([<>@#&\\])/\\\1/g
    s/%/%%/g
    x
    s,^(.*[;{\,)]) +// .*$,\1,
    G
    s,\n,  ///< ,
}
