// SPDX-License-Identifier: MIT
//
// Calls the readers of short texts and of compilers' output with any bytes. The first byte selects
// the reader. Text that is meant to be printed must not contain characters that control a terminal.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <kgen/error.hpp>
#include <kgen/terminal_text.hpp>
#include <string>
#include <string_view>

#include "array/files/npy_header.hpp"
#include "cli/exit_status.hpp"
#include "cli/text/argument_text.hpp"
#include "cuda/nvrtc/name_expressions.hpp"
#include "cuda/nvrtc/ptx_parameters.hpp"
#include "files/elf_file.hpp"
#include "image/code_file.hpp"
#include "image/cubin_resources.hpp"
#include "signature/names.hpp"
#include "text/ascii_text.hpp"
#include "text/bounded_log.hpp"
#include "text/compiler_log.hpp"
#include "text/excerpt.hpp"

using namespace kgen;

namespace {

void require_printable(const std::string& text, LineBreaks breaks) {
    if (terminal_text(text, breaks) != text) std::abort();
}

void print(std::string_view text) {
    require_printable(terminal_text(text, LineBreaks::kept), LineBreaks::kept);
    require_printable(terminal_text(text, LineBreaks::escaped), LineBreaks::escaped);
    require_printable(bounded_log(std::string(text)), LineBreaks::kept);
    require_printable(printable(text), LineBreaks::escaped);
    require_printable(ascii_text(text), LineBreaks::escaped);
    const std::size_t place = text.size() / 2;
    require_printable(excerpt(text, place, 5), LineBreaks::kept);
    require_printable(excerpt_at(text, position_of(text, place)), LineBreaks::kept);
}

void read_log(std::string_view text) {
    const std::size_t half = text.size() / 2;
    const LabelledText texts[] = {{"k (operation)", text.substr(half)}, {"k.cu", text}};
    static_cast<void>(describe_errors(text.substr(0, half), texts));
    static_cast<void>(find_name_error(text));
    static_cast<void>(find_instantiation(text));
    static_cast<void>(first_error(text));
    static_cast<void>(find_refused_expressions(text, {"axpby<int>"}));
    static_cast<void>(mentions_name(text, text.substr(half)));
}

void read_ptx(std::string_view text) {
    static_cast<void>(ptx_variables(text));
    static_cast<void>(ptx_parameters(text, "k"));
    if (is_ptx(text)) static_cast<void>(read_ptx_arch(text));
}

void read_npy(std::string_view text) {
    const NpyPrefix prefix = parse_npy_prefix(text);
    const NpyHeader header = parse_npy_header(text.substr(prefix.size_bytes));
    static_cast<void>(parse_npy_descr(header.descr, {}));
}

void read_symbols(std::string_view text) {
    const ElfFile object(text);
    for (const Elf64_Sym& symbol : object.symbols()) static_cast<void>(object.name_of(symbol));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        switch (data[0] % 6) {
            case 0:
                print(text);
                break;
            case 1:
                read_log(text);
                break;
            case 2:
                read_ptx(text);
                break;
            case 3:
                read_npy(text);
                break;
            case 4:
                static_cast<void>(cli::parse_argument(text));
                break;
            default:
                static_cast<void>(cubin_resources(text));
                read_symbols(text);
        }
    } catch (const IoError& error) {
        require_printable(error.what(), LineBreaks::kept);
    } catch (const ShapeError&) {
        // The text names more axes than an array can have.
    } catch (const cli::UsageError&) {
        // The message quotes the user's text, which is escaped when it is printed.
    }
    return 0;
}
