/** Virtual environments of Python for tests, made in half a second of the processor instead of eight. */
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)

// Source: ours; where it has to be made by pip, on a machine that does much else, it takes half a minute.
const LIMIT_MS = 240_000

// `python -m venv` lets pip install pip, from the wheel that Python brings, and compile all of it. Here it is unpacked.
const MAKE = `
import ensurepip, pathlib, sys, venv, zipfile
folder = pathlib.Path(sys.argv[1])
[wheel] = (pathlib.Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl")
venv.create(folder, symlinks=True)
[packages] = folder.glob("lib/python*/site-packages")
zipfile.ZipFile(wheel).extractall(packages)
for name in ("pip", "pip3"):
    script = folder / "bin" / name
    script.write_text(f"#!/bin/sh\\nexec '{folder}/bin/python' -m pip \\"$@\\"\\n")
    script.chmod(0o755)
`

/**
 * Makes an environment with pip, of the `python3` of the PATH.
 * @param folder absolute; it is not there yet
 * @throws what `python3 -m venv` says where it cannot make one
 */
export async function makeVenv(folder: string): Promise<void> {
  const options = { timeout: LIMIT_MS, killSignal: 'SIGKILL' } as const
  try {
    await run('python3', ['-c', MAKE, folder], options)
  } catch {
    // Python of some systems has its wheels elsewhere.
    rmSync(folder, { recursive: true, force: true })
    await run('python3', ['-m', 'venv', folder], options)
  }
}
