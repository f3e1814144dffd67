// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <kgen/npy.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/npy_files.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

const ArrayOptions on_host{.device = Device::host()};
const NpyOptions load_on_host{.device = Device::host()};

}  // namespace

TEST_CASE("a saved file is byte for byte what NumPy writes") {
    const WorkFolder folder;
    save_npy("x.npy", arange(6, float32, on_host).reshape({2, 3}));
    const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    std::string expected = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + dictionary;
    expected.resize(127, ' ');
    expected += '\n';
    expected +=
        std::string("\0\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40", 24);
    CHECK(read_file("x.npy") == expected);
    CHECK(files_here() == 1);
}

TEST_CASE("what is saved is loaded again, every dtype, shape and order") {
    const WorkFolder folder;
    const Array base = arange(24, float64, on_host);
    for (int k = 0; k < dtype_count; ++k) {
        const auto dtype = static_cast<DType>(k);
        const Array x = base.astype(dtype);
        const NpyOptions options{.device = Device::host(), .dtype = dtype};
        for (const Array& array : std::vector<Array>{x,
                                                     x[5],
                                                     x.slice({{.start = 0, .stop = 0}}),
                                                     x.reshape({2, 3, 4}),
                                                     x.reshape({2, 3, 4}).transpose(),
                                                     x.reshape({2, 3, 4}).transpose({1, 0, 2}),
                                                     x.slice({{.step = -2}})}) {
            save_npy("x.npy", array);
            const Array loaded = load_npy("x.npy", options);
            CHECK(loaded.dtype() == dtype);
            CHECK(loaded.shape() == array.shape());
            CHECK(to_text(loaded) == to_text(array));
            CHECK(loaded.is_contiguous(Order::f) ==
                  (array.is_contiguous(Order::f) || array.rank() == 1));
        }
    }
}

TEST_CASE("all versions, byte orders and spellings of the header are read") {
    const WorkFolder folder;
    struct Case {
        std::string bytes;
        DType dtype;
        std::string text;
    };
    const std::string two_big("\0\1\1\0", 4);
    const std::vector<Case> cases = {
        {npy(header("'>i2'", "(2,)"), two_big), int16, "[  1 256]"},
        {npy(header("'<i2'", "(2,)"), two_big, 2), int16, "[256   1]"},
        {npy(header("'=u2'", "(2L,)"), two_big, 3), uint16, "[256   1]"},
        {npy("{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"|u1\"}\n", "\1\2"),
         uint8,
         "[1 2]"},
        {npy(header("'|b1'", "(3,)"), std::string("\0\1\7", 3)), bool_, "[False  True  True]"},
        {npy(header("'?'", "()"), "\1"), bool_, "True"},
        {npy(header("'>c8'", "()"), std::string("\x3f\x80\0\0\xc0\0\0\0", 8)), complex64, "(1-2j)"},
        {npy(header("'>f8'", "(1,)"), std::string("\x3f\xf8\0\0\0\0\0\0", 8)), float64, "[1.5]"},
        {npy(header("'<f2'", "(0, 3)"), ""), float16, "[]"},
        {npy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 2)}", "\1\2\3\4"),
         int8,
         "[[1 3]\n [2 4]]"},
        {npy(header("'|i1'", "(2,)"), "\1\2 trailing bytes are ignored"), int8, "[1 2]"},
    };
    for (const Case& each : cases) {
        write_file("x.npy", each.bytes);
        const Array x = load_npy("x.npy", load_on_host);
        CHECK(x.dtype() == each.dtype);
        CHECK(to_text(x) == each.text);
    }
}

TEST_CASE("bfloat16 is read where it is asked for") {
    const WorkFolder folder;
    save_npy("b.npy", full({2}, 1.5, bfloat16, on_host));
    CHECK(read_file("b.npy").find("'descr': '<V2'") != std::string::npos);
    CHECK(to_text(load_npy("b.npy", {.device = Device::host(), .dtype = bfloat16})) == "[1.5 1.5]");
    CHECK(KGEN_MESSAGE_OF(IoError, load_npy("b.npy", load_on_host)) ==
          "b.npy: dtype '<V2' is unknown: if the elements are bfloat16, pass that dtype");
    save_npy("f.npy", zeros({2}, float32, on_host));
    CHECK(KGEN_MESSAGE_OF(IoError,
                          load_npy("f.npy", {.device = Device::host(), .dtype = bfloat16})) ==
          "f.npy: has dtype float32, expected bfloat16; load it without NpyOptions::dtype and "
          "convert it with astype()");
}

