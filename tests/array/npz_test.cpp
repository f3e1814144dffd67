// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "array/files/zip_entry_reader.hpp"
#include "array/files/zip_writer.hpp"
#include "files/input_file.hpp"
#include "files/replacement_file.hpp"
#include "support/catch.hpp"
#include "support/npy_files.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

const ArrayOptions on_host{.device = Device::host()};
const NpyOptions load_on_host{.device = Device::host()};
constexpr NpzOptions both[] = {{.compression = NpzCompression::stored},
                               {.compression = NpzCompression::deflated}};

std::string to_text(const std::vector<NamedArray>& arrays) {
    std::string text;
    for (const NamedArray& each : arrays) {
        text +=
            fmt::format("{} {} {}; ", each.name, to_text(each.array.dtype()), to_text(each.array));
    }
    return text;
}

std::string read_entry(const InputFile& file, const ZipEntry& entry) {
    ZipEntryReader reader(file, entry);
    std::string bytes(static_cast<std::size_t>(entry.bytes), '\0');
    REQUIRE(reader.read(bytes.data(), bytes.size()) == bytes.size());
    return bytes;
}

}  // namespace

TEST_CASE("arrays are saved under names and loaded in their order, stored and deflated") {
    const WorkFolder folder;
    const Array x = arange(6, float32, on_host).reshape({2, 3});
    for (const NpzOptions& options : both) {
        save_npz("a.npz",
                 {{"weights", x},
                  {"bias", x[1]},
                  {"layers/0/scale", full({}, 2.5, float64, on_host)},
                  {"größe", arange(3, int8, on_host)}},
                 options);
        CHECK(npz_names("a.npz") ==
              std::vector<std::string>{"weights", "bias", "layers/0/scale", "größe"});
        CHECK(to_text(load_npz("a.npz")) ==
              "weights float32 [[0. 1. 2.]\n [3. 4. 5.]]; bias float32 [3. 4. 5.]; layers/0/scale "
              "float64 2.5; "
              "größe int8 [0 1 2]; ");
        CHECK(to_text(load_npz("a.npz", "bias", load_on_host)) == "[3. 4. 5.]");
        CHECK(files_here() == 1);
    }
    save_npz("none.npz", {});
    CHECK(load_npz("none.npz").empty());
    CHECK(read_file("none.npz") == std::string("PK\5\6") + std::string(18, '\0'));
}

TEST_CASE("every dtype and layout comes back from an .npz file") {
    const WorkFolder folder;
    const Array base = arange(24, float64, on_host);
    for (int k = 0; k < dtype_count; ++k) {
        const auto dtype = static_cast<DType>(k);
        const Array x = base.astype(dtype);
        const std::vector<NamedArray> arrays = {{"a", x.reshape({2, 3, 4})},
                                                {"b", x.reshape({2, 3, 4}).transpose()},
                                                {"c", x.slice({{.step = -2}})},
                                                {"d", x.slice({{.start = 0, .stop = 0}})}};
        save_npz("x.npz", arrays, both[k % 2]);
        const auto loaded = load_npz("x.npz", {.device = Device::host(), .dtype = dtype});
        CHECK(to_text(loaded) == to_text(arrays));
        CHECK(loaded[1].array.is_contiguous(Order::f));
    }
}

TEST_CASE("the same arrays give the same bytes and deflate makes regular ones small") {
    const WorkFolder folder;
    const Array x = zeros({1000, 1000}, float32, on_host);
    for (const NpzOptions& options : both) {
        save_npz("a.npz", {{"x", x}, {"y", x[0]}}, options);
        save_npz("b.npz", {{"x", x}, {"y", x[0]}}, options);
        CHECK(read_file("a.npz") == read_file("b.npz"));
        CHECK(load_npz("a.npz", "x", load_on_host).to_vector<float>() ==
              std::vector<float>(1000 * 1000));
    }
    CHECK(std::filesystem::file_size("a.npz") < 5000);
}

