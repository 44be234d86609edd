// SPDX-License-Identifier: Apache-2.0
#include "model/find_layout.h"

#include "model/communicator_calls.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace ringside::model {
namespace {

using RankSet = std::vector<std::size_t>; ///< indices into Model::ranks, ascending

/// Which rank sends to which.
struct MessageGraph {
    std::set<std::pair<std::size_t, std::size_t>> edges; ///< sender, receiver
    /// Start of each kernel that sends, and of each that receives, by rank.
    std::set<std::pair<std::size_t, std::int64_t>> sending, receiving;

    [[nodiscard]] bool linked(std::size_t a, std::size_t b) const
    {
        return edges.contains({a, b}) || edges.contains({b, a});
    }
};

/// The messages of each communicator, by its hash.
std::map<std::uint64_t, MessageGraph> graphsOf(const Model& model)
{
    std::map<std::uint64_t, MessageGraph> graphs;
    for (const Message& message : model.messages) {
        MessageGraph& graph = graphs[message.communicator];
        graph.edges.emplace(message.sender.rank, message.receiver.rank);
        if (message.sender.device && message.receiver.device) {
            graph.sending.emplace(message.sender.rank, message.sender.device->start);
            graph.receiving.emplace(message.receiver.rank, message.receiver.device->start);
        }
    }
    return graphs;
}

/// Returns the sets of ranks that messages connect, directly or through other ranks.
std::vector<RankSet> componentsOf(const MessageGraph& graph)
{
    std::map<std::size_t, std::size_t> root;
    const auto rootOf = [&root](std::size_t rank) {
        root.try_emplace(rank, rank);
        while (root[rank] != rank) {
            rank = root[rank];
        }
        return rank;
    };
    for (const auto& [a, b] : graph.edges) {
        const std::size_t low = std::min(rootOf(a), rootOf(b));
        const std::size_t high = std::max(rootOf(a), rootOf(b));
        root[high] = low;
    }
    std::map<std::size_t, RankSet> sets;
    for (const auto& [rank, first] : root) {
        sets[rootOf(rank)].push_back(rank);
    }
    std::vector<RankSet> result;
    for (auto& [first, set] : sets) {
        result.push_back(std::move(set));
    }
    return result;
}

/// Returns whether each rank sends to the next one and the last to the first, and none sends back, as ring
/// attention does.
bool isOneWayRing(const MessageGraph& graph, const RankSet& set)
{
    std::size_t edges = 0;
    for (const std::size_t from : set) {
        for (const std::size_t to : set) {
            edges += graph.edges.contains({from, to}) ? 1 : 0;
            if (graph.edges.contains({from, to}) && graph.edges.contains({to, from})) {
                return false;
            }
        }
    }
    return set.size() > 2 && edges == set.size();
}

/// Returns the ranks in the order of their stages. Usually neighbours by rank number exchange messages; if
/// not, ranks are ordered along the chain of messages. Returns an empty set if they form no chain.
RankSet stagesInOrder(const MessageGraph& graph, RankSet set)
{
    const auto follows = [&](std::size_t i) { return graph.linked(set[i - 1], set[i]); };
    bool ordered = true;
    for (std::size_t i = 1; i < set.size(); ++i) {
        ordered = ordered && follows(i);
    }
    if (ordered) {
        return set;
    }
    const auto degree = [&](std::size_t rank) {
        return std::ranges::count_if(set, [&](std::size_t other) { return graph.linked(rank, other); });
    };
    const auto end = std::ranges::find_if(set, [&](std::size_t rank) { return degree(rank) == 1; });
    RankSet chain;
    for (auto next = end; next != set.end();) {
        chain.push_back(*next);
        next = std::ranges::find_if(set, [&](std::size_t other) {
            return std::ranges::find(chain, other) == chain.end() && graph.linked(chain.back(), other);
        });
    }
    return chain.size() == set.size() ? chain : RankSet{};
}

/// The messages of a job, by what they belong to.
struct Traffic {
    MessageGraph pipeline;
    std::vector<RankSet> rings; ///< context groups, each in the order of its ring
};

/// Returns the ranks of a one-way ring in its order, from the lowest rank on. Empty if the set is no such
/// ring.
RankSet ringInOrder(const MessageGraph& graph, const RankSet& set)
{
    if (!isOneWayRing(graph, set)) {
        return {};
    }
    RankSet ring{set.front()};
    while (ring.size() < set.size()) {
        const auto next = std::ranges::find_if(set, [&](std::size_t rank) {
            return graph.edges.contains({ring.back(), rank});
        });
        if (next == set.end() || std::ranges::find(ring, *next) != ring.end()) {
            return {};
        }
        ring.push_back(*next);
    }
    return ring;
}

/// Ring attention sends keys and values round, on a communicator of its own.
Traffic trafficOf(const Model& model)
{
    Traffic traffic;
    for (const auto& [communicator, graph] : graphsOf(model)) {
        const std::vector<RankSet> components = componentsOf(graph);
        RankSet ring = components.size() == 1 ? ringInOrder(graph, components.front()) : RankSet{};
        if (!ring.empty()) {
            traffic.rings.push_back(std::move(ring));
        } else {
            traffic.pipeline.edges.insert(graph.edges.begin(), graph.edges.end());
        }
    }
    return traffic;
}

/// Returns the stage of each rank, counted from 0, and sets `stages` to their number. Returns an empty vector
/// if there is no pipeline in which all ranks have a place.
std::vector<std::size_t> stagesOf(const Model& model, const MessageGraph& graph, std::size_t& stages)
{
    const std::vector<RankSet> components = componentsOf(graph);
    std::vector<std::size_t> stage(model.ranks.size());
    std::size_t placed = 0;
    for (const RankSet& component : components) {
        const RankSet chain = isOneWayRing(graph, component) ? RankSet{} : stagesInOrder(graph, component);
        if (chain.empty() || component.size() != components.front().size()) {
            return {};
        }
        for (std::size_t i = 0; i < chain.size(); ++i) {
            stage[chain[i]] = i;
            ++placed;
        }
    }
    if (placed != model.ranks.size() || components.empty()) {
        return {};
    }
    stages = components.front().size();
    return stage;
}

/// The operations of a communicator's members on it.
struct GroupUse {
    RankSet members;
    std::string name;
    std::size_t operations = 0;
    std::size_t exchanges = 0; ///< how many of the operations are all-to-alls
};

std::vector<GroupUse> groupUses(const Model& model)
{
    std::map<std::uint64_t, GroupUse> uses;
    for (const Operation& operation : model.operations) {
        if (!operation.complete() || operation.participants.size() < 2) {
            continue;
        }
        GroupUse& use = uses[operation.communicator];
        if (use.members.empty()) {
            for (const Participant& part : operation.participants) {
                use.members.push_back(part.rank);
            }
        }
        ++use.operations;
        use.exchanges += operation.kind == CollectiveKind::AllToAll ? 1 : 0;
    }
    std::vector<GroupUse> result;
    for (auto& [hash, use] : uses) {
        result.push_back(std::move(use));
    }
    return result;
}

/// Returns the place of each rank in its group, counted from 0, and sets `size` to the size of the groups.
/// Returns an empty vector if the groups do not hold every rank exactly once, or differ in size.
std::vector<std::size_t> placesIn(const std::vector<RankSet>& groups, std::size_t ranks, std::size_t& size)
{
    std::vector<std::size_t> place(ranks, ranks);
    for (const RankSet& group : groups) {
        for (std::size_t i = 0; i < group.size(); ++i) {
            if (group.size() != groups.front().size() || place[group[i]] != ranks) {
                return {};
            }
            place[group[i]] = i;
        }
    }
    if (groups.empty() || std::ranges::find(place, ranks) != place.end()) {
        return {};
    }
    size = groups.front().size();
    return place;
}

/// Groups by their use: expert groups mostly make all-to-alls, tensor groups make as many operations as
/// tensor parallel layers need.
struct Families {
    std::vector<RankSet> expert;
    std::vector<RankSet> tensor;
};

Families familiesOf(const Model& model, const std::vector<std::size_t>& stage)
{
    constexpr std::size_t kFarMore = 4;
    std::map<RankSet, std::size_t> often; ///< number of operations of each group inside a stage
    Families families;
    std::set<RankSet> expert;
    for (const GroupUse& use : groupUses(model)) {
        const bool inStage = std::ranges::all_of(use.members, [&](std::size_t rank) {
            return stage.empty() || stage[rank] == stage[use.members.front()];
        });
        const bool everybody = use.members.size() == model.ranks.size();
        if (inStage && 2 * use.exchanges > use.operations) {
            expert.insert(use.members);
        } else if (inStage && !everybody) {
            often[use.members] += use.operations;
        }
    }
    families.expert.assign(expert.begin(), expert.end());
    // Operations that a step makes once or twice (gradients, their norm) do not belong to layers.
    const std::size_t perStep = std::max<std::size_t>(1, model.stepCoverage.found);
    for (const auto& [members, operations] : often) {
        const bool layers = operations >= kFarMore * perStep && !expert.contains(members);
        const bool most =
            std::ranges::none_of(often, [&members = members, count = operations](const auto& other) {
                return other.second > kFarMore * count &&
                       std::ranges::find(other.first, members.front()) != other.first.end();
            });
        if (layers && most) {
            families.tensor.push_back(members);
        }
    }
    return families;
}

/// Whether a part of a group's name says "pipeline": "pp", "pp0", "PIPELINE_MODEL_PARALLEL_GROUP". Names may
/// also say of which replica the pipeline is: "pp_dp0", "mesh_pp-tp1".
bool namesPipeline(std::string_view name)
{
    const auto isLetter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t at = 0; at < name.size();) {
        std::string word;
        for (; at < name.size() && isLetter(name[at]); ++at) {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(name[at])));
        }
        if (word == "pp" || word == "pipe" || word == "pipeline") {
            return true;
        }
        at += at < name.size() && !isLetter(name[at]) ? 1 : 0;
    }
    return false;
}

