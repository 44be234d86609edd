# SPDX-License-Identifier: Apache-2.0
"""Snapshots as torch.cuda.memory._dump_snapshot pickles them, of a caching allocator that is simulated here, and what is true of
them: what each place in the program holds is counted as it allocates and frees, not derived from the snapshot."""

import collections

BLOCK = 512                 # PyTorch's sizes of blocks and of large segments
SEGMENT = 20 << 20
DATE_US = 1_763_700_000_000_000
SITE = "/opt/venv/lib/python3.11/site-packages"


def frame(filename, line, name):
    return {"filename": filename, "line": line, "name": name}


# One list each, as the C++ code shares the frames of equal stacks.
STACKS = {
    "weights": [frame(f"{SITE}/torch/nn/modules/linear.py", 106, "__init__"), frame("/job/model/block.py", 12, "__init__"),
                frame("/job/train.py", 30, "<module>")],
    "activations": [frame("??", 0, "c10::cuda::CUDACachingAllocator::malloc(void**)"),
                    frame(f"{SITE}/torch/nn/functional.py", 1700, "gelu"), frame("/job/model/block.py", 40, "forward"),
                    frame(f"{SITE}/torch/nn/modules/module.py", 1553, "_call_impl"), frame("/job/train.py", 55, "step")],
    "gradients": [frame("??", 0, "at::detail::empty_cuda(c10::ArrayRef<long>)"),
                  frame("??", 0, "torch::autograd::generated::AddmmBackward0::apply(std::vector<at::Tensor>&&)"),
                  frame("??", 0, "torch::autograd::Engine::thread_main(std::shared_ptr<GraphTask> const&)")],
    "moments": [frame(f"{SITE}/torch/optim/adamw.py", 160, "_init_group"), frame("/job/train.py", 58, "step")],
    "cache": [frame("/job/data.py", 7, "keep")],
}
PLACES = {
    "weights": "modules/linear.py:106 __init__ < model/block.py:12 __init__ < job/train.py:30 <module>",
    "activations": "nn/functional.py:1700 gelu < model/block.py:40 forward < job/train.py:55 step",
    "gradients": "backward: AddmmBackward0",
    "moments": "optim/adamw.py:160 _init_group < job/train.py:58 step",
    "cache": "job/data.py:7 keep",
}


class OutOfMemory(Exception):
    pass


