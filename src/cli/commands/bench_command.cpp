// SPDX-License-Identifier: MIT
//
// kgen bench: how close each layout comes to a copy's speed, and what calls cost.
#include <benchmarks/random_plot.hpp>
#include <benchmarks/run_benchmark.hpp>
#include <benchmarks/share_plot.hpp>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/common_options.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

struct BenchOptions {
    CommonOptions common;
    std::vector<std::string> names;
    std::vector<int> log2;
    std::vector<std::string> peer_files;
    std::string output_file;
    std::string plot_file;
    std::string measurement;
    bool list = false;
    bool quick = false;
    std::optional<std::string> random_count;
    std::optional<std::string> random_seed;
    std::optional<std::string> random_class;
    std::string statement_file;
};

void write_file(const std::string& path, const std::string& text) {
    // /dev/stdout and the like are already open, perhaps for appending: opening them must not empty them.
    const bool is_open = path.starts_with("/dev/") || path.starts_with("/proc/");
    std::ofstream file(path, std::ios::binary | (is_open ? std::ios::app : std::ios::trunc));
    file << text;
    file.close();
    if (!file) throw IoError(path + ": cannot be written");
}

// Runs one measurement in this new process, for the process that started it.
ExitStatus measure_here(const std::string& what) {
    using bench::Called;
    write_json(what == "call"              ? bench::call_costs_here()
               : what == "first-call"      ? bench::first_call_here(Called::elementwise)
               : what == "first-reduction" ? bench::first_call_here(Called::reduction)
               : what == "first-raw"       ? bench::first_call_here(Called::raw)
               : what == "bare-compile"    ? bench::bare_compile_here(Called::elementwise)
                                           : bench::bare_compile_here(Called::reduction));
    return ExitStatus::done;
}

ExitStatus list_cases(const BenchOptions& options) {
    write_text(bench::known_names(options.log2) + "\n");
    return ExitStatus::done;
}

template <typename T>
std::optional<T> parse_whole(const std::string& text) {
    T value{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size()) return {};
    return value;
}

constexpr std::int64_t most_random_calls = 1'000'000;

// Returns the calls that --random draws, or nothing without --random.
std::optional<bench::RandomSelection> random_selection(const BenchOptions& options) {
    const auto refuse = [](const std::string& message) { throw UsageError(message); };
    if (!options.random_count) {
        if (options.random_seed) refuse("--seed needs --random N");
        if (options.random_class) refuse("--class needs --random N");
        return {};
    }
    bench::RandomSelection random;
    const auto count = parse_whole<std::int64_t>(*options.random_count);
    if (!count || *count < 1 || *count > most_random_calls) {
        refuse(fmt::format("--random: '{}' is no number of calls: expected 1 to {}",
                           *options.random_count,
                           most_random_calls));
    }
    random.count = *count;
    if (options.random_seed) {
        const auto seed = parse_whole<std::uint64_t>(*options.random_seed);
        if (!seed) {
            refuse(
                fmt::format("--seed: '{}' is no seed: expected a whole number from 0 to 2^64 - 1",
                            *options.random_seed));
        }
        random.seed = *seed;
    }
    if (options.random_class) {
        const auto kind = bench::parse_random_class(*options.random_class);
        if (!kind) {
            refuse(
                fmt::format("--class: unknown class '{}': expected elementwise, permute, reduce, "
                            "small or host",
                            *options.random_class));
        }
        random.classes = {*kind};
    }
    if (!options.names.empty()) {
        refuse(fmt::format("--random draws its calls, so no case can be named: got '{}'",
                           options.names.front()));
    }
    if (!options.peer_files.empty() || !options.log2.empty()) {
        refuse("--random has no use for --peers and --log2");
    }
    return random;
}

std::vector<bench::StatementCase> chosen_statements(const BenchOptions& options) {
    if (options.statement_file.empty()) return {};
    if (options.random_count || !options.names.empty() || !options.peer_files.empty() ||
        !options.log2.empty() || !options.plot_file.empty()) {
        throw UsageError(
            "--statements runs the statements of the file alone: no case, --random, --peers, "
            "--log2 or --svg goes with it");
    }
    return bench::read_statements(options.statement_file);
}

// Adds the classes that the device can run. Class host has one thread, which this process must choose before
// the host device starts.
void choose_random_classes(const BenchOptions& options, bench::RandomSelection& random) {
    using bench::RandomClass;
    const bool names_host = random.classes == std::vector{RandomClass::host};
    if (random.classes.empty() || names_host) ::setenv("KGEN_HOST_THREADS", "1", 1);
    if (const auto device = options.common.chosen_device()) set_current_device(*device);
    const Device device = current_device();
    if (device.kind() != DeviceKind::host && names_host) {
        throw UsageError(fmt::format(
            "--class host compares with loops on the CPU: got device {}, expected --device host",
            to_text(device)));
    }
    if (!random.classes.empty()) return;
    random.classes = {
        RandomClass::elementwise, RandomClass::permute, RandomClass::reduce, RandomClass::small};
    if (device.kind() == DeviceKind::host) random.classes.push_back(RandomClass::host);
}

