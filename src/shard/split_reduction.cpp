// SPDX-License-Identifier: MIT
#include "shard/split_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/array_creation.hpp>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "fork_mutex.hpp"
#include "shard/exchange.hpp"
#include "text/error_parts.hpp"
#include "types/accumulator.hpp"

namespace kgen {

namespace {

// Names of parameters that the user's texts do not use.
constexpr std::string_view accumulators_name = "shard_accumulators_";

// From this size on, one rank would fold the accumulators of all others for longer than a second exchange takes.
constexpr std::int64_t least_sliced_bytes = 1 << 20;

std::string type_text(const Parameter& parameter) {
    return parameter.dtype ? std::string(to_text(*parameter.dtype))
                           : std::string(1, parameter.placeholder);
}

// Returns the placeholders that only outputs have. The texts may use them as types.
std::string letters_of_outputs(const Signature& signature) {
    std::string seen, letters;
    for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
        const char letter = signature.parameters[k].placeholder;
        if (letter == 0 || seen.find(letter) != std::string::npos) continue;
        seen += letter;
        if (k >= static_cast<std::size_t>(signature.input_count)) letters += letter;
    }
    return letters;
}

Definition part_definition(const Signature& signature, const std::string& accumulator) {
    Definition part = signature.definition();
    for (const char letter : letters_of_outputs(signature))
        part.inputs += fmt::format(", {0} shard_type_{0}_", letter);
    part.outputs = fmt::format("raw uint8 {}", accumulators_name);
    part.reduction->reduce_type = accumulator;
    part.reduction->post_map = fmt::format("((kgen_value*)&{}[0])[i] = a", accumulators_name);
    return part;
}

// The inputs of the reduction stay, because post_map may use numbers and raw arrays, and placeholders take their dtypes
// from them. Arrays become raw, so that they do not shape the loop: it runs over ranks and outputs.
Definition join_definition(const Signature& signature,
                           const std::string& accumulator,
                           std::span<const CallPart> inputs) {
    Definition join = signature.definition();
    join.inputs =
        fmt::format("uint8 shard_ranks_, raw uint8 {}, int64 shard_row_, int64 shard_first_",
                    accumulators_name);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const Parameter& each = signature.parameters[k];
        const bool is_number = inputs[k].kind() == CallPart::Kind::number;
        join.inputs +=
            fmt::format(", {}{} {}", is_number ? "" : "raw ", type_text(each), each.name);
    }
    join.operation = fmt::format("((const kgen_value*)&{}[0])[_J * shard_row_ + _i - shard_first_]",
                                 accumulators_name);
    join.reduction->reduce_type = accumulator;
    return join;
}

// Everything of a definition that the two kernels depend on. The parts are separated by a character that no text has.
std::string key_of(const Definition& definition,
                   const std::string& accumulator,
                   std::span<const CallPart> inputs) {
    std::string key = accumulator;
    const auto add = [&](std::string_view text) { (key += '\0') += text; };
    for (const std::string* each : {&definition.name, &definition.inputs, &definition.outputs})
        add(*each);
    for (const CodeText& each : code_texts(definition)) add(*each.text);
    for (const std::string& each : definition.options) add(each);
    add({});
    for (const std::string& each : definition.include_directories) add(each);
    add(definition.reduction->accuracy == Accuracy::plain ? "" : "compensated");
    for (const CallPart& each : inputs) key += each.kind() == CallPart::Kind::number ? 'n' : 'a';
    return key;
}

// The size of an accumulator as post_map sees it; 0 if only the compiler knows it.
std::size_t known_bytes(const Signature& signature, const TypeBinding& types) {
    return signature.reduction->has_own_accumulator
               ? 0
               : item_size(accumulator_dtype(signature, types));
}

// Sends the slice of the outputs that each rank has folded to all ranks.
void exchange_slices(const Communicator& communicator,
                     std::span<const RankFold> ranks,
                     std::span<const JoinedLoop> loops) {
    const std::span<const int> numbers = communicator.local_ranks();
    for (std::size_t output = 0; output < ranks[0].outputs.size(); ++output) {
        std::vector<RankPieces> pieces(ranks.size());
        for (std::size_t k = 0; k < ranks.size(); ++k) {
            const auto own = static_cast<std::size_t>(numbers[k]);
            const Array rows = loops[0].without_unit_axes(ranks[k].outputs[output]);
            for (std::size_t other = 0; other < loops.size(); ++other) {
                const bool is_other = other != own;
                pieces[k].sends.push_back(is_other ? loops[own].part_of(rows) : Array());
                pieces[k].receives.push_back(is_other ? loops[other].part_of(rows) : Array());
            }
        }
        exchange_pieces(communicator, pieces);
    }
}

}  // namespace

