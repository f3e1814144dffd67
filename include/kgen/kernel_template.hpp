// SPDX-License-Identifier: MIT
//
// KernelTemplate: a kernel by name, of kgen's library or of the user's files.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <kgen/dtype.hpp>
#include <kgen/elementwise_kernel.hpp>
#include <kgen/export.hpp>
#include <kgen/generated_kernel.hpp>
#include <kgen/reduction_kernel.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

// A named kernel that was written down as JSON (kernel_templates/README.md), with one form or several for
// different dtypes: sum(int8) is int64, sum(float32) float32. The first form that fits the inputs is
// called.
//
//     KernelTemplate l2norm = kernel_template("l2norm");
//     Array norms = l2norm(x, axis(1));
//
// How it is called, bound and explained is said in GeneratedKernel, and what a call then does in
// ElementwiseKernel and ReductionKernel. If no form fits the arguments it throws TypeError, with the
// forms that there are; numbers take the dtypes that arrays give.
class KGEN_EXPORT KernelTemplate : public GeneratedKernel {
public:
    enum class Kind : std::uint8_t { elementwise, reduction };

    // The template of a JSON text or file that holds one, or the one of several with this name. Throws
    // SignatureError with one line "file:line:column: what is wrong" if it does not read; IoError.
    static KernelTemplate from_json(std::string_view text, std::string_view name = {});
    static KernelTemplate from_file(const std::string& path, std::string_view name = {});

    const std::string& description() const noexcept;  // one line
    Kind kind() const noexcept;
    // Its file; "<kgen>/reductions.json" of the library, "<text>" of from_json.
    const std::string& origin() const noexcept;
    // All have the same parameters, but for their types.
    int overload_count() const noexcept;
    // Itself in the format of the files, with all fields of every form and every combination of types
    // that is worth compiling.
    std::string json() const;

    // The kernel of a template that has one form, or of the form that fits inputs of these dtypes. Throws
    // TypeError if it is of the other kind, if it has several forms and no dtypes are given, or if none fits.
    ElementwiseKernel elementwise() const;
    ElementwiseKernel elementwise(std::span<const DType> inputs) const;
    ElementwiseKernel elementwise(std::initializer_list<DType> inputs) const {
        return elementwise(std::span<const DType>(inputs.begin(), inputs.size()));
    }
    ReductionKernel reduction() const;
    ReductionKernel reduction(std::span<const DType> inputs) const;
    ReductionKernel reduction(std::initializer_list<DType> inputs) const {
        return reduction(std::span<const DType>(inputs.begin(), inputs.size()));
    }

private:
    struct Impl;
    friend struct TemplateAccess;
    explicit KernelTemplate(std::shared_ptr<const Impl> impl);
    const Impl& impl() const noexcept;
    friend KGEN_EXPORT KernelTemplate kernel_template(std::string_view name);
    friend KGEN_EXPORT std::vector<KernelTemplate> read_kernel_templates(const std::string& path);
};

// The template of this name: from the files and directories of KGEN_TEMPLATE_PATH (separated by ':'; of a
// directory its files *.json), else from kgen's library. Throws SignatureError, with the nearest
// name, if there is none, and for a file of KGEN_TEMPLATE_PATH that does not read; IoError for a place there
// that others may write to.
KGEN_EXPORT KernelTemplate kernel_template(std::string_view name);

// All templates of a file, or of the files *.json of a directory. Throws as from_file does.
KGEN_EXPORT std::vector<KernelTemplate> read_kernel_templates(const std::string& path);

struct TemplateInfo {
    std::string name;
    std::string description;
    KernelTemplate::Kind kind = KernelTemplate::Kind::elementwise;
    std::string origin;
    bool built_in = false;
};

// All templates that kernel_template() finds, by name.
KGEN_EXPORT std::vector<TemplateInfo> kernel_templates();

}  // namespace kgen