TEST_CASE("a file that is not what its header promises is refused, with the reason") {
    const WorkFolder folder;
    struct Case {
        std::string bytes;
        std::string message;
    };
    const std::string good = header("'<f4'", "(10,)");
    const std::vector<Case> cases = {
        {npy(good, "twelve bytes"),
         "truncated: the header declares 40 bytes of data, the file has 12"},
        {npy(good, ""), "truncated: the header declares 40 bytes of data, the file has 0"},
        {npy(good, "").substr(0, 30), "truncated: it ends within the header"},
        {npy(good, "", 2).substr(0, 11), "truncated: it ends within the header"},
        {"", "not an .npy file: it does not begin with '\\x93NUMPY'"},
        {"\x93NUMPY", "not an .npy file: it does not begin with '\\x93NUMPY'"},
        {"PK\x03\x04 a zip file", "not an .npy file: it does not begin with '\\x93NUMPY'"},
        {npy(good, "", 4), "has .npy version 4.0, expected 1.0, 2.0 or 3.0"},
        {std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12),
         "the header has 4294967295 bytes, expected at most 65535"},
        {npy(header("'|O'", "(1,)"), ""),
         "dtype '|O' means Python objects; kgen reads numbers only"},
        {npy(header("'<f16'", "(1,)"), ""),
         "dtype '<f16' is not supported: expected b1, i1 to i8, u1 to u8, f2 to f8, c8 or c16"},
        {npy(header("'\x1b[2J'", "(1,)"), ""),
         "dtype '?[2J' is not supported: expected b1, i1 to i8, u1 to u8, f2 to f8, c8 or c16"},
        {npy(header("[('a', '<f4')]", "(1,)"), ""),
         "has a structured dtype, which kgen does not support: save one field"},
        {npy(header("'<f4'", "(-1,)"), ""), "the header has the negative extent -1"},
        {npy(header("'<f4'", "(4294967296, 4294967296)"), ""),
         "too large: shape (4294967296, 4294967296) has more elements than fit in 64 bits"},
        {npy(header("'<f4'", "(99999999999999999999,)"), ""),
         "the header has the extent 99999999999999999999, which does not fit in 64 bits"},
        {npy(header("'<f4'", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"), ""),
         "the header has a shape of more than 16 axes"},
        {npy(header("'<f4'", "(3)"), ""), "the header has the shape (3), expected the tuple (3,)"},
        {npy(header("'<f4'", "(3 4)"), ""), "the header has '4' at byte 53, expected ','"},
        {npy(header("'<f4'", "(,)"), ""),
         "the header has ',' at byte 51, expected an extent or ')'"},
        {npy(header("'<f4'", "3"), ""), "the header has '3' at byte 50, expected '('"},
        {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)", ""),
         "the header ends early: expected ','"},
        {npy("{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}", ""),
         "the header has '0' at byte 34, expected True or False"},
        {npy("{'descr': '<f4", ""), "the header has an unclosed quote at byte 10"},
        {npy("{descr: '<f4'}", ""), "the header has 'd' at byte 1, expected a key"},
        {npy("", ""), "the header ends early: expected '{'"},
        {npy("__import__('os')", ""), "the header has '_' at byte 0, expected '{'"},
        {npy("{}", ""), "the header has no key 'descr'"},
        {npy("{'descr': '<f4'}", ""), "the header has no key 'fortran_order'"},
        {npy("{'descr': '<f4', 'fortran_order': True}", ""), "the header has no key 'shape'"},
        {npy("{'descr': '<f4', 'descr': '<f4'}", ""), "the header has the key 'descr' twice"},
        {npy("{'descr': '<f4', 'more': 1}", ""), "the header has the unknown key 'more'"},
        {npy(good + " x", ""), "the header has extra text at byte 59, after the dictionary"},
    };
    for (const Case& each : cases) {
        write_file("x.npy", each.bytes);
        CHECK(KGEN_MESSAGE_OF(IoError, load_npy("x.npy", load_on_host)) ==
              "x.npy: " + each.message);
    }
}

