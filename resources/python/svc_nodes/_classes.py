"""Follows the statements of a package's modules, as Python would when ComfyUI loads it."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path
from typing import Any

from svc_nodes._values import UNKNOWN, Class, Function, Mapping, ModuleName

MAPPINGS = "NODE_CLASS_MAPPINGS"
# Dicts that packages join to the one that ComfyUI reads.
_SIMILAR = re.compile(r"^(?:\w*NODE_CLASS_MAPPINGS|\w*CLASS_MAPPINGS|NODE_CONFIG)$")
_LITERAL = re.compile(r"^\s*\w*CLASS_MAPPINGS\b[^=\n]*=\s*\{(.*?)^\s*\}", re.MULTILINE | re.DOTALL)
_LITERAL_KEY = re.compile(r"""^\s*["']([^"'\n]+)["']\s*:""", re.MULTILINE)
_LEFT_OUT = frozenset({"__pycache__", "node_modules", "site-packages", "tests", "test", "venv", "build", "docs"})
_MOST_STATEMENTS = 200_000
_DEEPEST = 60


def read_package(folder: str) -> tuple[set[str], bool]:
    """Names of classes, and whether no others can exist."""
    package = Package(Path(folder))
    classes, complete = package.registered()
    if complete:
        return classes, True
    return classes | package.everything(), False


class Module:
    def __init__(self, package: Package, name: str, path: Path) -> None:
        self.package = package
        self.name = name
        self.is_folder = path.name == "__init__.py"
        self.values: dict[str, Any] = {}
        self.classes: list[Class] = []
        self.broken: str | None = None
        text = path.read_text("utf-8", errors="replace").lstrip("\ufeff")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.tree: ast.Module | None = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.tree, self.broken = None, text

    def absolute(self, level: int, name: str) -> str:
        parts = self.name.split(".") if self.name else []
        if not self.is_folder:
            parts = parts[:-1]
        parts = parts[: len(parts) - (level - 1)] if level > 1 else parts
        return ".".join([*parts, *(name.split(".") if name else [])])


class Package:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules: dict[str, Module | None] = {}
        self.complete = True
        self._left = _MOST_STATEMENTS
        self._depth = 0

    def registered(self) -> tuple[set[str], bool]:
        init = self.module("")
        if init is None:
            return set(), True
        mapping = init.values.get(MAPPINGS)
        found: set[str] = set()
        if isinstance(mapping, Mapping):
            found.update(mapping.items)
            self.complete = self.complete and mapping.complete
        elif mapping is not None:
            self.complete = False
        if "comfy_entrypoint" in init.values:
            self._load_inner_imports()
            found.update(self._schemas())
        return {name.strip() for name in found}, self.complete

    def everything(self) -> set[str]:
        """Everything that looks like a registered class, in all files."""
        found: set[str] = set()
        for path in sorted(self.root.rglob("*.py")):
            inner = path.relative_to(self.root)
            if any(part in _LEFT_OUT or part.startswith(".") for part in inner.parts[:-1]):
                continue
            parts = [*inner.parts[:-1], *([] if inner.name == "__init__.py" else [inner.stem])]
            module = self.module(".".join(parts))
            if module is None:
                continue
            for name, value in module.values.items():
                if _SIMILAR.match(name) and isinstance(value, Mapping):
                    found.update(value.items)
            for literal in _LITERAL.findall(module.broken or ""):
                found.update(_LITERAL_KEY.findall(literal))
        return {name.strip() for name in found | self._schemas()}

    def module(self, name: str) -> Module | None:
        if name in self.modules:
            return self.modules[name]
        self.modules[name] = None
        base = self.root.joinpath(*name.split(".")) if name else self.root
        paths = [base / "__init__.py", *([base.with_name(f"{base.name}.py")] if name else [])]
        path = next((path for path in paths if path.is_file() and path.resolve().is_relative_to(self.root.resolve())), None)
        if path is None:
            return None
        module = Module(self, name, path)
        self.modules[name] = module
        if module.tree is None:
            self.complete = False
        else:
            self._run(module, module.tree.body)
        return module

    def _run(self, module: Module, body: list[ast.stmt]) -> None:
        for statement in body:
            self._left -= 1
            if self._left < 0 or self._depth > _DEEPEST:
                self.complete = False
                return
            self._depth += 1
            try:
                self._step(module, statement)
            finally:
                self._depth -= 1

    def _step(self, module: Module, node: ast.stmt) -> None:
        values = module.values
        if isinstance(node, ast.Import):
            for alias in node.names:
                values[alias.asname or alias.name.partition(".")[0]] = UNKNOWN
        elif isinstance(node, ast.ImportFrom):
            self._import(module, node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            values[node.name] = Function(node, module)
        elif isinstance(node, ast.ClassDef):
            one = Class(node, module)
            values[node.name] = one
            module.classes.append(one)
        elif isinstance(node, ast.Assign):
            value = self.value(module, node.value)
            for target in node.targets:
                self._assign(module, target, value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._assign(module, node.target, self.value(module, node.value))
        elif isinstance(node, ast.AugAssign):
            before = self.value(module, node.target)
            if isinstance(before, Mapping):
                before.add(self.value(module, node.value))
            elif isinstance(before, list):
                more = self.value(module, node.value)
                before.extend(more if isinstance(more, list) else [UNKNOWN])
        elif isinstance(node, ast.Expr):
            self._call(module, node.value)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                if isinstance(target, ast.Name) and _SIMILAR.match(target.id):
                    values.pop(target.id, None)
        elif isinstance(node, ast.If):
            if not _is_main(node.test):
                self._run(module, node.body)
            self._run(module, node.orelse)
        elif isinstance(node, ast.Try):
            for inner in (node.body, node.orelse, node.finalbody):
                self._run(module, inner)
            self._run_handlers(module, node)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            self._run(module, node.body)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            items = self.value(module, node.iter)
            for item in items if isinstance(items, list) else [UNKNOWN]:
                self._assign(module, node.target, item)
                self._run(module, node.body)
        elif isinstance(node, ast.While):
            self._run(module, node.body)
        elif hasattr(ast, "Match") and isinstance(node, ast.Match):
            for case in node.cases:
                self._run(module, case.body)

    def _run_handlers(self, module: Module, node: ast.Try) -> None:
        """Handlers run instead of the body: what they set to an empty dict or to nothing does not count."""
        before = dict(module.values)
        for handler in node.handlers:
            self._run(module, handler.body)
        for name, value in before.items():
            now = module.values.get(name)
            if isinstance(value, Mapping) and now is not value:
                merged = Mapping(dict(value.items), value.complete)
                merged.add(now if isinstance(now, Mapping) else Mapping())
                module.values[name] = merged
            elif value is not UNKNOWN:
                module.values[name] = value

    def _import(self, module: Module, node: ast.ImportFrom) -> None:
        if node.level == 0 and self.module(node.module or "") is None:
            for alias in node.names:
                module.values[alias.asname or alias.name] = UNKNOWN
            return
        source = module.absolute(node.level, node.module or "") if node.level else (node.module or "")
        loaded = self.module(source)
        for alias in node.names:
            if alias.name == "*":
                for name, value in (loaded.values if loaded is not None else {}).items():
                    if not name.startswith("_"):
                        module.values[name] = value
                continue
            inner = f"{source}.{alias.name}" if source else alias.name
            value: Any = UNKNOWN
            if loaded is not None and alias.name in loaded.values:
                value = loaded.values[alias.name]
            elif self.module(inner) is not None:
                value = ModuleName(inner)
            elif loaded is not None and loaded.broken is not None:
                self.complete = False
            module.values[alias.asname or alias.name] = value

    def _assign(self, module: Module, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            module.values[target.id] = value
        elif isinstance(target, ast.Subscript):
            owner = self.value(module, target.value)
            if isinstance(owner, Mapping):
                owner.put(self.value(module, target.slice), value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for at, inner in enumerate(target.elts):
                known = isinstance(value, list) and at < len(value)
                # A function that makes both mappings of a table: `A, B = make(TABLE)`.
                self._assign(module, inner, value[at] if known else value if isinstance(value, Mapping) else UNKNOWN)

    def _call(self, module: Module, node: ast.expr) -> None:
        """`mapping.update(...)`, `items.append(...)` and functions of the package that change mappings."""
        if not isinstance(node, ast.Call):
            return
        if isinstance(node.func, ast.Attribute):
            owner = self.value(module, node.func.value)
            if isinstance(owner, Mapping) and node.func.attr == "update":
                for argument in node.args:
                    owner.add(self.value(module, argument))
                for word in node.keywords:
                    if word.arg is None:
                        owner.add(self.value(module, word.value))
                    else:
                        owner.put(word.arg, self.value(module, word.value))
                return
            if isinstance(owner, list) and node.func.attr in ("append", "extend") and node.args:
                value = self.value(module, node.args[0])
                owner.extend(value if node.func.attr == "extend" and isinstance(value, list) else [value])
                return
        function = self.value(module, node.func)
        if isinstance(function, Function):
            self._enter(module, function, node)

    def _enter(self, module: Module, function: Function, call: ast.Call) -> Any:
        """The value of a call of the package's own function; its statements run in a copy of its module's names."""
        names = [argument.arg for argument in function.node.args.args]
        given = dict(zip(names, (self.value(module, argument) for argument in call.args)))
        given.update({word.arg: self.value(module, word.value) for word in call.keywords if word.arg})
        defaults = function.node.args.defaults
        for name, default in zip(names[len(names) - len(defaults) :], defaults):
            if name not in given:
                given[name] = self.value(function.module, default)
        inner = _Inner(function.module, given)
        returns: list[Any] = []
        if self._depth > _DEEPEST:
            return UNKNOWN
        self._depth += 1
        try:
            for statement in function.node.body:
                if isinstance(statement, ast.Return):
                    returns.append(self.value(inner, statement.value) if statement.value is not None else UNKNOWN)
                    break
                self._run(inner, [statement])
        finally:
            self._depth -= 1
        return returns[0] if returns else UNKNOWN

    def value(self, module: Any, node: ast.expr | None) -> Any:
        self._depth += 1
        try:
            return UNKNOWN if node is None or self._depth > _DEEPEST * 2 else self._value(module, node)
        finally:
            self._depth -= 1

    def _value(self, module: Any, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, (str, int, float, bool)) else UNKNOWN
        if isinstance(node, ast.Name):
            return module.values.get(node.id, UNKNOWN)
        if isinstance(node, ast.Attribute):
            return self._attribute(self.value(module, node.value), node.attr)
        if isinstance(node, ast.JoinedStr):
            parts = [self.value(module, part) for part in node.values]
            return "".join(map(str, parts)) if all(isinstance(part, (str, int, float)) for part in parts) else UNKNOWN
        if isinstance(node, ast.FormattedValue):
            return self.value(module, node.value)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            found: list[Any] = []
            for item in node.elts:
                if isinstance(item, ast.Starred):
                    inner = self.value(module, item.value)
                    found.extend(inner if isinstance(inner, list) else [UNKNOWN])
                else:
                    found.append(self.value(module, item))
            return found
        if isinstance(node, ast.Dict):
            mapping = Mapping()
            for key, item in zip(node.keys, node.values):
                if key is None:
                    mapping.add(self.value(module, item))
                else:
                    mapping.put(self.value(module, key), self.value(module, item))
            return mapping
        if isinstance(node, ast.BinOp):
            left, right = self.value(module, node.left), self.value(module, node.right)
            if isinstance(left, Mapping) and isinstance(node.op, ast.BitOr):
                joined = Mapping(dict(left.items), left.complete)
                joined.add(right)
                return joined
            if isinstance(node.op, ast.Add) and type(left) is type(right) and isinstance(left, (str, list)):
                return left + right
            if isinstance(node.op, ast.Mod) and isinstance(left, str) and isinstance(right, (str, int)):
                return left.replace("%s", str(right), 1).replace("%d", str(right), 1)
            return UNKNOWN
        if isinstance(node, ast.IfExp):
            return self.value(module, node.body)
        if isinstance(node, ast.Subscript):
            owner, key = self.value(module, node.value), self.value(module, node.slice)
            if isinstance(owner, Mapping) and isinstance(key, str):
                return owner.items.get(key, UNKNOWN)
            if isinstance(owner, list) and isinstance(key, int) and -len(owner) <= key < len(owner):
                return owner[key]
            return UNKNOWN
        if isinstance(node, (ast.DictComp, ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            return self._comprehension(module, node)
        if isinstance(node, ast.Await):
            return self.value(module, node.value)
        if isinstance(node, ast.Call):
            return self._called(module, node)
        return UNKNOWN

    def _attribute(self, owner: Any, name: str) -> Any:
        if isinstance(owner, ModuleName):
            loaded = self.module(owner.name)
            if loaded is not None and name in loaded.values:
                return loaded.values[name]
            inner = f"{owner.name}.{name}" if owner.name else name
            return ModuleName(inner) if self.module(inner) is not None else UNKNOWN
        if isinstance(owner, Class):
            if name == "__name__":
                return owner.node.name
            for statement in owner.node.body:
                targets = statement.targets if isinstance(statement, ast.Assign) else []
                if isinstance(statement, ast.AnnAssign):
                    targets = [statement.target]
                if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                    return self.value(owner.module, statement.value)  # type: ignore[attr-defined]
            for base in owner.node.bases:
                inherited = self.value(owner.module, base)
                if isinstance(inherited, Class) and inherited.node is not owner.node:
                    found = self._attribute(inherited, name)
                    if found is not UNKNOWN:
                        return found
        return UNKNOWN

    def _comprehension(self, module: Any, node: ast.DictComp | ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
        first = node.generators[0]
        items = self.value(module, first.iter)
        if not isinstance(items, list) or len(node.generators) > 1:
            return Mapping(complete=False) if isinstance(node, ast.DictComp) else UNKNOWN
        mapping, found = Mapping(), []
        for item in items:
            inner = _Inner(module, {})
            self._assign(inner, first.target, item)
            if isinstance(node, ast.DictComp):
                mapping.put(self.value(inner, node.key), self.value(inner, node.value))
            else:
                found.append(self.value(inner, node.elt))
        return mapping if isinstance(node, ast.DictComp) else found

    def _called(self, module: Any, node: ast.Call) -> Any:
        arguments = [self.value(module, argument) for argument in node.args]
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        attribute = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name == "dict":
            mapping = Mapping()
            for argument in arguments:
                mapping.add(argument)
            for word in node.keywords:
                if word.arg is None:
                    mapping.add(self.value(module, word.value))
                else:
                    mapping.put(word.arg, self.value(module, word.value))
            return mapping
        if name in ("list", "tuple", "set", "sorted") and arguments and isinstance(arguments[0], list):
            return arguments[0]
        if name == "getattr" and len(arguments) > 1 and isinstance(arguments[1], str):
            found = self._attribute(arguments[0], arguments[1])
            unknown = found is UNKNOWN and len(arguments) > 2 and isinstance(arguments[0], ModuleName)
            return arguments[2] if unknown else found
        if "import_module" in (name, attribute) or name == "__import__":
            return self._import_by_name(module, arguments)
        function = self.value(module, node.func)
        if isinstance(function, Function):
            found = self._enter(module, function, node)
            if found is not UNKNOWN:
                return found
        elif attribute:
            owner = self.value(module, node.func.value)  # type: ignore[attr-defined]
            if isinstance(owner, Mapping):
                lists = {"keys": list(owner.items), "values": list(owner.items.values())}
                lists["items"] = [[key, value] for key, value in owner.items.items()]
                if attribute in lists and owner.complete:
                    return lists[attribute]
                if attribute == "copy":
                    return Mapping(dict(owner.items), owner.complete)
                if attribute == "get" and arguments and isinstance(arguments[0], str):
                    return owner.items.get(arguments[0], UNKNOWN)
            if isinstance(owner, str) and attribute == "format" and all(isinstance(a, (str, int)) for a in arguments):
                try:
                    return owner.format(*arguments)
                except (IndexError, KeyError, ValueError):
                    return UNKNOWN
        # A function that is not followed may turn a table into mappings with the same keys.
        tables = [argument for argument in arguments if isinstance(argument, Mapping)]
        return Mapping(dict(tables[0].items), False) if len(tables) == 1 else UNKNOWN

    def _import_by_name(self, module: Any, arguments: list[Any]) -> Any:
        if not arguments or not isinstance(arguments[0], str):
            self.complete = False
            return UNKNOWN
        name = arguments[0]
        level = len(name) - len(name.lstrip("."))
        target = module.absolute(level, name.lstrip(".")) if level else name
        return ModuleName(target) if self.module(target) is not None else UNKNOWN

    def _load_inner_imports(self) -> None:
        """An entry point may import the modules of its nodes inside of its functions."""
        for module in [module for module in self.modules.values() if module is not None and module.tree is not None]:
            for node in ast.walk(module.tree):
                if isinstance(node, ast.ImportFrom) and node.level:
                    self._import(_Inner(module, {}), node)

    def _schemas(self) -> set[str]:
        """`node_id` of the schemas that classes define."""
        found: set[str] = set()
        for module in [module for module in self.modules.values() if module is not None]:
            for one in module.classes:
                found.update(self._schema_ids(one))
        return found

    def _schema_ids(self, one: Class) -> list[str]:
        for function in one.node.body:
            if isinstance(function, ast.FunctionDef) and function.name == "define_schema":
                inner = _Inner(one.module, {argument.arg: one for argument in function.args.args[:1]})
                self._run(inner, [step for step in function.body if not isinstance(step, ast.Return)])
                for node in ast.walk(function):
                    if isinstance(node, ast.Call) and _last_name(node.func) == "Schema":
                        given = [word.value for word in node.keywords if word.arg == "node_id"] or node.args[:1]
                        found = self.value(inner, given[0]) if given else UNKNOWN
                        if isinstance(found, str):
                            return [found]
                        self.complete = False
        return []


class _Inner(Module):
    """The names of a function or comprehension: its own, then those of its module."""

    def __init__(self, module: Any, own: dict[str, Any]) -> None:
        self.package = module.package
        self.name = module.name
        self.is_folder = module.is_folder
        self.classes = module.classes
        self.values = _Layered(module.values, own)
        self.broken = None
        self.tree = None


class _Layered(dict[str, Any]):
    def __init__(self, below: dict[str, Any], own: dict[str, Any]) -> None:
        super().__init__(own)
        self._below = below

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key, self._below.get(key, default))


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
