import { execFileSync } from 'node:child_process'

/** A package; `files`: text by path, `needs`: requirements. */
export type WheelContent = {
  readonly name: string
  readonly version?: string
  readonly needs?: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  /** Versions of Python that it accepts. */
  readonly python?: string
  readonly extras?: readonly string[]
  /** Console script of this name, which runs `NAME:main`. */
  readonly script?: string
  /** For whom it is, like `cp312-cp312-manylinux_2_17_x86_64`: one with native code. Without it for everybody. */
  readonly tag?: string
}

// Python's own zipfile: a wheel is a zip with a RECORD of its files.
const MAKE = `
import base64, hashlib, json, sys, zipfile
folder, wheels = sys.argv[1], json.load(sys.stdin)
for w in wheels:
    version = w.get("version", "1.0")
    base = f"{w['name'].replace('-', '_')}-{version}"
    info = f"{base}.dist-info"
    files = dict(w.get("files", {}))
    needs = f"Requires-Python: {w['python']}\\n" if "python" in w else ""
    needs += "".join(f"Provides-Extra: {n}\\n" for n in w.get("extras", []))
    needs += "".join(f"Requires-Dist: {n}\\n" for n in w.get("needs", []))
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\\nName: {w['name']}\\nVersion: {version}\\n{needs}"
    tag = w.get("tag", "py3-none-any")
    pure = "false" if w.get("tag") else "true"
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: {pure}\\nTag: {tag}\\n"
    if w.get("script"):
        files[f"{info}/entry_points.txt"] = f"[console_scripts]\\n{w['script']} = {w['name']}:main\\n"
    def digest(text):
        return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    record = "".join(f"{p},sha256={digest(t)},{len(t.encode())}\\n" for p, t in files.items())
    files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\\n"
    with zipfile.ZipFile(f"{folder}/{base}-{tag}.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
`

/** Writes wheels into a folder that exists. */
export function makeWheels(folder: string, wheels: readonly WheelContent[]): void {
  execFileSync('python3', ['-c', MAKE, folder], { input: JSON.stringify(wheels) })
}

/** The environment in which installers know a folder of wheels and nothing else. */
export function onlyWheelsOf(folder: string): Record<string, string> {
  return {
    PIP_NO_INDEX: '1',
    PIP_FIND_LINKS: folder,
    PIP_CONFIG_FILE: '/dev/null',
    // uv has no variable for its option --no-index.
    UV_DEFAULT_INDEX: folder,
    UV_FIND_LINKS: folder,
  }
}
