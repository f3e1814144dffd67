// SPDX-License-Identifier: MIT
//
// KernelTemplate: a named kernel from kgen's library or from the user's files.
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

// A named kernel defined in JSON (kernel_templates/README.md). It has one or more forms for different dtypes:
// sum of int8 gives int64, sum of float32 gives float32. A call runs the first form that fits the inputs.
//
//     KernelTemplate l2norm = kernel_template("l2norm");
//     Array norms = l2norm(x, axis(1));
//
// GeneratedKernel documents how to call, bind and explain it; ElementwiseKernel and ReductionKernel document
// what a call does. If no form fits the arguments, a call throws a TypeError that lists the forms. Numbers
// take the dtypes that the arrays determine.
class KGEN_EXPORT KernelTemplate : public GeneratedKernel {
public:
    enum class Kind : std::uint8_t { elementwise, reduction };

    // Read one template from a JSON text or file. `name` selects it if there are several. Throw a
    // SignatureError of one line, "file:line:column: what is wrong", if the JSON is not valid. from_file
    // throws IoError if the file cannot be read.
    static KernelTemplate from_json(std::string_view text, std::string_view name = {});
    static KernelTemplate from_file(const std::string& path, std::string_view name = {});

    const std::string& description() const noexcept;  // a single line
    Kind kind() const noexcept;
    // The file of the template; "<kgen>/reductions.json" or the like for the library, "<text>" for
    // from_json().
    const std::string& origin() const noexcept;
    // Number of forms. All have the same parameters except for the types.
    int overload_count() const noexcept;
    // Returns the parameters and dtypes of each form: "T x, T y -> T z with T = float32 | float64". Without
    // "with", the placeholders may have any dtype.
    std::vector<std::string> signatures() const;
    // Returns the template as JSON in the file format, with all fields of every form and all combinations of
    // types that `kgen compile` compiles.
    std::string json() const;

    // Return the kernel of the only form, or of the form that fits inputs of these dtypes. Throw TypeError if
    // the template is of the other kind, if it has several forms and no dtypes are given, or if no form fits.
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

// Returns the template of this name or alias. Searches the files and directories of KGEN_TEMPLATE_PATH first
// (separated by ':'; the *.json files of each directory), then kgen's library. Throws a SignatureError that
// suggests the nearest name if there is no such template, a SignatureError if a file of KGEN_TEMPLATE_PATH is
// not valid, and IoError if other users may write to a path of KGEN_TEMPLATE_PATH.
KGEN_EXPORT KernelTemplate kernel_template(std::string_view name);

// Returns all templates of a file, or of the *.json files of a directory. Throws as from_file does.
KGEN_EXPORT std::vector<KernelTemplate> read_kernel_templates(const std::string& path);

struct TemplateInfo {
    std::string name;
    std::string description;
    KernelTemplate::Kind kind = KernelTemplate::Kind::elementwise;
    std::string origin;
    bool built_in = false;
};

// Returns all templates that kernel_template() can find, sorted by name.
KGEN_EXPORT std::vector<TemplateInfo> kernel_templates();

}  // namespace kgen
