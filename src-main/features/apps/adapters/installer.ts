import { BuildFailure, type BuildProblem, buildProblem } from '../../../contract/build.ts'
import { type ProgramEnd, runProgram } from '../../../lib/node/run-program.ts'

export type Installer = {
  readonly name: 'uv' | 'pip'
  readonly command: readonly string[]
  readonly python?: string | undefined
}

export type Installation = {
  readonly target: string
  readonly requirementsFile: string
  readonly excludesFile: string
  readonly pythonVersion: string
}

export type InstallerOptions = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly limitMs: number
  readonly onLine: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

// Source: docs/spec/app-deploy.md, 5. Newest first, because pip takes the first with a wheel.
const PIP_PLATFORMS = ['manylinux_2_28_x86_64', 'manylinux_2_17_x86_64', 'manylinux2014_x86_64']
const UV_PLATFORM = 'x86_64-manylinux_2_28'
export const INSTALL_PLATFORM = UV_PLATFORM

const CHECK_LIMIT_MS = 20_000
// Prints its Python. `pip --version` does too, but loads all of pip first: 0.4 s instead of 0.1 s.
const HAS_PIP = 'import pip, sys; print("%d.%d" % sys.version_info[:2])'
const SHOWN_LINES = 20

/**
 * Prefers uv, then pip of the wanted Python, then any pip; pip evaluates markers like `python_version < "3.12"` for its
 * own Python.
 * @returns undefined if there is none
 */
export async function findInstaller(
  pythonVersion: string,
  env: InstallerOptions['env'],
  signal?: AbortSignal,
): Promise<Installer | undefined> {
  const check = async (command: string, args: readonly string[]) => {
    const end = await runProgram({ command, args, env, limitMs: CHECK_LIMIT_MS, signal })
    return end.kind === 'ended' && end.exitCode === 0 ? end.stdout : undefined
  }
  if ((await check('uv', ['--version'])) !== undefined) return { name: 'uv', command: ['uv', 'pip'] }
  for (const python of [`python${pythonVersion}`, 'python3']) {
    const result = await check(python, ['-c', HAS_PIP])
    if (result === undefined) continue
    return { name: 'pip', command: [python, '-m', 'pip'], python: /^\d+\.\d+$/m.exec(result)?.[0] }
  }
  return undefined
}

function installArguments(name: Installer['name'], installation: Installation): readonly string[] {
  const { target, requirementsFile, excludesFile, pythonVersion } = installation
  const both = ['--target', target, '--python-version', pythonVersion, '--requirement', requirementsFile]
  if (name === 'uv') {
    // An override that never applies excludes a package without fetching it.
    const left = ['--override', excludesFile]
    return [...both, ...left, '--python-platform', UV_PLATFORM, '--only-binary', ':all:', '--link-mode', 'copy']
  }
  const platforms = PIP_PLATFORMS.flatMap((platform) => ['--platform', platform])
  const quiet = ['--no-user', '--no-compile', '--no-input', '--disable-pip-version-check', '--progress-bar', 'off']
  return [...both, ...platforms, '--implementation', 'cp', '--only-binary=:all:', ...quiet]
}

export async function runInstaller(
  installer: Installer,
  installation: Installation,
  { env, cwd, limitMs, onLine, signal }: InstallerOptions,
): Promise<void> {
  const [command = '', ...before] = installer.command
  const downloads = createDownloadList()
  const end = await runProgram({
    command,
    args: [...before, 'install', ...installArguments(installer.name, installation)],
    cwd,
    // uv needs a Python and would fetch one; wheels are only unpacked, so any works.
    env: { ...env, NO_COLOR: '1', UV_PYTHON_DOWNLOADS: 'never', PIP_ROOT_USER_ACTION: 'ignore' },
    limitMs,
    limits: 'no progress',
    onLine(line) {
      downloads.readLine(line)
      onLine(line)
    },
    signal,
  })
  const problem = problemOf(end, { installer: installer.name, limitMs, open: downloads.open() })
  if (problem !== undefined) throw new BuildFailure([problem])
}

// Matches `Downloading torch (864.9MiB)` of uv and ` Downloading torch-2.5.1-cp312-cp312-linux_x86_64.whl (906.4 MB)`
// of pip.
const DOWNLOAD = /^\s*Downloading (\S+) \((\d[\d.]* ?[kKMG]?i?B)\)/
const DOWNLOADED = /^\s*Downloaded (\S+)/
const PIP_GOES_ON = /^(?:Collecting|Installing collected packages)\b/

function createDownloadList() {
  const begun = new Map<string, string>()
  return {
    readLine(line: string) {
      const [, name = '', size = ''] = DOWNLOAD.exec(line) ?? []
      const [, done = ''] = DOWNLOADED.exec(line) ?? []
      const isFile = /\.(?:whl|tar\.gz|zip|metadata)$/.test(name)
      if (isFile || PIP_GOES_ON.test(line)) begun.clear()
      if (name !== '' && !name.endsWith('.metadata')) begun.set(isFile ? name.replace(/-\d.*$/, '') : name, size)
      begun.delete(done)
    },
    open: () => [...begun].map(([name, size]) => `${name} (${size})`),
  }
}

const OFFER_UV =
  ' uv downloads several packages at once and keeps partial downloads: install it (https://docs.astral.sh/uv), and the next build uses it.'

function problemOf(
  end: ProgramEnd,
  {
    installer,
    limitMs,
    open,
  }: { readonly installer: Installer['name']; readonly limitMs: number; readonly open: readonly string[] },
): BuildProblem | undefined {
  if (end.kind === 'late') {
    const where = open.length === 0 ? '' : ` while it downloaded ${open.join(', ')}`
    const offer = installer === 'pip' ? OFFER_UV : ''
    return buildProblem('INSTALL_STUCK', { installer, seconds: Math.round(limitMs / 1000), where, offer })
  }
  if (end.kind === 'missing') return buildProblem('INSTALL_FAILED', { installer, exitCode: 127, why: 'it vanished.' })
  if (end.exitCode === 0) return undefined
  const message = end.stderr.trim() || end.stdout.trim() || 'it printed nothing.'
  const why = message.split(/\r?\n/).slice(-SHOWN_LINES).join('\n')
  return buildProblem('INSTALL_FAILED', { installer, exitCode: end.exitCode, why })
}
