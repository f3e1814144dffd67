# SPDX-License-Identifier: MIT
"""Writes calls of `kgen bench --random` as Python functions of PyTorch tensors. Needs no PyTorch.

A row of the JSON has "operands" (inputs, then outputs), "axes" of a reduction unless it reduces all, and "expression":

  {"kind": "copy"}                     each input to the output of the same number
  {"kind": "terms", "arithmetic": "integers" | "reals" | "complexes", "wide": bool, "outputs": [[term, ...], ...]}
      Each output is the sum of its terms. A term is {"kind", "coefficient", ...}:
      linear {input}: x        product {input, other}: x * other         polynomial {input, degree}: Horner's scheme of 3s
      root {input}: sqrt(1 + x * x), of integers x ^ (x >> 3)            exponential {input}: exp(x), of integers x * x + x
      quotient {input}: 1 / (1 + x * x), of integers x % 7               index {period}: i % period
      axis {axis, period}: _ind[axis] % period                           gather {input, stride}: a raw input's element
      "wide" computes in float64 or complex128. Integers among reals are divided by 256. The polynomial of real and
      complex numbers is one of x / 4.
  {"kind": "sum_squares", "wide", "compensated"}, {"kind": "sum"}, {"kind": "count"}, {"kind": "count_greater"},
  {"kind": "max"}, {"kind": "moments"}, {"kind": "argmax"}, {"kind": "extremes"}, {"kind": "complex_sum", "map"},
  {"kind": "any" | "all", "differs_from"}
"""

WIDE_UNSIGNED = {"uint16": "int16", "uint32": "int32", "uint64": "int64"}  # with the same bits
ITEM_BYTES = {
    "bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2, "int32": 4,
    "uint32": 4, "float32": 4, "int64": 8, "uint64": 8, "float64": 8, "complex64": 8, "complex128": 16,
}
EXACT_BITS = (1 << 48) - 1  # of integer outputs with 64 bits


def inputs_of(row):
    return [each for each in row["operands"] if each["role"] != "output"]


def outputs_of(row):
    return [each for each in row["operands"] if each["role"] == "output"]


def loop_shape(row):
    first = outputs_of(row)[0] if row["expression"]["kind"] in ("copy", "terms") else inputs_of(row)[0]
    return first["shape"]


def reduced_axes(row):
    axes = row.get("axes")
    return sorted(axes) if axes is not None else list(range(len(loop_shape(row))))


def torch_dtype(row, operand):
    """Returns the dtype of the operand's tensor. Copies need only its size, and wrapped integers only its bits."""
    name = WIDE_UNSIGNED.get(operand["dtype"], operand["dtype"])
    return "int64" if row["expression"]["kind"] == "copy" and name == "complex64" else name


def reason_left_out(row):
    """Returns why PyTorch cannot run the call, or None."""
    if row["result"] != "right":
        return f"kgen's result is {row['result']}"
    if any(each["role"] == "raw input" for each in row["operands"]):
        return "gathers through a raw input"
    if row["expression"]["kind"] != "copy" and any(each["dtype"] in WIDE_UNSIGNED for each in inputs_of(row)):
        return "unsigned integers of 16, 32 or 64 bits"
    return None


def reason_not_compiled(row):
    """Returns why torch.compile does not apply, or None."""
    if any(torch_dtype(row, each).startswith("complex") for each in row["operands"]):
        return "torch.compile leaves complex numbers to eager mode"
    return None


def backward_axes(row):
    """Returns the axes along which each operand runs backward, which no PyTorch tensor does.

    Flips that cancel, or that cost less elsewhere, are moved: each is a copy in eager mode.
    """
    rank = len(loop_shape(row))
    kind = row["expression"]["kind"]
    is_reduction = kind not in ("copy", "terms")
    flips = []
    for operand in row["operands"]:
        lengths = zip(operand["shape"], operand["strides"])
        flips.append({axis for axis, (extent, stride) in enumerate(lengths) if extent > 1 and stride < 0})
    count = len(inputs_of(row))
    if kind == "copy":
        for source, target in zip(range(count), range(count, 2 * count)):
            both = flips[source] & flips[target]
            flips[source] -= both
            flips[target] -= both
        return [sorted(each) for each in flips]
    terms = [term["kind"] for sum_ in row["expression"].get("outputs", []) for term in sum_]
    if "index" in terms or "axis" in terms:
        return [sorted(each) for each in flips]
    reduced = reduced_axes(row) if is_reduction else []
    for axis in range(rank):
        walking = []  # inputs with more than one element along the axis, and their own number of it
        for number, operand in enumerate(inputs_of(row)):
            own = axis - (rank - len(operand["shape"]))
            if own >= 0 and operand["shape"][own] > 1 and operand["strides"][own] != 0:
                walking.append((number, own))
        forward = [(number, own) for number, own in walking if own not in flips[number]]
        if is_reduction:
            # A fold in the other order gives the same result, except for places. Outputs are smaller than inputs.
            if forward or (axis in reduced and kind == "argmax"):
                continue
            for number, own in walking:
                flips[number].discard(own)
            if axis not in reduced and walking:
                kept = axis - sum(each < axis for each in reduced)
                for target in flips[count:]:
                    target ^= {kept}
        elif all(axis in target for target in flips[count:]) and len(forward) <= 1:
            for number, own in walking:
                flips[number] ^= {own}
            for target in flips[count:]:
                target.discard(axis)
    return [sorted(each) for each in flips]


