// SPDX-License-Identifier: MIT
//
// EmbeddedTemplates: templates that are part of the program. `kgen compile --embed` and kgen_precompile write
// them for the templates of your own files, so that the program finds them without these files.
#pragma once

#include <kgen/export.hpp>
#include <span>
#include <string>
#include <string_view>

namespace kgen {

class KernelTemplate;

// A JSON text of templates. An object of this type at namespace scope registers them before main. Then
// kernel_template() finds them by name, after those of KGEN_TEMPLATE_PATH and before kgen's own. The text must
// stay valid; a library that contains such an object must not be unloaded. kernel_template() throws
// SignatureError if the text is not valid.
class KGEN_EXPORT EmbeddedTemplates {
public:
    EmbeddedTemplates(const char* name, std::string_view json) noexcept;
    EmbeddedTemplates(const EmbeddedTemplates&) = delete;
    EmbeddedTemplates& operator=(const EmbeddedTemplates&) = delete;

private:
    friend struct EmbeddedTemplatesList;

    const char* name_;
    std::string_view json_;
    const EmbeddedTemplates* next_ = nullptr;
};

// Returns C++ source that defines the templates as an EmbeddedTemplates and includes only this header; empty if
// there are none. `name` is for messages.
KGEN_EXPORT std::string embed_templates(std::span<const KernelTemplate> templates,
                                        std::string_view name);

}  // namespace kgen