TEST_CASE("a file cut anywhere is refused and never read beyond its end") {
    const WorkFolder folder;
    save_npy("x.npy", arange(5, int16, on_host));
    const std::string bytes = read_file("x.npy");
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        write_file("cut.npy", bytes.substr(0, size));
        CHECK_THROWS_AS(load_npy("cut.npy", load_on_host), IoError);
    }
}

TEST_CASE("what is no regular file is neither read nor replaced") {
    const WorkFolder folder;
    std::filesystem::create_directory("folder");
    REQUIRE(::mkfifo("pipe", 0600) == 0);
    const Array x = arange(2, int8, on_host);
    CHECK(KGEN_MESSAGE_OF(IoError, load_npy("none.npy")) ==
          "none.npy: cannot be opened: No such file or directory");
    CHECK(KGEN_MESSAGE_OF(IoError, load_npy("folder")) ==
          "folder: is a directory, not an .npy file");
    CHECK(KGEN_MESSAGE_OF(IoError, load_npy("pipe")) == "pipe: is not a regular file");
    CHECK(KGEN_MESSAGE_OF(IoError, save_npy("folder", x)) ==
          "folder: cannot be written: it is a directory");
    CHECK(KGEN_MESSAGE_OF(IoError, save_npy("pipe", x)) ==
          "pipe: cannot be written: it is not a regular file");
    CHECK(KGEN_MESSAGE_OF(IoError, save_npy("none/x.npy", x)) ==
          "none/x.npy: cannot be written: No such file or directory");
    CHECK(KGEN_MESSAGE_OF(ShapeError, save_npy("x.npy", Array())) ==
          "save_npy: the array has no memory, because it was default-constructed");
    CHECK(files_here() == 2);
}

TEST_CASE("saving replaces a file at once, through a link and with its permissions") {
    const WorkFolder folder;
    write_file("x.npy", "old");
    REQUIRE(::chmod("x.npy", 0640) == 0);
    std::filesystem::create_symlink("x.npy", "link.npy");
    std::ifstream reader("x.npy");  // keeps the old file open
    save_npy("link.npy", arange(3, int8, on_host));
    CHECK(to_text(load_npy("x.npy", load_on_host)) == "[0 1 2]");
    CHECK(std::filesystem::is_symlink("link.npy"));
    struct stat status {};
    REQUIRE(::stat("x.npy", &status) == 0);
    CHECK((status.st_mode & 07777) == 0640);
    std::string old;
    reader >> old;
    CHECK(old == "old");
    CHECK(files_here() == 2);
}

TEST_CASE("saving through a link whose file is missing creates that file") {
    const WorkFolder folder;
    std::filesystem::create_directory("below");
    std::filesystem::create_symlink("below/second.npy", "first.npy");
    std::filesystem::create_symlink("../target.npy", "below/second.npy");
    save_npy("first.npy", arange(3, int8, on_host));
    CHECK(std::filesystem::is_symlink("first.npy"));
    CHECK(std::filesystem::is_symlink("below/second.npy"));
    CHECK(!std::filesystem::is_symlink("target.npy"));
    CHECK(to_text(load_npy("target.npy", load_on_host)) == "[0 1 2]");
    std::filesystem::create_symlink("loop.npy", "loop.npy");
    CHECK(KGEN_MESSAGE_OF(IoError, save_npy("loop.npy", arange(1, int8, on_host))) ==
          "loop.npy: cannot be written: Too many levels of symbolic links");
    CHECK(KGEN_MESSAGE_OF(IoError, save_npy("", arange(1, int8, on_host))) ==
          ": cannot be written: No such file or directory");
}

TEST_CASE("a file may have the longest name of the file system") {
    const WorkFolder folder;
    for (const std::size_t length : {255U, 240U, 1U}) {
        const std::string name(length, 'x');
        save_npy(name, arange(3, int8, on_host));
        CHECK(to_text(load_npy(name, load_on_host)) == "[0 1 2]");
    }
    CHECK(files_here() == 3);
    CHECK(KGEN_MESSAGE_OF(IoError, save_npy(std::string(256, 'x'), arange(1, int8, on_host))) ==
          std::string(256, 'x') + ": cannot be written: File name too long");
    CHECK(files_here() == 3);
}