TEST_CASE("one array is loaded by its name and nothing of the others is read") {
    const WorkFolder folder;
    const Array x = arange(3, int8, on_host);
    save_npz("a.npz", {{"first", x}, {"second", x}});
    std::string bytes = read_file("a.npz");
    bytes.replace(0, 39 + 131, 39 + 131, '?');  // overwrites the whole first entry
    write_file("a.npz", bytes);
    CHECK(npz_names("a.npz") == std::vector<std::string>{"first", "second"});
    CHECK(to_text(load_npz("a.npz", "second", load_on_host)) == "[0 1 2]");
    CHECK(KGEN_MESSAGE_OF(IoError, load_npz("a.npz", load_on_host)) ==
          "a.npz: entry 'first.npy': has no header at byte 0, where the zip directory points");
    CHECK(KGEN_MESSAGE_OF(IoError, load_npz("a.npz", "third")) ==
          "a.npz: has no array 'third'; it has 'first', 'second'");
    CHECK(KGEN_MESSAGE_OF(IoError, load_npz("a.npz", "secnod")) ==
          "a.npz: has no array 'secnod'; did you mean 'second'?");
    save_npz("none.npz", {});
    CHECK(KGEN_MESSAGE_OF(IoError, load_npz("none.npz", "x")) ==
          "none.npz: has no array 'x'; the file has no arrays");
    std::vector<NamedArray> many;
    for (int k = 0; k < 12; ++k) many.push_back({fmt::format("a{}", k), x});
    save_npz("many.npz", many);
    CHECK(KGEN_MESSAGE_OF(IoError, load_npz("many.npz", "other")) ==
          "many.npz: has no array 'other'; it has 'a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', "
          "'a8', 'a9' and 2 more");
}

TEST_CASE("what cannot be an .npz file is not written and the old one stays") {
    const WorkFolder folder;
    const Array x = arange(2, int8, on_host);
    write_file("a.npz", "old");
    std::filesystem::create_directory("folder");
    REQUIRE(::mkfifo("pipe", 0600) == 0);
    const auto refused = [&](const std::string& name) {
        return KGEN_MESSAGE_OF(IoError, save_npz("a.npz", {{name, x}}));
    };
    CHECK(refused("") == "a.npz: cannot be written: the name '' is empty");
    CHECK(refused("/etc/passwd") ==
          "a.npz: cannot be written: the name '/etc/passwd' is an absolute path");
    CHECK(refused("a/../../b") == "a.npz: cannot be written: the name 'a/../../b' has a '..'");
    CHECK(refused("a\\b") ==
          "a.npz: cannot be written: the name 'a\\b' has a '\\'; folders are separated by '/'");
    CHECK(refused("a\nb") == "a.npz: cannot be written: the name 'a?b' has the control byte 0x0a");
    CHECK(refused("\xc0\xaf") == "a.npz: cannot be written: the name '?\?' is not UTF-8");
    CHECK(refused("\xed\xa0\x80") == "a.npz: cannot be written: the name '?\?\?' is not UTF-8");
    CHECK(refused(std::string(70000, 'x')) ==
          "a.npz: cannot be written: a name is 70000 bytes long, at most 65531 fit");
    CHECK(KGEN_MESSAGE_OF(IoError, save_npz("a.npz", {{"x", x}, {"x", x}})) ==
          "a.npz: cannot be written: two arrays are called 'x'");
    CHECK(KGEN_MESSAGE_OF(ShapeError, save_npz("a.npz", {{"x", Array()}})) ==
          "save_npz: the array has no memory, because it was default-constructed");
    CHECK(KGEN_MESSAGE_OF(IoError, save_npz("folder", {{"x", x}})) ==
          "folder: cannot be written: it is a directory");
    CHECK(KGEN_MESSAGE_OF(IoError, save_npz("pipe", {{"x", x}})) ==
          "pipe: cannot be written: it is not a regular file");
    CHECK(read_file("a.npz") == "old");
    CHECK(files_here() == 3);
}

