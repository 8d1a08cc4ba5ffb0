/**
 * The public Python packages, for workers, for apps and for the OpenAI path, in a virtual environment of their own,
 * made once and kept in the cache folder. Test files run at the same time, so the first one makes it and the others
 * wait. Where it cannot be made (no python3, no package index) the tests that need it are skipped with the reason; one
 * attempt a run.
 */
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { requirementOf } from '../platform/clients.ts'
import { makeVenv } from '../support/python-venv.ts'
import {
  CACHE,
  INSTALL_LIMIT_MS,
  lastLine,
  lock,
  type PackageFolder,
  prepareFolder,
  readIfThere,
} from './support-packages.ts'

/** The interpreter that has the packages, or why there is none. */
export type PublicPython = { readonly ready: boolean; readonly python: string; readonly reason: string }

const PACKAGES = [requirementOf('worker'), requirementOf('olderApps'), requirementOf('openai')]
// Of apps in the form of 2.0: what a build of an api has in its folder of packages.
const APP_PACKAGES = [requirementOf('apps'), 'fastapi']
// py-cpuinfo, a dependency of the worker, takes longer than the rest of its start, for one log line. The images for
// tests have the real package.
const STAND_INS = { 'cpuinfo/__init__.py': 'def get_cpu_info():\n    return {"brand_raw": "a stand-in for tests"}\n' }
// Dependencies of an api that no test imports; the last two only compress responses.
const NEVER_IMPORTED = [
  ...['dnspython', 'fastar', 'googleapis_common_protos', 'httptools', 'opentelemetry_sdk', 'protobuf', 'psutil'],
  ...['pygments', 'pyyaml', 'rich', 'rignore', 'sentry_sdk', 'uvloop', 'watchfiles', 'websockets'],
  ...['backports_zstd', 'brotli'],
]
// Pip parses each package's description a hundred times, and botocore contains one for every service of a cloud.
const LEAVE_OUT = `
import pathlib, re, sys, zipfile
whole, light, *names = sys.argv[1:]
def is_needed(requirement):
    return re.split(r"[^A-Za-z0-9_.-]", requirement.strip())[0].replace("-", "_").replace(".", "_").lower() not in names
for path in pathlib.Path(whole).glob("*.whl"):
    if path.name.split("-")[0].lower() in names:
        continue
    with zipfile.ZipFile(path) as wheel, zipfile.ZipFile(f"{light}/{path.name}", "w") as made:
        for name in wheel.namelist():
            if name.endswith(".dist-info/METADATA"):
                head = wheel.read(name).decode().partition("\\n\\n")[0].splitlines()
                kept = [line for line in head if not line.startswith("Requires-Dist:") or is_needed(line[14:])]
                made.writestr(name, "\\n".join(kept) + "\\n")
            elif not re.match("botocore/data/.+/", name):
                made.writestr(name, wheel.read(name))
`
/** Arguments of Python that begin a command of pip. */
export const PIP = ['-m', 'pip', '--disable-pip-version-check', '--no-input', '--retries', '1', '--timeout', '15']
const OLDEST_PYTHON = [3, 10]

/** How long making the environment may take, for the hook that waits for it, ms. */
export const PREPARE_LIMIT_MS = 2 * INSTALL_LIMIT_MS

const run = promisify(execFile)

/** Gives the interpreter; makes the environment if nobody has yet. */
export function preparePublicPython(): Promise<PublicPython> {
  return prepareEnvironment(PACKAGES, 'import runpod, runpod_flash')
}

/** The same with version 2.0 of the package, and the folder of its packages, which stands for an artifact's `env`. */
export async function preparePublicApps(): Promise<PublicPython & { readonly folder: string }> {
  const made = await prepareEnvironment(APP_PACKAGES, 'import runpod.apps, fastapi')
  if (!made.ready) return { ...made, folder: '' }
  return { ...made, folder: await packagesOf(made.python) }
}

async function packagesOf(python: string): Promise<string> {
  const { stdout } = await run(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'])
  return stdout.trim()
}

export async function prepareEnvironment(packages: readonly string[], check: string): Promise<PublicPython> {
  let version: string
  try {
    const { stdout } = await run('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'])
    version = stdout.trim()
  } catch {
    return missing('there is no python3 on the PATH')
  }
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major !== OLDEST_PYTHON[0] || minor < (OLDEST_PYTHON[1] ?? 0))
    return missing(`python3 is ${version}, needed is ${OLDEST_PYTHON.join('.')} or newer`)

  const folder = join(CACHE, `${packages.join('-').replaceAll('==', '-')}-python${version}`)
  mkdirSync(CACHE, { recursive: true })
  const release = await lock(`${folder}.lock`)
  try {
    return await prepare(folder, packages, check)
  } finally {
    release()
  }
}

/**
 * Gives another version of the worker package, for the PYTHONPATH of the interpreter: nearly all that it needs is there
 * already, so that it takes a second.
 */