/// The members of a group, in the order of their ranks in it, which is that of their stages.
struct NamedGroup {
    std::map<std::int64_t, std::size_t> members;
    std::int64_t size = 0;
    bool messagesOnly = true;
};

/// Returns the groups whose names say that they are pipelines, and in which ranks only send and receive. A
/// group of a pipeline's and other ranks together makes collectives.
std::map<CommunicatorKey, NamedGroup> pipelineGroups(const Model& model)
{
    std::map<CommunicatorKey, NamedGroup> groups;
    for (std::size_t rank = 0; rank < model.ranks.size(); ++rank) {
        const trace::ProcessTrace& process = model.processOf(model.ranks[rank]);
        for (const auto& [key, row] : communicatorsOf(model.ranks[rank], process)) {
            if (!namesPipeline(process.text(row->name))) {
                continue;
            }
            NamedGroup& group = groups[key];
            group.members.emplace(row->rank, rank);
            group.size = row->size;
            for (const trace::CollectiveCallRow& call : process.collectiveCalls) {
                const CollectiveKind kind = collectiveKind(process.text(call.api));
                group.messagesOnly =
                    group.messagesOnly && (call.communicator != row->id || kind == CollectiveKind::Send ||
                                           kind == CollectiveKind::Receive || kind == CollectiveKind::Other);
            }
        }
    }
    return groups;
}