JoinedLoop::JoinedLoop(const BoundCall& whole, std::int64_t count) : shape({count}) {
    section = {{1}, {0}};
    for (int axis = 0; axis < whole.loop.rank(); ++axis) {
        if (contains(whole.reduced_axes, axis)) {
            section.whole[0] *= whole.loop[axis];
            continue;
        }
        shape.push_back(whole.loop[axis]);
        section.whole.push_back(whole.loop[axis]);
        section.start.push_back(0);
    }
}

JoinedLoop JoinedLoop::slice(int number, int slices) const {
    JoinedLoop part = *this;
    part.section.start[1] = rows() * number / slices;
    part.shape[1] = rows() * (number + 1) / slices - part.section.start[1];
    return part;
}

std::int64_t JoinedLoop::outputs() const {
    std::int64_t product = 1;
    for (int axis = 1; axis < shape.rank(); ++axis) product *= shape[axis];
    return product;
}

std::int64_t JoinedLoop::first() const {
    return rows() == 0 || shape.rank() == 1 ? 0 : section.start[1] * (outputs() / shape[1]);
}

Array JoinedLoop::without_unit_axes(const Array& output) const {
    Dims kept;
    for (int axis = 1; axis < section.whole.rank(); ++axis) kept.push_back(section.whole[axis]);
    return output.reshape(kept);
}

Array JoinedLoop::part_of(const Array& output) const {
    if (shape.rank() == 1) return output;
    return output.slice({{section.start[1], section.start[1] + shape[1]}});
}

SplitReduction::SplitReduction(const Signature& signature,
                               const std::string& accumulator,
                               std::span<const CallPart> inputs)
    : letters_(letters_of_outputs(signature)),
      has_identity_(signature.reduction->has_identity),
      join_tells_places_(signature.reduction->post_place.input_indexer || tells_places(signature)),
      part_(part_definition(signature, accumulator), Merging::yes),
      join_(join_definition(signature, accumulator, inputs), Merging::yes) {}

// Returns the arguments of `part_`: the inputs, a number for each placeholder that only outputs have, and the accumulators.
std::vector<CallPart> SplitReduction::part_call(std::span<const CallPart> inputs,
                                                const TypeBinding& types,
                                                const CallPart& accumulators,
                                                std::span<const CallPart> options) const {
    std::vector<CallPart> parts(inputs.begin(), inputs.end());
    for (const char letter : letters_) {
        const auto bound =
            std::ranges::find(types.placeholders, letter, &TypeBinding::Placeholder::letter);
        constexpr std::byte zero[16] = {};
        parts.emplace_back(read_scalar(bound->dtype, zero));
    }
    parts.push_back(accumulators);
    parts.insert(parts.end(), options.begin(), options.end());
    return parts;
}

std::size_t SplitReduction::compiled_bytes(std::span<const CallPart> inputs,
                                           std::span<const CallPart> options,
                                           const BoundCall& whole) const {
    const ArraySpec any{.dtype = uint8, .shape = {1}};
    const std::vector<CallPart> parts = part_call(inputs, whole.types, any, options);
    CallView view(parts);
    view.device = whole.device;
    view.section = Section{whole.loop, Dims::filled(whole.loop.rank(), 0)};
    return part_.accumulator_bytes(view);
}

void SplitReduction::fold_part(const RankFold& rank,
                               const SplitCall& call,
                               const Array& accumulators) const {
    const std::vector<CallPart> parts =
        part_call(rank.inputs, call.whole.types, accumulators, call.options);
    CallView view(parts);
    view.section = rank.section;
    Array result;
    part_.run(view, {&result, 1});
}

void SplitReduction::fold_gathered(const RankFold& rank,
                                   const Array& gathered,
                                   const JoinedLoop& loop) const {
    // Its elements are not read: it tells the loop's shape.
    const Array ranks = gathered.slice({{0, 1}}).reshape({}).broadcast_to(loop.shape);
    std::vector<Array> outputs;
    for (const Array& each : rank.outputs)
        outputs.push_back(loop.part_of(loop.without_unit_axes(each)));
    std::vector<CallPart> parts = {ranks, gathered, loop.outputs(), loop.first()};
    parts.insert(parts.end(), rank.inputs.begin(), rank.inputs.end());
    parts.insert(parts.end(), outputs.begin(), outputs.end());
    const AxesArgument first = axis(0);
    parts.emplace_back(first);
    CallView view(parts);
    // A slice begins elsewhere, and the texts may see how many elements were folded.
    if (loop.is_slice() || join_tells_places_) view.section = loop.section;
    std::vector<Array> results(outputs.size());
    join_.run(view, results);
}

