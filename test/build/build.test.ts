import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BUILD_STEPS } from '../../src-main/contract/build.ts'
import { manifest } from '../../src-main/contract/manifest.ts'
import { appWith, archiveTexts, leftIn, problemsOf, programs, setup } from './support.ts'

test('the artifact holds the project, handlers, manifest, requirements and our packages, in a fixed order', async () => {
  const files = { ...appWith(), 'data/words.txt': 'a b', 'empty.txt': '', 'tests/test_a.py': '', '.env': 'SECRET=1' }
  const { build, artifact, project, events } = setup({ files })
  const result = await build()
  const texts = archiveTexts(artifact)
  const names = Object.keys(texts)
  expect(names).toEqual([...names].sort())
  expect(names.filter((name) => !/^(svc|runpod_flash)\//.test(name))).toEqual([
    'data/words.txt',
    'empty.txt',
    'handler_greet.py',
    'requirements.txt',
    'svc_manifest.json',
    'worker.py',
  ])
  expect(names).toEqual(expect.arrayContaining(['svc/__init__.py', 'runpod_flash/__init__.py']))
  expect(texts).toMatchObject({ 'data/words.txt': 'a b', 'empty.txt': '', 'requirements.txt': '' })
  expect(texts['handler_greet.py']).toContain("queue_function('worker', 'greet', endpoint='greet')")
  const packed = manifest.parse(JSON.parse(texts['svc_manifest.json'] ?? ''))
  expect(packed).toMatchObject({ app: 'demo', source_fingerprint: result.fingerprint })
  const beside = manifest.parse(JSON.parse(readFileSync(result.manifest, 'utf8')))
  expect({ ...beside, generated_at: '' }).toEqual({ ...packed, generated_at: '' })
  expect(Math.abs(Date.parse(beside.generated_at) - Date.now())).toBeLessThan(60_000)
  expect(result).toMatchObject({
    files: names.length,
    bytes: readFileSync(artifact).length,
    sha256: createHash('sha256').update(readFileSync(artifact)).digest('hex'),
    endpoints: [{ name: 'greet', kind: 'queue', code: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  })
  expect(events.filter(({ kind }) => kind === 'ended').map(({ step }) => step)).toEqual(BUILD_STEPS)
  expect(leftIn(project).state).toEqual(['artifact.tar.gz', 'svc_manifest.json'])
})

test('the same input gives the same bytes, in another folder and at another time too', async () => {
  const files = { ...appWith(), 'a.txt': 'a' }
  const first = setup({ files })
  const second = setup({ files: Object.fromEntries(Object.entries(files).reverse()) })
  const results = [await first.build(), await first.build(), await second.build()]
  expect(new Set(results.map(({ sha256 }) => sha256)).size).toBe(1)
})

test('each endpoint has a fingerprint that changes with the files that it may load, and with data', async () => {
  const endpoint = (name: string, body: string) =>
    `from svc import Endpoint\n\n\n@Endpoint(name="${name}", cpu="cpu3c-1-2")\ndef ${name}():\n    ${body}\n`
  const { build, write, artifact } = setup({
    files: {
      'greet.py': endpoint('greet', 'from words import hello\n    return hello()'),
      'words.py': 'def hello():\n    return "hello"\n',
      'count.py': endpoint('count', 'return 1'),
      'data.txt': 'a',
    },
  })
  const fingerprints = async () => {
    await build()
    const { resources } = manifest.parse(JSON.parse(archiveTexts(artifact)['svc_manifest.json'] ?? ''))
    return { greet: resources.greet?.fingerprint, count: resources.count?.fingerprint }
  }
  const first = await fingerprints()
  expect(first).toEqual({
    greet: expect.stringMatching(/^[0-9a-f]{64}$/),
    count: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  write({ 'words.py': 'def hello():\n    return "good day"\n', '.gitignore': '.svc/\n*.log\n' })
  const second = await fingerprints()
  expect(second.greet).not.toBe(first.greet)
  expect(second.count).toBe(first.count)
  write({ 'data.txt': 'b' })
  const third = await fingerprints()
  expect(third.greet).not.toBe(second.greet)
  expect(third.count).not.toBe(second.count)
})

test('.runpodignore applies, and credentials stay out of the artifact and are named once', async () => {
  const credentials = ['.aws/credentials', '.git-credentials', '.netrc', '.npmrc', '.ssh/id_ed25519', 'server.pem']
  const others = ['secrets/k.txt', 'a.bin', 'keep.bin']
  const empty = Object.fromEntries([...credentials, ...others].map((file) => [file, 'x']))
  const ignored = 'secrets/\n*.bin\n!keep.bin\n!.netrc\n'
  const { build, artifact } = setup({ files: { ...appWith(), ...empty, '.runpodignore': ignored } })
  const { warnings } = await build()
  expect(Object.keys(archiveTexts(artifact)).filter((name) => !/^(svc|runpod_flash)\//.test(name))).toEqual([
    'handler_greet.py',
    'keep.bin',
    'requirements.txt',
    'svc_manifest.json',
    'worker.py',
  ])
  expect(warnings).toMatchObject([{ code: 'credentials-left-out', message: expect.stringContaining('credentials: ') }])
  expect(warnings[0]?.message).toContain(`: ${credentials.join(', ')}. `)
})

test('a link that leads out of the project is refused, unless its folder is allowed', async () => {
  const { build, artifact, project, root } = setup()
  mkdirSync(join(root, 'shared'))
  writeFileSync(join(root, 'shared', 'weights.json'), 'weights')
  symlinkSync('../shared/weights.json', join(project, 'weights.json'))
  const [problem] = await problemsOf(build())
  expect(problem).toMatchObject({ code: 'link-leads-out', file: 'weights.json' })
  expect(problem?.message).toContain(join(root, 'shared', 'weights.json'))
  expect(problem?.message).toContain(`--allow-links-to ${join(root, 'shared')}`)
  await build({ allowLinksTo: [join(root, 'shared')] })
  expect(archiveTexts(artifact)['weights.json']).toBe('weights')
})

test('an artifact inside of the project is no part of the next one', async () => {
  const { build, project } = setup()
  const output = join(project, 'app.tar.gz')
  const results = [1, 2].map(() => () => build({ output, outputInProject: 'app.tar.gz' }))
  const [first, second] = [await results[0]?.(), await results[1]?.()]
  expect(second).toEqual({ ...first, steps: expect.anything(), tookMs: expect.any(Number) })
})

test('--keep-build leaves what was generated, and the next build removes it', async () => {
  const { build, project } = setup()
  await build({ keepBuild: true })
  expect(existsSync(join(project, '.svc/build/handlers/handler_greet.py'))).toBe(true)
  expect(readFileSync(join(project, '.svc/build/svc_manifest.json'), 'utf8')).toContain('"greet"')
  await build()
  expect(leftIn(project).state).toEqual(['artifact.tar.gz', 'svc_manifest.json'])
})

test('.svc/ is added to .gitignore once, after what is there', async () => {
  const { build, project, write } = setup({ files: { ...appWith(), '.gitignore': '*.log' } })
  await build()
  await build()
  const ignored = () => readFileSync(join(project, '.gitignore'), 'utf8')
  expect(ignored()).toBe('*.log\n.svc/\n')
  write({ '.gitignore': '/.svc\n' })
  await build()
  expect(ignored()).toBe('/.svc\n')
})

test('all problems of the source come with their places, and nothing is built', async () => {
  const source =
    'from svc import Endpoint\n\n\n@Endpoint(name="a", gpu="NOPE")\ndef a(): ...\n\n\n@Endpoint\ndef b(): ...\n'
  const { build, project } = setup({ files: { 'worker.py': source } })
  const problems = await problemsOf(build())
  expect(problems.map(({ file, line }) => `${file}:${line}`)).toEqual(['worker.py:4', 'worker.py:8'])
  expect(readdirSync(project)).toEqual(['worker.py'])
})

test('an app without endpoints is rejected with the reason', async () => {
  const { build } = setup({ files: { 'worker.py': 'x = 1\n' } })
  expect(await problemsOf(build())).toMatchObject([{ code: 'nothing-decorated' }])
})

test('an archive over the limit names the way out and leaves nothing', async () => {
  const noise = createHash('shake256', { outputLength: 300_000 }).update('x').digest('hex')
  const { build, project } = setup({ files: { ...appWith(), 'large.txt': noise }, limitBytes: 100_000 })
  const problems = await problemsOf(build())
  expect(problems).toMatchObject([{ code: 'ARCHIVE_TOO_LARGE', message: expect.stringContaining('large.txt') }])
  expect(leftIn(project).state).toEqual([])
})

test('an archive over the limit because of its packages names the line that would fix it', async () => {
  const noise = createHash('shake256', { outputLength: 300_000 }).update('y').digest('hex')
  const wheels = [
    { name: 'heavy', files: { 'heavy.py': noise } },
    { name: 'light', files: { 'light.py': '' } },
  ]
  const { build, project } = setup({ files: appWith('heavy', 'light'), wheels, limitBytes: 200_000 })
  const [problem] = await problemsOf(build())
  expect(problem?.message).toContain('drydock build --exclude heavy')
  expect(problem?.message).toMatch(/0\.\d MiB {2}heavy 1\.0\n/)
  expect(leftIn(project).state).toEqual(['packages'])
  expect(await build({ excludes: ['heavy'] })).toMatchObject({ excluded: ['heavy'] })
})

test('the limit itself is allowed', async () => {
  const { bytes } = await setup().build()
  await setup({ limitBytes: bytes }).build()
  expect(await problemsOf(setup({ limitBytes: bytes - 1 }).build())).toMatchObject([{ code: 'ARCHIVE_TOO_LARGE' }])
})

test('without python3 the build says what to install', async () => {
  const { root } = setup()
  const { build } = setup({ env: { PATH: programs(root, {}) } })
  expect(await problemsOf(build())).toMatchObject([{ code: 'PYTHON_MISSING' }])
})

test('a file that no longer exists is reported by name', async () => {
  const { build, project } = setup()
  symlinkSync('/proc/self/mem', join(project, 'strange.bin'))
  expect(await problemsOf(build({ allowLinksTo: ['/proc'] }))).toMatchObject([
    { code: 'FILE_UNREADABLE', file: 'strange.bin' },
  ])
})

test('the Python version of the user counts, and endpoints that disagree are named', async () => {
  const { build } = setup()
  expect((await build({ pythonVersion: '3.13' })).pythonVersion).toBe('3.13')
  expect(await problemsOf(build({ pythonVersion: '3.9' }))).toMatchObject([{ code: 'PYTHON_UNSUPPORTED' }])
})
