#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the times of kgen_sharded_bench over the number of GPUs, and predicts those of more GPUs.

    for gpus in 1 2 4; do kgen_sharded_bench $gpus; done > figures.txt
    benchmarks/sharded/scaling.py figures.txt --predict 8 --svg speed.svg

Each case has a model of two terms, alpha + beta * x(N), whose x is the work that grows with the number of GPUs: what a GPU
sends, the GPUs that one thread serves, or nothing. Both terms are fitted to the measured times. Predictions are marked
with a tilde in the table, and drawn hollow and dashed in the plot.
"""

import argparse
import re

# What grows with the number of GPUs, for each case: by its name, from one thread and with a process each.
KINDS = [
    ("elementwise, ", "ranks", "constant"),
    ("sum, ", "ranks", "ranks"),
    ("elementwise call", "ranks", "constant"),
    ("reshard rows to columns", "exchanged", "exchanged"),
    ("reshard rows to replicated", "gathered", "gathered"),
    ("sum along", "exchanged", "exchanged"),
    ("exchange_halo", "ranks", "neighbours"),
    ("skew: ", "ranks", "ranks"),
]
WORK = {
    "constant": lambda n: 0,
    "ranks": lambda n: n,
    "exchanged": lambda n: (n - 1) / n,
    "gathered": lambda n: n - 1,
    "neighbours": lambda n: min(n - 1, 2),
}
SPEEDS = {"elementwise, 3 arrays of 1 GiB a GPU": "#0b6e4f", "sum, 4096 MiB a GPU": "#3066be"}


def kinds_of(case):
    return next((kinds[1:] for kinds in KINDS if case.startswith(kinds[0])), None)


def read_times(text):
    """Returns {(case, way): {GPUs: us}}."""
    times, gpus, way = {}, 0, ""
    for line in text.splitlines():
        if head := re.match(r"# (\d+) ranks on (\d+) GPUs, ([^,]+), ", line):
            gpus, way = int(head[2]) if head[1] == head[2] else 0, head[3]
        elif (row := re.match(r"(.+?) +([\d.]+) us", line)) and gpus and kinds_of(row[1]):
            times.setdefault((row[1], way), {})[gpus] = float(row[2])
    # One GPU is the start of both curves.
    for (case, way), of in list(times.items()):
        if 1 in of and way == "one thread" and (case, "a process each") in times:
            times[case, "a process each"].setdefault(1, of[1])
    return times


def predict(case, way, measured, gpus):
    if len(measured) < 2:
        return None
    work = WORK[kinds_of(case)[0 if way == "one thread" else 1]]
    # One GPU exchanges nothing, so its time is no point of the line of an exchange.
    points = [(work(n), us) for n, us in measured.items() if n > 1 or case.startswith("elementwise")]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(us for _, us in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if spread == 0:
        return mean_y
    beta = max(0, sum((x - mean_x) * (us - mean_y) for x, us in points) / spread)
    return mean_y + beta * (work(gpus) - mean_x)


def print_table(times, gpus):
    print("| | | " + " | ".join(f"{n} GPU{'s' * (n > 1)}" for n in (1, 2, 4)) + f" | {gpus}, predicted |")
    print("|---|---|---|---|---|---|")
    for (case, way), of in times.items():
        cells = [f"{of[n]:.1f} us" if n in of else "" for n in (1, 2, 4)]
        guess = predict(case, way, of, gpus)
        print(f"| {case} | {way} | {' | '.join(cells)} | {'' if guess is None else f'~{guess:.1f} us'} |")


def draw(times, gpus, ways=("one thread", "a process each")):
    left, top, size, most = 60, 70, 420, gpus

    def at(n, speed):
        return left + n / most * size, top + size - speed / most * size

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + size + 240}" height="{top + size + 50}" '
        'font-family="sans-serif" font-size="12" fill="#222222">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<text x="{left}" y="24" font-size="15">Speed over one GPU (each GPU has the same work)</text>',
        f'<text x="{left}" y="44">filled: measured; hollow and dashed: predicted by the model of cost</text>',
    ]

    def line(a, b, style):
        parts.append(f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" {style}/>')

    def text(x, y, words, anchor="middle"):
        parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>')

    for n in range(0, most + 1):
        line(at(n, 0), at(n, most), 'stroke="#eeeeee"')
        line(at(0, n), at(most, n), 'stroke="#eeeeee"')
        text(at(n, 0)[0], top + size + 18, n)
        text(left - 10, at(0, n)[1] + 4, n, "end")
    text(left + size / 2, top + size + 38, "GPUs")
    line(at(0, 0), at(most, most), 'stroke="#bbbbbb" stroke-dasharray="2 3"')
    row = 0
    for case, colour in SPEEDS.items():
        for way in ways:
            of = times.get((case, way), {})
            if 1 not in of or len(of) < 2:
                continue
            guess = predict(case, way, of, gpus)
            points = [(n, n * of[1] / us) for n, us in sorted(of.items())] + [(gpus, gpus * of[1] / guess)]
            is_round = way == ways[0]
            for k, (a, b) in enumerate(zip(points, points[1:])):
                dash = ' stroke-dasharray="5 4"' if k + 2 == len(points) else ""
                line(at(*a), at(*b), f'stroke="{colour}" stroke-width="1.5"{dash}')

            def mark(x, y, fill, colour=colour, is_round=is_round):
                shape = f'circle cx="{x:.1f}" cy="{y:.1f}" r="5"' if is_round else (
                    f'rect x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9"')
                parts.append(f'<{shape} fill="{fill}" stroke="{colour}" stroke-width="1.5"/>')

            for k, point in enumerate(points):
                mark(*at(*point), "#ffffff" if k + 1 == len(points) else colour)
            mark(left + size + 24, top + 10 + 40 * row, colour)
            text(left + size + 36, top + 14 + 40 * row, f"{case.split(',')[0]}, {way}", "start")
            figures = "; ".join(f"{n}: {speed:.2f}" for n, speed in points[1:-1])
            text(left + size + 36, top + 30 + 40 * row, f"{figures}; {gpus}: ~{points[-1][1]:.2f}", "start")
            row += 1
    return "\n".join(parts) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figures", nargs="+", help="what kgen_sharded_bench printed for 1, 2 and 4 GPUs")
    parser.add_argument("--predict", type=int, default=8, metavar="GPUS")
    parser.add_argument("--svg", metavar="FILE")
    options = parser.parse_args()
    times = read_times("".join(open(name).read() + "\n" for name in options.figures))
    print_table(times, options.predict)
    if options.svg:
        with open(options.svg, "w") as file:
            file.write(draw(times, options.predict))


if __name__ == "__main__":
    main()