/// Returns the stage of each rank by the names of groups, for traces that do not tell which rank sends to
/// which. Sets `stages` to their number. Empty if the groups do not hold every rank exactly once.
std::vector<std::size_t> namedStagesOf(const Model& model, std::size_t& stages)
{
    std::vector<RankSet> chains;
    for (const auto& [key, group] : pipelineGroups(model)) {
        if (group.messagesOnly && group.size > 1 &&
            static_cast<std::int64_t>(group.members.size()) == group.size) {
            RankSet& chain = chains.emplace_back();
            for (const auto& [place, rank] : group.members) {
                chain.push_back(rank);
            }
        }
    }
    return placesIn(chains, model.ranks.size(), stages);
}

bool isSame(const ParallelSizes& a, const ParallelSizes& b)
{
    return std::tie(a.tensor, a.context, a.expert, a.data, a.pipeline) ==
           std::tie(b.tensor, b.context, b.expert, b.data, b.pipeline);
}

/// Returns the sizes that the user gave and, for the others, those that were found. Only the given ones if
/// both together do not divide the ranks.
ParallelSizes completedBy(const ParallelSizes& given, const ParallelSizes& found, std::int64_t world)
{
    ParallelSizes sizes = given;
    std::int64_t model = 1;
    for (const auto size : {&ParallelSizes::tensor, &ParallelSizes::context, &ParallelSizes::pipeline}) {
        sizes.*size = given.*size > 0 ? given.*size : found.*size;
        model *= sizes.*size;
    }
    const std::int64_t data = given.data > 0 ? given.data : world / model;
    sizes.data = data;
    sizes.expert = given.expert > 0 ? given.expert : found.expert;
    return model * data == world && data % sizes.expert == 0 ? sizes : given;
}

} // namespace