def broadcast(*shapes):
    rank = max(len(shape) for shape in shapes)
    padded = [[1] * (rank - len(shape)) + list(shape) for shape in shapes]
    return [max(extents) for extents in zip(*padded)]


class CallText:
    """The text of `def call(x0, ..., y0, ...)`. Eager mode writes into an output by `out=` where a function can."""

    def __init__(self, row, eager):
        self.row = row
        self.eager = eager
        self.expression = row["expression"]
        self.inputs = inputs_of(row)
        self.outputs = outputs_of(row)
        self.shape = loop_shape(row)
        self.lines = []
        self.values = {}
        flips = backward_axes(row)
        self.output_flips = flips[len(self.inputs):]
        for number, axes in enumerate(flips[:len(self.inputs)]):
            if axes:
                self.lines.append(f"x{number} = x{number}.flip({axes})")

    def text(self):
        kind = self.expression["kind"]
        if kind == "copy":
            for number in range(len(self.outputs)):
                self.store(number, f"x{number}")
        elif kind == "terms":
            for number, terms in enumerate(self.expression["outputs"]):
                self.add_sum(number, terms)
        else:
            self.add_reduction(kind)
        names = [f"x{k}" for k in range(len(self.inputs))] + [f"y{k}" for k in range(len(self.outputs))]
        return f"def call({', '.join(names)}):\n" + "".join(f"    {line}\n" for line in self.lines)

    def dtype_of_output(self, number):
        return torch_dtype(self.row, self.outputs[number])

    def store(self, number, value):
        flips = self.output_flips[number]
        self.lines.append(f"y{number}.copy_({f'({value}).flip({flips})' if flips else value})")

    def value(self, number, dtype):
        """Returns the text of an input, converted to `dtype`."""
        own = torch_dtype(self.row, self.inputs[number])
        scaled = self.expression["arithmetic"] != "integers" and ("int" in own or own == "bool")
        if own == dtype and not scaled:
            return f"x{number}"
        if (number, dtype) not in self.values:
            name = f"v{number}_{dtype}"
            self.lines.append(f"{name} = x{number}.to(torch.{dtype})" + (" * (1 / 256)" if scaled else ""))
            self.values[number, dtype] = name
        return self.values[number, dtype]

    def term(self, term, dtype):
        """Returns a term's text without its coefficient, and its shape."""
        kind = term["kind"]
        integers = self.expression["arithmetic"] == "integers"
        if kind == "index":
            count = 1
            for extent in self.shape:
                count *= extent
            text = f"torch.arange({count}, device=x0.device).remainder({term['period']}).to(torch.{dtype})"
            return f"{text}.reshape({self.shape})", self.shape
        if kind == "axis":
            shape = [self.shape[term["axis"]]] + [1] * (len(self.shape) - 1 - term["axis"])
            text = f"torch.arange({shape[0]}, device=x0.device).remainder({term['period']}).to(torch.{dtype})"
            return f"{text}.reshape({shape})", shape
        x = self.value(term["input"], dtype)
        shape = self.inputs[term["input"]]["shape"]
        if kind == "product":
            other = self.inputs[term["other"]]["shape"]
            return f"({x} * {self.value(term['other'], dtype)})", broadcast(shape, other)
        if kind == "root":
            return (f"({x} ^ ({x} >> 3))" if integers else f"torch.sqrt(1 + {x} * {x})"), shape
        if kind == "exponential":
            return (f"({x} * {x} + {x})" if integers else f"torch.exp({x})"), shape
        if kind == "quotient":
            return (f"torch.remainder({x}, 7)" if integers else f"(1 / (1 + {x} * {x}))"), shape
        if kind == "polynomial":
            t = x if integers else f"t{len(self.lines)}"
            if not integers:
                self.lines.append(f"{t} = {x} * 0.25")
            name = f"p{len(self.lines)}"
            self.lines.append(f"{name} = {t} * 3 + 3")
            self.lines += [f"{name} = {name} * {t} + 3"] * (term["degree"] - 1)
            return name, shape
        return x, shape

    def dtype_of_sum(self, number, terms):
        """Returns the dtype that a sum is computed in: of integers the narrowest with the same result."""
        wide = self.expression["wide"]
        if self.expression["arithmetic"] == "reals":
            return "float64" if wide else "float32"
        if self.expression["arithmetic"] == "complexes":
            return "complex128" if wide else "complex64"
        if any(term["kind"] in ("root", "quotient") for term in terms):
            return "int64"
        own = self.dtype_of_output(number)
        return "int8" if own == "bool" else own

    def add_sum(self, number, terms):
        dtype = self.dtype_of_sum(number, terms)
        own = self.dtype_of_output(number)
        masks = self.expression["arithmetic"] == "integers" and (own == "bool" or ITEM_BYTES[own] == 8)
        takes_real = self.expression["arithmetic"] == "complexes" and not own.startswith("complex")
        direct = self.eager and own == dtype and not masks and not takes_real and not self.output_flips[number]
        shape = []
        name = f"s{number}"
        for place, term in enumerate(terms):
            text, own_shape = self.term(term, dtype)
            coefficient = term["coefficient"] % 256 if dtype == "uint8" else term["coefficient"]
            shape = broadcast(shape, own_shape)
            out = f", out=y{number}" if direct and place + 1 == len(terms) and shape == self.shape else ""
            target = "" if out else f"{name} = "
            if place == 0:
                self.lines.append(f"{target}torch.mul({text}, {coefficient}{out})")
            else:
                self.lines.append(f"{target}torch.add({name}, {text}, alpha={coefficient}{out})")
            if out:
                return
        if masks and self.eager and own == dtype and shape == self.shape and not self.output_flips[number]:
            self.lines.append(f"torch.bitwise_and({name}, {EXACT_BITS}, out=y{number})")
            return
        if masks:
            name = f"({name} & 1) != 0" if own == "bool" else f"{name} & {EXACT_BITS}"
        self.store(number, f"{name}.real" if takes_real else name)

    def reduce(self, number, function, value, options="", result=None):
        """Adds function(value, dims) into an output. `result` is the dtype of the function's result."""
        own = self.dtype_of_output(number)
        if self.eager and result in (None, own) and not self.output_flips[number]:
            self.lines.append(f"{function}({value}{options}, out=y{number})")
        else:
            self.store(number, f"{function}({value}{options})")

    def add_reduction(self, kind):
        axes = reduced_axes(self.row)
        dims = f", {axes}"
        own = self.dtype_of_output(0)
        if kind == "sum_squares":
            real = "float64" if self.expression["wide"] else "float32"
            for number, operand in enumerate(self.inputs):
                if operand["dtype"] != real:
                    self.lines.append(f"x{number} = x{number}.to(torch.{real})")
            total = " + ".join(f"x{number} * x{number}" for number in range(len(self.inputs)))
            self.reduce(0, "torch.sum", total, dims, real)
        elif kind == "sum":
            # Wider sums wrap to the same bits.
            wide = [f"x{k}" + ("" if len(self.inputs) == 1 else ".to(torch.int64)") for k in range(len(self.inputs))]
            self.reduce(0, "torch.sum", " + ".join(wide), f"{dims}, dtype=torch.{own}", own)
        elif kind in ("count", "count_greater"):
            value = "x0" if kind == "count" else "x0 > x1"
            self.reduce(0, "torch.sum", value, f"{dims}, dtype=torch.int64", "int64")
        elif kind == "max":
            self.reduce(0, "torch.amax", "x0", dims)
        elif kind == "moments":
            self.lines.append(f"variance, mean = torch.var_mean(x0, {axes}, correction=0)")
            self.store(0, "mean")
            self.store(1, "variance")
        elif kind == "argmax":
            kept = [axis for axis in range(len(self.shape)) if axis not in axes]
            self.lines.append(f"folded = x0.permute({kept + axes}).flatten({len(kept)})")
            if self.eager and not self.output_flips[0]:
                self.lines.append("torch.max(folded, -1, out=(y0, y1))")
            else:
                self.lines.append("value, index = torch.max(folded, -1)")
                self.store(0, "value")
                self.store(1, "index")
        elif kind == "extremes":
            self.reduce(0, "torch.amin", "x0", dims)
            self.reduce(1, "torch.amax", "x0", dims)
        elif kind == "complex_sum":
            maps = {"x0": "x0", "x0 * x0": "x0 * x0", "x0 * conj(x0)": "x0 * x0.conj()", "x0 * conj(x1)": "x0 * x1.conj()"}
            self.reduce(0, "torch.sum", maps[self.expression["map"]], dims)
        else:
            is_bool = self.inputs[0]["dtype"] == "bool"
            value = "x0" if is_bool else f"x0 != {int(self.expression['differs_from'])}"
            self.reduce(0, f"torch.{kind}", value, dims)


def call_text(row, eager):
    return CallText(row, eager).text()
