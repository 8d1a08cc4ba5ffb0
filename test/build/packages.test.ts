import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { manifest } from '../../src-main/contract/manifest.ts'
import { prepareUv } from '../sdk/support-python.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { processesMarked } from '../support/process-table.ts'
import { until } from '../support/served-service.ts'
import { makeWheels, type WheelContent } from '../support/wheels.ts'
import { appWith, archiveTexts, leftIn, PYTHON, problemsOf, programs, setup as setupBuild } from './support.ts'

// If uv cannot be installed, all tests use pip.
const uv = await prepareUv()
const WITH_UV = uv.ready ? `${join(uv.folder, 'bin')}:${process.env.PATH}` : process.env.PATH
const setup = (options: Parameters<typeof setupBuild>[0] = {}) =>
  setupBuild({ ...options, env: { PATH: WITH_UV ?? '', ...options.env } })

/** The environment of a build that finds only pip. */
const withPip = () => ({ PATH: `${programs(setup().root, { uv: 'exit 1' })}:${process.env.PATH}` })

const TINY = {
  name: 'tiny',
  files: { 'tiny/__init__.py': 'def main():\n    return 1\n', 'tiny/data.txt': 'x' },
  script: 'tiny',
} satisfies WheelContent
const inSets = (project: string, path: string) =>
  leftIn(project).packages.map((key) => join(project, '.svc', 'packages', key, 'site', path))

test.for([
  ['uv', () => ({})],
  ['pip', withPip],
] as const)(
  'packages are installed by %s flat at the root, once, and a change of code installs nothing',
  async ([name, env], { skip }) => {
    if (name === 'uv' && !uv.ready) skip(uv.reason)
    const { build, artifact, write, events, project } = setup({
      files: appWith('tiny>=1'),
      wheels: [TINY],
      env: env(),
    })
    const first = await build()
    expect(first).toMatchObject({ packages: [{ name: 'tiny', version: '1.0' }], packagesCached: false })
    expect(events).toContainEqual({ kind: 'progress', step: 'install', text: expect.stringContaining('tiny') })
    const texts = archiveTexts(artifact)
    expect(texts).toMatchObject({ 'tiny/data.txt': 'x', 'requirements.txt': 'tiny>=1\n' })
    expect(texts['bin/tiny']?.split('\n')[0]).toBe('#!/usr/bin/env python3')
    expect(Object.keys(texts).filter((name) => name.includes('__pycache__'))).toEqual([])

    events.length = 0
    const second = await build()
    expect(second).toMatchObject({ packagesCached: true, sha256: first.sha256 })
    expect(events.filter(({ kind }) => kind === 'progress')).toEqual([])

    write({ 'more.py': 'x = 1\n' })
    const third = await build()
    expect(third.packagesCached).toBe(true)
    expect([third.sha256, third.fingerprint]).not.toEqual([second.sha256, second.fingerprint])
    expect(leftIn(project).packages).toHaveLength(1)
  },
)

test('a new installation of the same packages gives the same bytes', async () => {
  const { build, project } = setup({ files: appWith('tiny'), wheels: [TINY] })
  const first = await build()
  rmSync(join(project, '.svc'), { recursive: true })
  expect(await build()).toMatchObject({ packagesCached: false, sha256: first.sha256 })
})

test('an excluded package goes by its own record, whatever its modules are called', async () => {
  const wheels: WheelContent[] = [
    { name: 'app-kit', needs: ['Fake_Pillow'], files: { 'app_kit.py': '', 'shared/kit.py': '' } },
    {
      name: 'fake-pillow',
      needs: ['fake-libs'],
      files: { 'FAKEPIL/__init__.py': '', 'FAKEPIL/deep/a.py': '', 'fakelibs/x.so': 'x', 'shared/pil.py': '' },
    },
    { name: 'fake-libs', files: { 'only_for_pil.py': '' } },
  ]
  // uv would not even fetch it.
  const { build, artifact } = setup({ files: appWith('app-kit'), wheels, env: withPip() })
  const result = await build({ excludes: ['fake_pillow'] })
  expect(result.packages.map(({ name }) => name)).toEqual(['app-kit'])
  expect(result.excluded).toEqual(['fake-libs', 'fake-pillow'])
  const names = Object.keys(archiveTexts(artifact))
  expect(names).toEqual(expect.arrayContaining(['app_kit.py', 'shared/kit.py']))
  expect(names.filter((name) => /pil|fake/i.test(name))).toEqual([])
})

test('other excludes are another set, and only the last three sets stay', async () => {
  const { build, project } = setup({ files: appWith('tiny'), wheels: [TINY] })
  await build()
  for (const name of ['a', 'b', 'c', 'd'])
    expect(await build({ excludes: [name] })).toMatchObject({ packagesCached: false })
  expect(leftIn(project).packages).toHaveLength(3)
  expect(await build({ excludes: ['d'] })).toMatchObject({ packagesCached: true })
})

