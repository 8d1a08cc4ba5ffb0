"""A queue-based endpoint with a package of its own."""

from svc import Endpoint


@Endpoint(name="report", cpu="cpu3c-1-2", dependencies=["tabulate~=0.9"])
def report(csv: str, by: str, of: str) -> dict:
    """Groups the rows of a CSV text by one column and sums another."""
    import io
    from collections import defaultdict
    from csv import DictReader

    # Inside of the function, so that only this endpoint's workers need it.
    from tabulate import tabulate

    groups = defaultdict(list)
    for row in DictReader(io.StringIO(csv)):
        groups[row[by]].append(float(row[of]))
    rows = [[name, len(values), sum(values), sum(values) / len(values)] for name, values in sorted(groups.items())]
    return {"rows": len(rows), "table": tabulate(rows, headers=[by, "rows", f"sum of {of}", "mean"])}