class Allocator:
    """Best fit, splits blocks, merges free neighbours; keeps the last `events` events."""

    def __init__(self, capacity, events=10**6, device=0):
        self.capacity, self.kept, self.device = capacity, events, device
        self.segments, self.events, self.live = [], [], {}
        self.held = collections.Counter()   # bytes that the program asked for, by place
        self.states = [dict(self.held)]     # after each event; [0] is before the first
        self.reserved = [0]
        self.next_address = 0x7F00_0000_0000 + (device << 32)
        self.failed = None                  # (index into states, bytes)

    def _event(self, action, address, size, place, **more):
        self.events.append({"action": action, "addr": address, "size": size, "stream": 0,
                            "time_us": DATE_US + 10 * len(self.events), "frames": STACKS[place] if place else [], **more})
        self.states.append(dict(self.held))
        self.reserved.append(sum(segment["size"] for segment in self.segments))

    def allocate(self, size, place, category=None):
        rounded = -(-size // BLOCK) * BLOCK
        more = {"user_metadata": category} if category else {}
        free = [(block["size"], segment, at) for segment in self.segments for at, block in enumerate(segment["blocks"])
                if not block["live"] and block["size"] >= rounded]
        if free:
            _, segment, at = min(free, key=lambda each: (each[0], each[1]["address"]))
        else:
            segment, at = self._reserve(max(rounded, SEGMENT), rounded, place), 0
        block = segment["blocks"][at]
        if block["size"] > rounded:
            segment["blocks"].insert(at + 1, {"address": block["address"] + rounded, "size": block["size"] - rounded, "live": None})
        block.update(size=rounded, live=(size, place))
        self.held[place] += size
        self.live[block["address"]] = (segment, block, category)
        self._event("alloc", block["address"], size, place, **more)
        return block["address"]

    def _reserve(self, size, wanted, place):
        used = sum(segment["size"] for segment in self.segments)
        if used + size > self.capacity:
            self.events.append({"action": "oom", "device_free": self.capacity - used, "size": wanted, "stream": 0,
                                "time_us": DATE_US + 10 * len(self.events), "frames": STACKS[place]})
            self.states.append(dict(self.held))
            self.reserved.append(used)
            self.failed = (len(self.states) - 1, wanted, self.capacity - used)
            raise OutOfMemory
        segment = {"address": self.next_address, "size": size, "blocks": [{"address": self.next_address, "size": size, "live": None}]}
        self.next_address += size + (2 << 20)
        self.segments.append(segment)
        self._event("segment_alloc", segment["address"], size, place)
        return segment

    def free(self, address):
        segment, block, category = self.live.pop(address)
        size, place = block["live"]
        more = {"user_metadata": category} if category else {}
        self._event("free_requested", address, size, None, **more)
        self.held[place] -= size
        block["live"] = None
        self._event("free_completed", address, size, None, **more)
        merged = []
        for each in segment["blocks"]:
            if merged and not merged[-1]["live"] and not each["live"]:
                merged[-1]["size"] += each["size"]
            else:
                merged.append(each)
        segment["blocks"] = merged

    def empty_cache(self):
        for segment in [each for each in self.segments if len(each["blocks"]) == 1 and not each["blocks"][0]["live"]]:
            self.segments.remove(segment)
            self._event("segment_free", segment["address"], segment["size"], None)

    def snapshot(self):
        """The dictionary of PyTorch 2.9, with its keys in their order."""
        segments = [{
            "device": self.device, "address": segment["address"], "total_size": segment["size"],
            "allocated_size": sum(block["size"] for block in segment["blocks"] if block["live"]),
            "active_size": sum(block["size"] for block in segment["blocks"] if block["live"]),
            "requested_size": sum(block["live"][0] for block in segment["blocks"] if block["live"]),
            "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False, "frames": [],
            "blocks": [{"address": block["address"], "size": block["size"], "requested_size": block["live"][0] if block["live"] else 0,
                        "state": "active_allocated" if block["live"] else "inactive",
                        "frames": STACKS[block["live"][1]] if block["live"] else []} for block in segment["blocks"]]}
            for segment in self.segments]
        traces = [[] for _ in range(self.device + 1)]
        traces[self.device] = self.events[-self.kept:]
        return {"segments": segments, "device_traces": traces,
                "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "garbage_collection_threshold": 0.0,
                                       "expandable_segments": False, "roundup_power2_divisions": {"1": 0}},
                "external_annotations": []}

    def peak(self):
        """What was held at the peak of what the kept events can tell: ({place: bytes}, reserved)."""
        first = len(self.states) - 1 - min(self.kept, len(self.events))
        at = max(range(first, len(self.states)), key=lambda i: (sum(self.states[i].values()), -i))
        return {place: size for place, size in self.states[at].items() if size}, self.reserved[at]

    def at_failure(self):
        return {place: size for place, size in self.states[self.failed[0]].items() if size}, self.reserved[self.failed[0]]


def train(allocator, random, steps, layers=6, grow=0):
    """Steps of a training: activations of each layer until its backward pass. `grow`: bytes kept from each step."""
    weights = [random.randrange(1, 3 << 20) for _ in range(layers)]
    for size in weights:
        allocator.allocate(size, "weights")
    for step in range(steps):
        activations = [allocator.allocate(random.randrange(1 << 10, 6 << 20), "activations", "forward") for _ in range(layers)]
        gradients = []
        for _ in range(layers):
            gradients.append(allocator.allocate(random.randrange(1 << 10, 3 << 20), "gradients"))
            allocator.free(activations.pop())
        if step == 0:
            for size in weights:
                allocator.allocate(2 * size, "moments")
        for gradient in random.sample(gradients, len(gradients)):
            allocator.free(gradient)
        if grow:
            allocator.allocate(grow, "cache")
        if step % 3 == 2:
            allocator.empty_cache()