test('where the app and a package have the same file the app counts', async () => {
  const files = { ...appWith('tiny'), 'tiny/data.txt': 'mine' }
  const { build, artifact } = setup({ files, wheels: [TINY] })
  await build()
  const texts = archiveTexts(artifact)
  expect([texts['tiny/data.txt'], texts['tiny/__init__.py']]).toEqual(['mine', TINY.files['tiny/__init__.py']])
})

test('an index named in requirements.txt is used, its path meant from that file', async () => {
  const { build, project, root } = setup({
    files: { ...appWith(), 'requirements.txt': '--find-links ../other\ntiny\n' },
    env: { PIP_FIND_LINKS: '', UV_FIND_LINKS: '' },
  })
  mkdirSync(join(root, 'other'))
  makeWheels(join(root, 'other'), [TINY])
  expect((await build()).packages).toMatchObject([{ name: 'tiny' }])
  expect(inSets(project, 'tiny/__init__.py').map((path) => existsSync(path))).toEqual([true])
})

const NATIVE = 'markupsafe'

/** Asks pip for one wheel from where this machine gets its packages. @returns why it gave none */
function whyUnreachable(root: string): string | undefined {
  const quick = ['--retries', '0', '--timeout', '10', '--disable-pip-version-check']
  const wanted = ['--no-deps', '--only-binary=:all:', '--dest', join(root, 'asked'), NATIVE]
  const { status, stderr, error } = spawnSync('python3', ['-m', 'pip', 'download', ...quick, ...wanted], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  })
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split('\n').at(-1))
}

/** Wheels with native code, as an index has them: one for each Python. */
const NATIVE_WHEELS: readonly WheelContent[] = ['311', '312'].map((python) => ({
  name: NATIVE,
  version: '3.0.0',
  tag: `cp${python}-cp${python}-manylinux_2_17_x86_64`,
  files: { 'markupsafe/__init__.py': '', [`markupsafe/_speedups.cpython-${python}-x86_64-linux-gnu.so`]: 'x' },
}))

test('a wheel with native code is the one for the Python of the app and is installed once', async () => {
  const unreachable = whyUnreachable(setup().root)
  if (unreachable !== undefined) process.stdout.write(`no package index, a folder of wheels instead: ${unreachable}\n`)
  const { build, artifact, write } = setup({
    files: appWith(`${NATIVE}~=3.0`),
    ...(unreachable === undefined ? { machineIndex: true } : { wheels: NATIVE_WHEELS }),
  })
  const first = await build({ pythonVersion: '3.12' })
  expect(first).toMatchObject({ pythonVersion: '3.12', packagesCached: false, packages: [{ name: NATIVE }] })
  const native = Object.keys(archiveTexts(artifact)).filter((name) => name.endsWith('.so'))
  expect(native).toEqual(['markupsafe/_speedups.cpython-312-x86_64-linux-gnu.so'])
  write({ 'more.py': 'x = 1\n' })
  const second = await build({ pythonVersion: '3.12' })
  expect(second).toMatchObject({ packagesCached: true, packages: first.packages })
  expect(Object.keys(archiveTexts(artifact))).toEqual(expect.arrayContaining(['more.py', ...native]))
})

test('a package of the image is in the manifest and not in the artifact, also when only a package needs it', async () => {
  const wheels = [{ name: 'frames', needs: ['numpy>=1.26', 'torch; extra == "gpu"'], files: { 'frames.py': '' } }]
  const numpy = { name: 'numpy', version: '1.26.4', files: { 'numpy.py': '' } }
  const { build, artifact } = setup({
    files: appWith('frames', 'Torch~=2.1', 'tiny'),
    wheels: [...wheels, numpy, TINY],
  })
  for (const packagesCached of [false, true]) {
    expect(await build({ excludes: ['tiny'] })).toMatchObject({ packagesCached, packages: [{ name: 'frames' }] })
    const packed = manifest.parse(JSON.parse(archiveTexts(artifact)['svc_manifest.json'] ?? ''))
    expect(packed.image_requirements).toEqual(['numpy>=1.26', 'tiny', 'torch~=2.1'])
  }
})

test('without packages no installer is looked for', async () => {
  const { root } = setup()
  const noInstaller = programs(root, { python3: `exec ${PYTHON} "$@"` })
  const { build } = setup({ env: { PATH: noInstaller } })
  expect(await build()).toMatchObject({ packages: [], packagesCached: false })
})

test('a missing installer is reported with the packages that need one', async () => {
  const { root } = setup()
  const python3 = `case "$*" in *pip*) exit 1;; esac\nexec ${PYTHON} "$@"`
  const { build, project } = setup({ files: appWith('tiny'), env: { PATH: programs(root, { python3 }) } })
  expect(await problemsOf(build())).toEqual([
    {
      code: 'INSTALLER_MISSING',
      message:
        'The app needs packages (tiny), but neither uv nor pip was found. Install uv (https://docs.astral.sh/uv), or pip with `python3 -m ensurepip`.',
    },
  ])
  expect(leftIn(project)).toEqual({ state: [], packages: [] })
})

