"""The tables of `bench.py`, in Markdown."""

from workloads import WORKLOADS


def time_text(seconds):
    if seconds is None:
        return "–"
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            break
    return f"{seconds * factor:.3g} {unit}"


def ratio_text(record):
    if record is None:
        return "–"
    if "ratio" not in record:
        return record["status"]
    return f"{record['ratio']:.2f}" if record["ratio"] < 10 else f"{record['ratio']:.0f}"


def markdown(rows):
    rows = [[str(cell) for cell in row] for row in rows]
    rows.insert(1, ["---"] * len(rows[0]))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def ratio_table(records, contenders):
    columns = [c for c in contenders if c != "handwritten"]
    rows = [["workload", "handwritten", *columns]]
    by_place = {(r["workload"], r["contender"]): r for r in records}
    for name in dict.fromkeys(r["workload"] for r in records):
        title = WORKLOADS[name].description.partition(":")[0]
        seconds = by_place.get((name, "handwritten"), {}).get("seconds")
        cells = [ratio_text(by_place.get((name, column))) for column in columns]
        rows.append([f"{name[1:]} {title}", time_text(seconds), *cells])
    return markdown(rows)


def detail_table(records):
    header = "workload contender time ratio spread first_call error lines peak_MB notes"
    rows = [[word.replace("_", " ") for word in header.split()]]
    for r in records:
        if "seconds" not in r:  # listed by failures()
            continue
        rows.append([
            r["workload"], r["contender"], time_text(r["seconds"]), ratio_text(r),
            f"{100 * r['spread']:.0f} %", time_text(r["first_call_s"]),
            f"{r['error']:.0e}" if "error" in r else "–",
            "–" if r.get("source_lines") is None else r["source_lines"],
            f"{r['peak_bytes'] / 1e6:.2f}" if "peak_bytes" in r else "–",
            "; ".join(r["notes"]) or "–",
        ])  # fmt: skip
    return markdown(rows)


def failures(records):
    """One line for each contender and message, with the workloads it concerns."""
    groups = {}
    for r in records:
        if r["status"] != "ok":
            key = (r["contender"], r["status"], r["message"])
            groups.setdefault(key, []).append(r["workload"])
    return [f"- {c}: {s} in {', '.join(w)}: {m}" for (c, s, m), w in groups.items()]


def report(records, contenders):
    """Print the tables; `contenders` gives the order of the columns."""
    order = list(contenders)
    order[3:3] = sorted({r["contender"] for r in records} - {*contenders})
    present = [c for c in order if any(r["contender"] == c for r in records)]
    print("\nCPU time of value and gradient as a ratio to handwritten NumPy, one core:\n")
    print(ratio_table(records, present))
    print("\n" + detail_table(records))
    lines = failures(records)
    if lines:
        print("\nNot measured:\n\n" + "\n".join(lines))