export function preparePinnedWorker(base: PublicPython, version: string): Promise<PackageFolder> {
  const packages = [`runpod==${version}`, 'filelock']
  return withPip(base, `runpod-${version}`, (folder) => ['install', '--no-deps', '--target', folder, ...packages])
}

/** Gives the wheels of all that apps of version 2.0 install, for installers that are to know no index. */
function prepareAppWheels(base: PublicPython): Promise<PackageFolder> {
  // Wheels for older systems run here too, and one download serves all tests.
  if (process.platform === 'linux' && process.arch === 'x64') return downloadBuildWheels(base)
  return downloadWheels(base, 'wheels', [])
}

/**
 * The same without the packages that no test imports, because installing and packing them takes two thirds of the time
 * of the platform's command.
 */
export async function prepareLightWheels(base: PublicPython): Promise<PackageFolder> {
  return lightened(base, await prepareAppWheels(base))
}

/** The light wheels for our own builds, which install for the oldest system that an image may have. */
export async function prepareBuildWheels(base: PublicPython): Promise<PackageFolder> {
  return lightened(base, await downloadBuildWheels(base))
}

function downloadBuildWheels(base: PublicPython): Promise<PackageFolder> {
  const platforms = ['manylinux_2_28_x86_64', 'manylinux_2_17_x86_64', 'manylinux2014_x86_64']
  const options = platforms.flatMap((platform) => ['--platform', platform])
  return downloadWheels(base, 'build-wheels', options)
}

async function lightened(base: PublicPython, whole: PackageFolder): Promise<PackageFolder> {
  if (!whole.ready) return whole
  const form = hash('sha1', `${LEAVE_OUT}${NEVER_IMPORTED}`).slice(0, 8)
  return prepareFolder(`${basename(whole.folder)}-light-${form}`, (folder) => [
    ...[base.python, '-c', LEAVE_OUT, whole.folder, folder],
    ...NEVER_IMPORTED,
  ])
}

function downloadWheels(base: PublicPython, what: string, options: readonly string[]): Promise<PackageFolder> {
  const [runpod = ''] = APP_PACKAGES
  // A build of an api installs these too.
  const packages = [...APP_PACKAGES, 'fastapi[standard]', 'uvicorn']
  const download = ['download', '--only-binary', ':all:', ...options]
  return withPip(base, `${runpod.replace('==', '-')}-${what}`, (folder) => [...download, '--dest', folder, ...packages])
}

async function withPip(
  base: PublicPython,
  name: string,
  line: (folder: string) => readonly string[],
): Promise<PackageFolder> {
  if (!base.ready) return { ready: false, folder: '', reason: base.reason }
  return prepareFolder(name, (folder) => [base.python, ...PIP, '--quiet', ...line(folder)])
}

async function prepare(folder: string, packages: readonly string[], check: string): Promise<PublicPython> {
  const python = join(folder, 'bin', 'python')
  const complete = join(folder, 'complete')
  if (existsSync(complete)) return { ready: true, python, reason: '' }
  // The processes of one run of the tests have one parent.
  const failure = `${folder}.failure`
  const earlier = readIfThere(failure)?.split('\n', 2)
  if (earlier?.[0] === String(process.ppid)) return missing(earlier[1] ?? '')
  try {
    rmSync(folder, { recursive: true, force: true })
    await makeVenv(folder)
    const [program, ...args] = await installer(python)
    await run(program, [...args, ...packages], { timeout: INSTALL_LIMIT_MS, killSignal: 'SIGKILL' })
    for (const [file, text] of Object.entries(STAND_INS)) {
      const path = join(await packagesOf(python), file)
      mkdirSync(dirname(path), { recursive: true })
      rmSync(path, { force: true }) // may be a link into the cache of the installer
      writeFileSync(path, text)
    }
    await run(python, ['-c', check])
    writeFileSync(complete, '')
    return { ready: true, python, reason: '' }
  } catch (error) {
    const reason = `${packages.join(' and ')} could not be installed: ${lastLine(error)}`
    writeFileSync(failure, `${process.ppid}\n${reason}`)
    return missing(reason)
  }
}

async function installer(python: string): Promise<readonly [program: string, ...args: string[]]> {
  const uv = await prepareUv(python)
  if (!uv.ready) return [python, ...PIP, 'install', '--quiet']
  return [join(uv.folder, 'bin', 'uv'), 'pip', 'install', '--quiet', '--compile-bytecode', '--python', python]
}

/**
 * Prepares a folder with uv as `bin/uv`, which takes 2 s of CPU time where pip takes 40 s. The folder is separate,
 * because builds of apps use any uv that they find.
 */
export function prepareUv(python = 'python3'): Promise<PackageFolder> {
  return prepareFolder('uv', (folder) => [python, ...PIP, 'install', '--quiet', '--target', folder, 'uv'])
}

function missing(reason: string): PublicPython {
  return { ready: false, python: '', reason }
}
