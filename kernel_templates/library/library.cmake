# The built-in templates, embedded in the library as template_<file> (see README.md).
foreach(theme
        activations arithmetic casts comparison logic mathematics nan_reductions reductions selection statistics)
    kgen_embed(kgen PREFIX template_ ${kgen_SOURCE_DIR}/kernel_templates/library/${theme}.json)
endforeach()