TEST_CASE("saving to an open file of the process appends where the file stands") {
    const WorkFolder folder;
    save_npy("x.npy", arange(3, int8, on_host));
    write_file("log", "before\n");
    const int file = ::open("log", O_WRONLY | O_APPEND | O_CLOEXEC);
    REQUIRE(file >= 0);
    for (const char* name : {"/dev/fd/", "/proc/self/fd/"})
        save_npy(name + std::to_string(file), arange(3, int8, on_host));
    CHECK(::write(file, "after\n", 6) == 6);  // the file stays open
    ::close(file);
    const std::string saved = read_file("x.npy");
    CHECK(read_file("log") == "before\n" + saved + saved + "after\n");
    CHECK(files_here() == 2);
    CHECK(KGEN_MESSAGE_OF(IoError, save_npy("/dev/fd/999", arange(1, int8, on_host))) ==
          "/dev/fd/999: cannot be written: Bad file descriptor");
    const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    const std::string name = "/dev/fd/" + std::to_string(full);
    CHECK(KGEN_MESSAGE_OF(IoError, save_npy(name, arange(1, int8, on_host))) ==
          name + ": cannot be written: No space left on device");
    ::close(full);
}

TEST_CASE(
    "a file over the process's limit of file sizes is an error and does not end the process") {
    const WorkFolder folder;
    CHECK(said_by_child([]() -> std::string {
              std::signal(SIGXFSZ, SIG_DFL);
              const ::rlimit limit = {1000, 1000};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              return KGEN_MESSAGE_OF(IoError, save_npy("x.npy", zeros({1000}, int64, on_host)));
          }) == "x.npy: cannot be written: File too large");
    CHECK(files_here() == 0);
}

TEST_CASE("NumPy reads what is saved and writes what is loaded") {
    const WorkFolder folder;
    if (!has_numpy()) {
        WARN("skipped: /usr/bin/python3 has no numpy, so that nothing was compared with NumPy");
        return;
    }
    const Array base = arange(0, 6, 0.25, float64, on_host).reshape({2, 3, 4});
    std::string script =
        "import numpy as np\n"
        "base = np.arange(0, 6, 0.25).reshape(2, 3, 4)\n";
    for (int k = 0; k < dtype_count; ++k) {
        const auto dtype = static_cast<DType>(k);
        if (dtype == bfloat16) continue;
        const Array x = base.astype(dtype);
        const std::string name(to_text(dtype));
        save_npy(name + "_c.npy", x);
        save_npy(name + "_f.npy", x.transpose());
        save_npy(name + "_0.npy", x[1][1][1]);
        script += fmt::format(
            "x = base.astype('{0}')\n"
            "for part, kind in ((x, 'c'), (x.T, 'f'), (x[1, 1, 1], '0')):\n"
            "    y = np.load('{0}_' + kind + '.npy')\n"
            "    assert y.dtype == x.dtype and y.shape == part.shape, '{0}'\n"
            "    assert (y == part).all() and y.flags.f_contiguous == part.flags.f_contiguous, "
            "'{0}'\n"
            "    np.save('{0}_' + kind + '_numpy.npy', part)\n"
            "np.save('{0}_big.npy', x.astype(x.dtype.newbyteorder('>')))\n",
            name);
    }
    write_file("check.py", script);
    REQUIRE(std::system("/usr/bin/python3 check.py") == 0);
    for (int k = 0; k < dtype_count; ++k) {
        const auto dtype = static_cast<DType>(k);
        if (dtype == bfloat16) continue;
        const std::string name(to_text(dtype));
        for (const char* kind : {"c", "f", "0"}) {
            CHECK(read_file(fmt::format("{}_{}_numpy.npy", name, kind)) ==
                  read_file(fmt::format("{}_{}.npy", name, kind)));
        }
        CHECK(to_text(load_npy(name + "_big.npy", load_on_host)) == to_text(base.astype(dtype)));
    }
}
