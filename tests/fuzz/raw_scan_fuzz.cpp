// SPDX-License-Identifier: MIT
//
// Calls all functions that read a raw program with any bytes. Parts separated by 0x01 are the source, a
// header, a name and an option. The scan returns or throws CompileError. Every position that it reports
// lies within the text, and the text that is rewritten for the host has the same number of lines.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <kgen/error.hpp>
#include <string>
#include <vector>

#include "program/host_raw_refusals.hpp"
#include "program/host_raw_rewrite.hpp"
#include "program/host_raw_scan.hpp"
#include "program/raw_names.hpp"
#include "program/waiting_names.hpp"
#include "signature/token.hpp"
#include "text/include_scan.hpp"
#include "text/nesting.hpp"
#include "text/source_scan.hpp"

using namespace kgen;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void check_includes(const std::string& text) {
    std::size_t last = 0;
    for (const IncludeUse& use : find_includes(text)) {
        require(use.offset >= last && use.offset + use.length <= text.size());
        last = use.offset;
    }
}

void check_program(const std::string& text, const ScannedProgram& program) {
    require(program.uses.size() == program.tokens.tokens.size());
    for (const ScannedKernel& kernel : program.kernels)
        require(kernel.end <= text.size() && kernel.chunk < program.chunks.size());
    for (const ScannedVariable& variable : program.variables) require(variable.end <= text.size());
    for (const ScannedInclude& include : program.includes)
        require(include.directive <= include.begin && include.end <= text.size());
    for (const ScannedSharedArray& array : program.shared_arrays)
        require(array.begin < array.end && array.end < program.uses.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string input(reinterpret_cast<const char*>(data), size);
    std::string parts[4];
    std::size_t at = 0;
    for (std::string& part : parts) {
        const std::size_t end = std::min(input.find('\x01', at), input.size());
        part = input.substr(at, end - at);
        at = std::min(end + 1, input.size());
    }
    const std::string& text = parts[0];
    const std::vector<std::string> options = {parts[3]};
    check_includes(text);
    check_includes(parts[1]);
    static_cast<void>(depends_on_time(text, options));
    static_cast<void>(reads_files(text, options));
    NamedWords words(AssemblerUse::reads_files);
    words.add({text, parts[1], parts[3]});
    static_cast<void>(words.may_read_more());
    if (const auto deep = find_deep_nesting(text, 50)) require(*deep < text.size());
    for (const TokenError& error : find_imbalance(tokenize(text)))
        require(error.offset + error.length <= text.size());

    const ScannedProgram program = scan_program(text, TextPlace::source, options);
    const ScannedProgram header = scan_program(parts[1], TextPlace::header, options);
    check_program(text, program);
    check_program(parts[1], header);
    const WaitingNames waiting = find_waiting_names({&program, &header});
    for (const ScannedKernel& kernel : program.kernels)
        static_cast<void>(waits(waiting, program, kernel));
    static_cast<void>(waits(waiting, parts[2]));
    const std::string rewritten = rewrite_for_host(text, program, &waiting, {"lib.h"});
    require(std::count(rewritten.begin(), rewritten.end(), '\n') ==
            std::count(text.begin(), text.end(), '\n'));
    try {
        refuse_for_host("k", {"k.cu", text}, program, {"lib.h"});
    } catch (const CompileError&) {
        // Much of CUDA is rejected in this way.
    }
    const std::vector<std::string> symbols = declared_kernels(text);
    const std::vector<ProgramName> names = program_names({parts[2]}, {});
    static_cast<void>(find_name(parts[2], names));
    static_cast<void>(parameter_types(parts[2]));
    static_cast<void>(suggest_name(parts[2], symbols));
    return 0;
}
