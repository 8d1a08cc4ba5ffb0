/** The artifact of an app in the form of 2.0, without its packages: sources, and the manifest that the package makes. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The file that is `main.py` of the artifact. */
export const APP_SOURCE = fileURLToPath(new URL('python/app_runtime_app.py', import.meta.url))

const MANIFEST = `
import json, sys
from pathlib import Path
from runpod.apps.deploy import build_manifest
from runpod.apps.discovery import discover_apps
folder = Path(sys.argv[1])
[app] = discover_apps(folder / "main.py")
version = "%d.%d" % sys.version_info[:2]
(folder / "runpod_manifest.json").write_text(json.dumps(build_manifest(app, folder, python_version=version)))
`

const run = promisify(execFile)

/**
 * The caller makes the folder `env`.
 * @param python an interpreter that has the package @param source the file that becomes `main.py`
 */
export async function writeAppArtifact(folder: string, python: string, source = APP_SOURCE): Promise<void> {
  mkdirSync(folder)
  copyFileSync(source, join(folder, 'main.py'))
  await run(python, ['-c', MANIFEST, folder])
}