const HALF_DONE = `
[ "$1" = --version ] && exit 0
while [ "$1" != --target ]; do shift; done
echo half > "$2/half.py"
echo "Collecting tiny"`

test('an installer that fails in the middle leaves nothing half written, and the artifact before stays', async () => {
  const { root } = setup()
  const uv = `${HALF_DONE}\necho "error: the connection broke" >&2\nexit 2`
  const { build, project, artifact, write } = setup({
    env: { PATH: `${programs(root, { uv })}:${process.env.PATH}` },
  })
  await build()
  const before = readFileSync(artifact)
  write(appWith('tiny'))
  expect(await problemsOf(build())).toEqual([
    {
      code: 'INSTALL_FAILED',
      message: 'The packages could not be installed with uv (exit code 2):\nerror: the connection broke',
    },
  ])
  expect(leftIn(project)).toEqual({ state: ['artifact.tar.gz', 'packages', 'svc_manifest.json'], packages: [] })
  expect(readFileSync(artifact).equals(before)).toBe(true)
})

const INSTALL_LIMIT_MS = 600_000

test('an installer without progress is ended with all that it started, and the package it was at is named', async () => {
  const { root } = setup()
  const mark = `DRYDOCK_TEST_MARK=${randomUUID()}`
  const uv = `${HALF_DONE}\nexport ${mark}\necho 'Downloading torch (864.9MiB)'\necho 'Downloading tiny (2.0MiB)'\necho ' Downloaded tiny'\nsleep 600 &\nsleep 600`
  const { build, project, events } = setup({
    files: appWith('tiny'),
    env: { PATH: `${programs(root, { uv })}:${process.env.PATH}` },
    installLimitMs: INSTALL_LIMIT_MS,
  })
  // The limit counts from when all have started, however long that takes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const failed = problemsOf(build())
  await until(() => expect(events.at(-1)).toMatchObject({ kind: 'progress' }))
  await until(() => expect(processesMarked(mark)).toHaveLength(2))
  vi.advanceTimersByTime(2 * INSTALL_LIMIT_MS)
  expect(await failed).toEqual([
    {
      code: 'INSTALL_STUCK',
      message:
        'uv made no progress for 600 s while it downloaded torch (864.9MiB). Nothing was changed. Check the network and try again.',
    },
  ])
  expect(leftIn(project).packages).toEqual([])
  await until(() => expect(processesMarked(mark)).toEqual([]))
})

test('an installer that only writes is left alone, however long; where it is pip, uv is offered', async () => {
  const { root } = setup()
  const written = join(root, 'written')
  const stop = join(root, 'stop')
  const version = execFileSync(PYTHON, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], {
    encoding: 'utf8',
  }).trim()
  const pip = `case "$*" in *"import pip"*) echo "${version}"; exit 0;; esac
echo "  Downloading torch-2.5.1-cp311-none-any.whl (906.4 MB)"
while [ ! -e ${stop} ]; do echo x >>${written}; sleep 0.05; done
: >${stop}ped
sleep 600`
  const { build, events } = setup({
    files: appWith('tiny'),
    env: { PATH: `${programs(root, { uv: 'exit 1', [`python${version}`]: pip })}:${process.env.PATH}` },
    installLimitMs: INSTALL_LIMIT_MS,
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const failed = problemsOf(build({ pythonVersion: version }))
  await until(() => expect(events.at(-1)).toMatchObject({ kind: 'progress' }))
  for (let looks = 0; looks < 50; looks++) {
    const before = statSync(written, { throwIfNoEntry: false })?.size ?? 0
    await until(() => expect(statSync(written).size).toBeGreaterThan(before))
    vi.advanceTimersByTime(INSTALL_LIMIT_MS / 20)
  }
  writeFileSync(stop, '')
  await until(() => expect(existsSync(`${stop}ped`)).toBe(true))
  vi.advanceTimersByTime(2 * INSTALL_LIMIT_MS)
  const [problem] = await failed
  expect(problem).toMatchObject({ code: 'INSTALL_STUCK' })
  expect(problem?.message).toMatch(
    /^pip made no progress for 600 s while it downloaded torch \(906\.4 MB\)\. .*uv.*docs\.astral\.sh/,
  )
})

test('a build that is stopped while it installs leaves nothing', async () => {
  const { root } = setup()
  const stop = new AbortController()
  const uv = `${HALF_DONE}\nsleep 600`
  const { build, project, events } = setup({
    files: appWith('tiny'),
    env: { PATH: `${programs(root, { uv })}:${process.env.PATH}` },
  })
  events.push = (event) => {
    if (event.kind === 'progress') stop.abort(new Error('stopped'))
    return 0
  }
  await expect(build({}, stop.signal)).rejects.toThrow('stopped')
  expect(leftIn(project)).toEqual({ state: ['packages'], packages: [] })
})

test('a package that does not exist fails with the words of the installer', async () => {
  const { build } = setup({ files: appWith('not-there-at-all') })
  const [problem] = await problemsOf(build())
  expect(problem).toMatchObject({ code: 'INSTALL_FAILED', message: expect.stringContaining('not-there-at-all') })
})