TEST_CASE("numbers that do not fit 32 bits are written and read in 64") {
    const WorkFolder folder;
    const std::string text(3000, 'x');
    std::string script = "import zipfile\n";
    for (const std::uint64_t largest : {0U, 40U, 2000U, 5000U}) {  // larger numbers need 64 bits
        for (const NpzOptions& options : both) {
            const std::string path =
                fmt::format("{}_{}.zip", largest, static_cast<int>(options.compression));
            {
                ReplacementFile file(path);
                ZipWriter zip(file, options.compression, largest);
                for (const char* name : {"one", "two"}) {
                    zip.add(name, text.size(), [&](const ZipWriter::Sink& sink) {
                        sink(text.data(), text.size());
                    });
                }
                zip.finish();
                file.commit();
            }
            const InputFile file(path, ".zip");
            const std::vector<ZipEntry> entries = read_zip_directory(file);
            REQUIRE(entries.size() == 2);
            CHECK(entries[1].name == "two");
            for (const ZipEntry& entry : entries) CHECK(read_entry(file, entry) == text);
            script += fmt::format("assert zipfile.ZipFile('{}').testzip() is None\n", path);
        }
    }
    write_file("check.py", script);
    if (has_numpy()) CHECK(std::system("/usr/bin/python3 check.py") == 0);
    {
        ReplacementFile file("many.zip");
        ZipWriter zip(file, NpzCompression::stored);
        for (int k = 0; k < 0x10000; ++k)
            zip.add(fmt::format("{}", k), 0, [](const ZipWriter::Sink&) {});
        zip.finish();
        file.commit();
    }
    CHECK(read_zip_directory(InputFile("many.zip", ".zip")).size() == 0x10000);
}

TEST_CASE("NumPy reads an .npz file of kgen and writes one that kgen reads") {
    const WorkFolder folder;
    if (!has_numpy()) {
        WARN("skipped: /usr/bin/python3 has no numpy, so that nothing was compared with NumPy");
        return;
    }
    const Array x = arange(1000, int16, on_host).reshape({10, 100});
    for (const NpzOptions& options : both) {
        save_npz(
            options.compression == NpzCompression::stored ? "stored.npz" : "deflated.npz",
            {{"x", x}, {"größe", x.transpose()}, {"scalar", full({}, 1.5, complex64, on_host)}},
            options);
    }
    write_file(
        "check.py",
        "import io, zipfile\n"
        "import numpy as np\n"
        "x = np.arange(1000, dtype='i2').reshape(10, 100)\n"
        "for name in ('stored', 'deflated'):\n"
        "    assert zipfile.ZipFile(name + '.npz').testzip() is None\n"
        "    f = np.load(name + '.npz')\n"
        "    assert f.files == ['x', 'größe', 'scalar'], f.files\n"
        "    assert (f['x'] == x).all() and (f['größe'] == x.T).all() and f['scalar'] == 1.5\n"
        "    assert f['x'].dtype == x.dtype and f['größe'].flags.f_contiguous\n"
        "np.savez('numpy_stored.npz', x=x, größe=x.T, scalar=np.complex64(1.5))\n"
        "np.savez_compressed('numpy_deflated.npz', x=x, größe=x.T, scalar=np.complex64(1.5))\n"
        "class Pipe(io.RawIOBase):\n"  // cannot seek: sizes and checksum follow the data
        "    def __init__(self, file): self.file = file\n"
        "    def writable(self): return True\n"
        "    def write(self, data): return self.file.write(data)\n"
        "with open('numpy_piped.npz', 'wb') as file, zipfile.ZipFile(Pipe(file), 'w', 8) as z:\n"
        "    for name, array in ('x', x), ('größe', x.T), ('scalar', np.complex64(1.5)):\n"
        "        with z.open(name + '.npy', 'w', force_zip64=True) as entry:\n"
        "            np.lib.format.write_array(entry, np.asanyarray(array))\n");
    REQUIRE(std::system("/usr/bin/python3 check.py") == 0);
    const std::string expected = to_text(load_npz("stored.npz", load_on_host));
    CHECK(to_text(load_npz("deflated.npz", load_on_host)) == expected);
    for (const char* path : {"numpy_stored.npz", "numpy_deflated.npz", "numpy_piped.npz"}) {
        CHECK(to_text(load_npz(path, load_on_host)) == expected);
    }
}
