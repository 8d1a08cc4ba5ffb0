"""Prints the words of the Python packages in a folder, as a list in JSON (see words.ts)."""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path

SHORTEST = 3


def words_of(tree: ast.Module, module: str) -> Iterator[str]:
    yield from signatures(tree, module)
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Constant, ast.Tuple, ast.List, ast.Set)):
            for name in map(ast.unparse, node.targets):
                if name.isupper():
                    yield f"constant {module}.{name} = {ast.unparse(node.value)}"
    keys = set()
    for node in ast.walk(tree):
        key = key_of(node)
        if key is not None:
            keys.add(id(key))
            yield f"reads {key.value}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in keys:
            text = " ".join(node.value.split())
            if len(text) >= SHORTEST:
                yield f"text {text}"


def signatures(node: ast.AST, place: str) -> Iterator[str]:
    """Of public functions, and of methods of public classes."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)) and not inner.name.startswith("_"):
            yield f"signature {place}.{inner.name}({ast.unparse(inner.args)})"
        elif isinstance(inner, ast.ClassDef):
            yield from signatures(inner, f"{place}.{inner.name}")


def key_of(node: ast.AST) -> ast.Constant | None:
    """The key that an expression reads from a dict."""
    key = None
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        key = node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        key = node.args[0]
    return key if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


folder = Path(sys.argv[1])
words: set[str] = set()
for path in folder.rglob("*.py"):
    module = ".".join(path.relative_to(folder).with_suffix("").parts)
    words.update(words_of(ast.parse(path.read_bytes()), module))
print(json.dumps(sorted(words)))