ExitStatus run_bench(const BenchOptions& options) {
    std::optional<bench::RandomSelection> random = random_selection(options);
    std::vector<bench::StatementCase> statements = chosen_statements(options);
    if (options.list) return list_cases(options);
    if (random) choose_random_classes(options, *random);
    if (const auto device = options.common.chosen_device()) set_current_device(*device);
    if (!options.measurement.empty()) return measure_here(options.measurement);
    const bool as_json = options.common.json;
    bench::Selection selection;
    try {
        if (!random && statements.empty()) {
            selection = bench::select_cases(options.names, options.log2, current_device().kind());
        }
    } catch (const bench::UnknownCase& error) {
        throw UsageError(error.what());
    }
    selection.random = std::move(random);
    selection.statements = std::move(statements);
    std::vector<bench::PeerRow> peers;
    for (const std::string& path : options.peer_files) {
        const std::vector<bench::PeerRow> more = bench::read_peers(path);
        peers.insert(peers.end(), more.begin(), more.end());
    }
    const bench::Report report =
        bench::run_benchmark(selection,
                             options.quick ? bench::Scale::quick : bench::Scale::full,
                             peers,
                             [as_json](const std::string& lines) {
                                 if (!as_json) write_text(lines);
                             });
    const nlohmann::ordered_json object = bench::report_json(report);
    if (as_json) write_json(object);
    if (!options.output_file.empty()) write_file(options.output_file, object.dump(1) + "\n");
    if (!options.plot_file.empty()) {
        write_file(
            options.plot_file,
            selection.random ? bench::random_plot(report) : bench::share_plot(report, peers));
    }
    return report.is_sound() ? ExitStatus::done : ExitStatus::problems;
}

}  // namespace

Command add_bench_command(CLI::App& app) {
    auto options = std::make_shared<BenchOptions>();
    CLI::App* command =
        app.add_subcommand("bench", "compare kernels with a copy, and measure the cost of calls");
    command->add_option("cases", options->names, "cases or families (default: all)")
        ->type_name("CASE");
    command->add_flag("--list", options->list, "print the families and their cases");
    command->add_flag(
        "--quick", options->quick, "check the results with tiny arrays; the times mean nothing");
    command
        ->add_option(
            "--log2", options->log2, "elements of the cold cases, 2^N (default 12, 16, 20, 24)")
        ->type_name("N")
        ->check(CLI::Range(0, 28))
        ->allow_extra_args(false);
    command
        ->add_option("--peers",
                     options->peer_files,
                     "results of other libraries, which raise the targets; repeatable")
        ->type_name("FILE.json")
        ->allow_extra_args(false);
    command->add_option("--output", options->output_file, "write the results as JSON")
        ->type_name("FILE.json");
    command
        ->add_option("--svg",
                     options->plot_file,
                     "plot the shares, with those of the --peers, or the distributions of --random")
        ->type_name("FILE.svg");
    command
        ->add_option("--random",
                     options->random_count,
                     "measure N calls that are drawn at random; see benchmarks/README.md")
        ->type_name("N");
    command->add_option("--seed", options->random_seed, "seed of --random (default 1)")
        ->type_name("S");
    command
        ->add_option("--class",
                     options->random_class,
                     "class of the calls of --random: elementwise, permute, reduce, small or host "
                     "(default: all)")
        ->type_name("CLASS");
    command
        ->add_option("--statements",
                     options->statement_file,
                     "measure the expressions of a file that statement_peers.py wrote")
        ->type_name("FILE.json");
    command->add_option("--measure", options->measurement)
        ->check(CLI::IsMember({"call",
                               "first-call",
                               "first-reduction",
                               "first-raw",
                               "bare-compile",
                               "bare-reduction"}))
        ->group("");
    add_common_options(*command, options->common);
    command->footer(
        "kgen bench axpb_f32_2^28 transposed --svg shares.svg\n"
        "kgen bench --random 200 --seed 7 --class permute\n"
        "A share is the fraction of the speed of a copy within the device in the same run. Exit "
        "status\n"
        "1 if a result is wrong, a case fails, or the run is void; a missed target is only "
        "reported.");
    return {command, [options] { return run_bench(*options); }};
}

}  // namespace kgen::cli
