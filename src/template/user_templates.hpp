// SPDX-License-Identifier: MIT
//
// UserTemplates: the templates of KGEN_TEMPLATE_PATH. They are kept between calls, and their files are read
// again if one of them has changed.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "template/template_definition.hpp"

namespace kgen {

// A file or directory that templates were read from, as it was before they were read.
struct TemplateSource {
    std::string path;
    struct stat status {};
};

// The templates of one value of KGEN_TEMPLATE_PATH. Immutable.
struct UserTemplates {
    std::string path;   // KGEN_TEMPLATE_PATH
    std::string trust;  // KGEN_CACHE_TRUST
    std::vector<TemplateSource> sources;
    std::vector<TemplateDefinition> templates;  // in the order of the path; the first of each name

    // Returns the template of this name, or nullptr.
    const TemplateDefinition* find(std::string_view name) const;
};

// Returns the templates of KGEN_TEMPLATE_PATH, or nullptr if it is unset. Returns the same object as long as
// the variables and the device, inode, size and time of change of every file and directory are the same,
// which takes one stat() each. Otherwise the files are read again, and first checked with distrust_path.
// Throws like read_template_path, and IoError if another user may have written a file or directory. Files
// that changed in the last 2 seconds are read on each call, because a second change may not show in their
// times. Thread-safe.
std::shared_ptr<const UserTemplates> user_templates();

}  // namespace kgen