void SplitReduction::run(const SplitCall& call, std::span<RankFold> ranks) const {
    const std::span<const int> numbers = call.communicator.local_ranks();
    const int size = call.communicator.size();
    // A rank without elements takes no part if there is no identity that it could fold.
    std::vector<bool> takes_part;
    for (const std::int64_t block : call.blocks) takes_part.push_back(has_identity_ || block > 0);
    const std::int64_t count = std::ranges::count(takes_part, true);
    const JoinedLoop whole(call.whole, count);
    if (whole.outputs() == 0) return;
    std::size_t item = known_bytes(call.signature, call.whole.types);
    if (item == 0) item = compiled_bytes(call.inputs, call.options, call.whole);
    const auto bytes = static_cast<std::int64_t>(item);

    // Each rank folds small results. Large ones are cut into a slice for each rank, and the ranks exchange what they have
    // folded.
    const bool has_slices =
        whole.outputs() * bytes >= least_sliced_bytes && whole.rows() >= size && size > 1;
    std::vector<JoinedLoop> loops;
    for (int rank = 0; rank < size; ++rank)
        loops.push_back(has_slices ? whole.slice(rank, size) : whole);
    std::vector<Array> parts(ranks.size()), gathered(ranks.size());
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        const auto own = static_cast<std::size_t>(numbers[k]);
        gathered[k] =
            empty({count * loops[own].outputs() * bytes}, uint8, {.device = ranks[k].device});
        if (!takes_part[own]) continue;
        parts[k] = empty({whole.outputs() * bytes}, uint8, {.device = ranks[k].device});
        fold_part(ranks[k], call, parts[k]);
    }
    if (!has_slices && count == size) {
        gather_to_all(call.communicator, parts, gathered);
    } else {
        std::vector<RankPieces> pieces(ranks.size());
        for (std::size_t k = 0; k < ranks.size(); ++k) {
            const auto own = static_cast<std::size_t>(numbers[k]);
            const std::int64_t wanted = loops[own].outputs() * bytes;
            std::int64_t at = 0;
            for (std::size_t other = 0; other < loops.size(); ++other) {
                const std::int64_t begin = loops[other].first() * bytes;
                const std::int64_t end = begin + loops[other].outputs() * bytes;
                pieces[k].sends.push_back(takes_part[own] ? parts[k].slice({{begin, end}})
                                                          : Array());
                pieces[k].receives.push_back(
                    takes_part[other] ? gathered[k].slice({{at, at + wanted}}) : Array());
                at += takes_part[other] ? wanted : 0;
            }
        }
        exchange_pieces(call.communicator, pieces);
    }
    for (std::size_t k = 0; k < ranks.size(); ++k)
        fold_gathered(ranks[k], gathered[k], loops[static_cast<std::size_t>(numbers[k])]);
    if (has_slices) exchange_slices(call.communicator, ranks, loops);
}

const SplitReduction& split_reduction(const SplitCall& call) {
    struct Table {
        cache::ForkMutex mutex;
        std::unordered_map<std::string, std::unique_ptr<const SplitReduction>> kernels;
    };
    static auto* const table = new Table;  // never destroyed
    const Signature& signature = call.signature;
    for (const char* name : {"_i", "_J"}) {
        if (!is_parameter(signature, name)) continue;
        refuse<TypeError>(
            {ErrorKind::name, name},
            "kernel '{}': a parameter is called '{}', which a reduction along the split "
            "axis needs for an index; give it another name",
            signature.name,
            name);
    }
    const std::string& given = signature.definition().reduction->reduce_type;
    const std::string accumulator =
        given.empty() ? std::string(to_text(accumulator_dtype(signature, call.whole.types)))
                      : given;
    const std::string key = key_of(signature.definition(), accumulator, call.inputs);
    {
        const std::lock_guard lock(table->mutex);
        const auto found = table->kernels.find(key);
        if (found != table->kernels.end()) return *found->second;
    }
    auto made = std::make_unique<const SplitReduction>(signature, accumulator, call.inputs);
    const std::lock_guard lock(table->mutex);
    return *table->kernels.try_emplace(key, std::move(made)).first->second;
}

}  // namespace kgen