ParallelLayout findLayout(const Model& model)
{
    const std::size_t count = model.ranks.size();
    if (count < 2 || static_cast<std::int64_t>(count) != model.worldSize) {
        return {};
    }
    std::size_t stages = 1;
    std::size_t tensor = 1;
    std::size_t expert = 1;
    std::size_t context = 1;
    const Traffic traffic = trafficOf(model);
    const std::vector<std::size_t> sent = stagesOf(model, traffic.pipeline, stages);
    const std::vector<std::size_t> stage = sent.empty() ? namedStagesOf(model, stages) : sent;
    const std::vector<std::size_t> contextPlace = placesIn(traffic.rings, count, context);
    const Families families = familiesOf(model, stage);
    const std::vector<std::size_t> tensorPlace = placesIn(families.tensor, count, tensor);
    const std::vector<std::size_t> expertPlace = placesIn(families.expert, count, expert);
    // An all-to-all of all ranks need not belong to experts: recommenders exchange embeddings in the same
    // way. Neither need a ring of all ranks belong to parts of a sequence.
    if (stages * tensor == 1 && (expert == 1 || expert == count) && (context == 1 || context == count)) {
        return {};
    }
    ParallelLayout layout;
    const auto whole = [](std::size_t number) { return static_cast<std::int64_t>(number); };
    layout.sizes = {whole(tensor), whole(context), whole(expert), whole(count / stages / tensor / context),
                    whole(stages)};
    std::map<std::array<std::size_t, 3>, std::int64_t> replicas; ///< by stage, tensor and context place
    for (std::size_t rank = 0; rank < count; ++rank) {
        const std::size_t ownStage = stages > 1 ? stage[rank] : 0;
        const std::size_t ownTensor = tensor > 1 ? tensorPlace[rank] : 0;
        const std::size_t ownContext = context > 1 ? contextPlace[rank] : 0;
        const std::int64_t replica = ++replicas[{ownStage, ownTensor, ownContext}];
        ParallelPlace place;
        place.stage = stages > 1 ? std::optional(whole(ownStage) + 1) : std::nullopt;
        place.tensor = tensor > 1 ? std::optional(whole(ownTensor) + 1) : std::nullopt;
        place.context = context > 1 ? std::optional(whole(ownContext) + 1) : std::nullopt;
        place.expert = expert > 1 ? std::optional(whole(expertPlace[rank]) + 1) : std::nullopt;
        place.replica = layout.sizes.data > 1 ? std::optional(replica) : std::nullopt;
        layout.places.push_back(place);
    }
    return layout;
}

ParallelLayout chooseLayout(const Model& model, const ParallelSizes& given)
{
    ParallelLayout found = findLayout(model);
    if (!given.isGiven()) {
        return found;
    }
    if (found.isKnown()) {
        const ParallelSizes sizes = completedBy(given, found.sizes, model.worldSize);
        if (isSame(sizes, found.sizes)) {
            found.given = true;
            return found;
        }
        return givenLayout(model.ranks, model.worldSize, sizes);
    }
    return givenLayout(model.ranks, model.worldSize, given);
}

} // namespace ringside::model
