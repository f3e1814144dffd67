// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <kgen/npz.hpp>
#include <kgen/suggestion.hpp>
#include <set>
#include <utility>

#include "array/files/npy_data.hpp"
#include "array/files/zip_directory.hpp"
#include "array/files/zip_entry_reader.hpp"
#include "array/files/zip_writer.hpp"
#include "files/input_file.hpp"
#include "files/replacement_file.hpp"
#include "memory/host_order.hpp"
#include "memory/layout.hpp"
#include "text/ascii_text.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

constexpr std::string_view npy_suffix = ".npy";

// Runs `work` and puts the path before the message of an IoError that it throws.
template <typename Work>
auto with_path(const std::string& path, const Work& work) {
    try {
        return work();
    } catch (const IoError& error) {
        throw IoError(fmt::format("{}: {}", path, error.what()));
    }
}

// An open archive with its directory. The entries whose names end with ".npy" are arrays.
class NpzFile {
public:
    explicit NpzFile(const std::string& path)
        : file_(path, ", not an .npz file"), entries_(read_zip_directory(file_)) {}

    const std::vector<ZipEntry>& entries() const { return entries_; }

    static bool is_array(const ZipEntry& entry) { return entry.name.ends_with(npy_suffix); }
    static std::string name_of(const ZipEntry& entry) {
        return entry.name.substr(0, entry.name.size() - npy_suffix.size());
    }

    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const ZipEntry& entry : entries_) {
            if (is_array(entry)) names.push_back(name_of(entry));
        }
        return names;
    }

    Array load(const ZipEntry& entry, const NpyOptions& options) const {
        try {
            ZipEntryReader reader(file_, entry);
            const NpyStart start = read_npy_start(reader, options);
            if (start.present_bytes != start.promised_bytes) {
                throw IoError(
                    fmt::format("the .npy header declares {} bytes of data, the entry has {}",
                                start.promised_bytes,
                                start.present_bytes));
            }
            return read_npy_data(reader, start, options);
        } catch (const IoError& error) {
            throw IoError(fmt::format("entry '{}': {}", ascii_text(entry.name), error.what()));
        }
    }

    const ZipEntry& find(std::string_view name) const {
        for (const ZipEntry& entry : entries_) {
            if (is_array(entry) && name_of(entry) == name) return entry;
        }
        fail_to_find(name);
    }

private:
    [[noreturn]] void fail_to_find(std::string_view name) const {
        const std::vector<std::string> names = this->names();
        std::string message = fmt::format("has no array '{}'", ascii_text(name));
        const std::vector<std::string_view> valid(names.begin(), names.end());
        const std::string_view nearest = nearest_name(name, valid);
        if (!nearest.empty()) {
            message += fmt::format("; did you mean '{}'?", nearest);
        } else if (names.empty()) {
            message += "; the file has no arrays";
        } else {
            constexpr std::size_t most_shown = 10;
            message += "; it has ";
            for (std::size_t k = 0; k < std::min(names.size(), most_shown); ++k) {
                message += fmt::format("{}'{}'", k == 0 ? "" : ", ", ascii_text(names[k]));
            }
            if (names.size() > most_shown)
                message += fmt::format(" and {} more", names.size() - most_shown);
        }
        throw IoError(message);
    }

    InputFile file_;
    std::vector<ZipEntry> entries_;
};

void require_no_mapping(const NpyOptions& options) {
    if (options.access == NpyAccess::mapped) {
        throw IoError(
            "arrays in an .npz file cannot be mapped\nread them, or save each as an .npy file");
    }
}

void require_names(std::span<const NamedArray> arrays) {
    std::set<std::string_view> names;
    for (const NamedArray& each : arrays) {
        const std::string problem = problem_of_zip_name(each.name);
        constexpr std::size_t longest = 0xffff - npy_suffix.size();
        if (!problem.empty()) {
            throw IoError(
                fmt::format("cannot be written: the name '{}' {}", ascii_text(each.name), problem));
        }
        if (each.name.size() > longest) {
            throw IoError(fmt::format("cannot be written: a name is {} bytes long, at most {} fit",
                                      each.name.size(),
                                      longest));
        }
        if (!names.insert(each.name).second) {
            throw IoError(fmt::format("cannot be written: two arrays are called '{}'",
                                      ascii_text(each.name)));
        }
    }
}

void save(const std::string& path, std::span<const NamedArray> arrays, const NpzOptions& options) {
    require_names(arrays);
    ReplacementFile file(path);
    ZipWriter zip(file, options.compression);
    for (const NamedArray& each : arrays) {
        const NpyImage image(each.array);
        zip.add(each.name + std::string(npy_suffix),
                image.size_bytes(),
                [&](const ZipWriter::Sink& sink) { image.write(sink); });
    }
    zip.finish();
    file.commit();
}

}  // namespace

std::vector<std::string> npz_names(const std::string& path) try {
    return with_path(path, [&] { return NpzFile(path).names(); });
} catch (...) {
    rethrow_as_error();
}

std::vector<NamedArray> load_npz(const std::string& path, const NpyOptions& options) try {
    return with_path(path, [&] {
        require_no_mapping(options);
        const NpzFile file(path);
        for (const ZipEntry& entry : file.entries()) {
            if (!NpzFile::is_array(entry)) {
                throw IoError(
                    fmt::format("entry '{}' is not an array: its name does not end with '.npy'\n"
                                "load the arrays by their names",
                                ascii_text(entry.name)));
            }
        }
        std::vector<NamedArray> arrays;
        for (const ZipEntry& entry : file.entries()) {
            arrays.push_back({NpzFile::name_of(entry), file.load(entry, options)});
        }
        return arrays;
    });
} catch (...) {
    rethrow_as_error();
}

Array load_npz(const std::string& path, std::string_view name, const NpyOptions& options) try {
    return with_path(path, [&] {
        require_no_mapping(options);
        const NpzFile file(path);
        return file.load(file.find(name), options);
    });
} catch (...) {
    rethrow_as_error();
}

void save_npz(const std::string& path,
              std::span<const NamedArray> arrays,
              const NpzOptions& options) try {
    for (const NamedArray& each : arrays) {
        require_value(each.array, "save_npz");
        require_host_elements(each.array.device());
    }
    with_path(path, [&] { save(path, arrays, options); });
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
