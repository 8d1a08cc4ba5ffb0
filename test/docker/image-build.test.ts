/** `drydock image build` on a real engine: what is sent, secrets, failures, git repositories, and Ctrl+C. */
import { execFile, execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { startCommand, temporaryFolder } from '../e2e/support-cli.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const DOCKER_HOST = 'why' in engine ? '' : engine.dockerHost
const SECRET = 'a-value-that-nobody-may-see-4f1c'

/** A folder with files, the command, and the docker command; images of the test vanish with it. */
function setup(files: Readonly<Record<string, string>>, variables: Readonly<Record<string, string>> = {}) {
  const cwd = temporaryFolder()
  const tag = `drydock-test-${randomUUID()}:1`
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const temporary = mkdtempSync(join(cwd, 'tmp-'))
  const env = { DOCKER_HOST, TMPDIR: temporary, ...variables }
  const docker = async (...argv: readonly string[]) =>
    (await promisify(execFile)('docker', argv, { env: { ...process.env, DOCKER_HOST, DOCKER_BUILDKIT: '0' } })).stdout
  onTestFinished(async () => void (await docker('image', 'rm', '--force', tag).catch(() => undefined)))
  const start = (...argv: readonly string[]) => startCommand(['image', 'build', ...argv, '--tag', tag], { cwd, env })
  return {
    cwd,
    tag,
    write,
    docker,
    start,
    build: (...argv: readonly string[]) => start(...argv).ended,
    inImage: (...argv: readonly string[]) => docker('run', '--rm', '--network', 'none', tag, ...argv),
    leftClones: () => readdirSync(temporary),
  }
}

const git = (folder: string, ...argv: readonly string[]) =>
  execFileSync(
    'git',
    ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'protocol.file.allow=always', ...argv],
    { cwd: folder, encoding: 'utf8' },
  ).trim()

function commitAll(folder: string): string {
  git(folder, 'init', '--quiet', '--initial-branch=main')
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--message=first')
  return git(folder, 'rev-parse', 'HEAD')
}

test('a secret is in the step that mounts it, and in no layer, history, output or process table', async () => {
  const { tag, write, start, docker, inImage } = setup(
    {
      // The pause is longer than BuildKit waits for a session that does not report its health.
      'w/Dockerfile': [
        'FROM busybox',
        'RUN sleep 3',
        'RUN --mount=type=secret,id=file --mount=type=secret,id=env cat /run/secrets/file | md5sum >/file; md5sum </run/secrets/env >/env',
        'RUN --mount=type=secret,id=env cat /run/secrets/env; sleep 1',
      ].join('\n'),
    },
    { TOKEN: SECRET },
  )
  write('secret.txt', SECRET)
  const running = start(
    'w',
    '--no-cache',
    '--secret',
    'id=file,src=secret.txt',
    '--secret',
    'id=env,env=TOKEN',
    '--json',
  )
  let looks = 0
  const looking = setInterval(() => {
    looks += 1
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(SECRET)
  }, 200)
  const { exitCode, stdout, stderr } = await running.ended.finally(() => clearInterval(looking))
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(looks).toBeGreaterThan(5)
  const sum = execFileSync('md5sum', { input: SECRET, encoding: 'utf8' })
  expect(await inImage('cat', '/file', '/env')).toBe(sum + sum)
  expect(stdout + stderr + (await docker('history', '--no-trunc', tag))).not.toContain(SECRET)
  const saved = execFileSync('docker', ['save', tag], {
    env: { ...process.env, DOCKER_HOST },
    maxBuffer: 64 * 1024 * 1024,
  })
  expect(saved.includes('md5sum')).toBe(true)
  expect(saved.includes(SECRET)).toBe(false)
})

test('a build argument that looks like a secret is warned of, and a failed step shows its last lines', async () => {
  const { build } = setup(
    {
      'w/Dockerfile':
        'FROM busybox\nARG API_KEY\nRUN --mount=type=secret,id=T echo one; cat /run/secrets/T; echo two; exit 7\n',
    },
    { T: SECRET },
  )
  const failed = await build('w', '--secret', 'id=T')
  expect(failed).toMatchObject({ exitCode: 1, stdout: '' })
  expect(failed.stderr).toMatch(
    / {2}one\n {2}\*\*\*two\ndrydock: The image was not built: step \[2\/2\] RUN .* failed: exit code 7\.\n/,
  )
  const other = setup({ 'w/Dockerfile': 'FROM busybox\nARG API_KEY\nRUN echo $API_KEY\n' })
  const { stderr, exitCode } = await other.build('w', '--build-arg', 'API_KEY=abcdef')
  expect(exitCode).toBe(0)
  expect(stderr).toContain('warning: The build argument API_KEY looks like a secret')
  expect(await other.docker('history', '--no-trunc', other.tag)).toContain('API_KEY=abcdef')
})

test('the image gets the files, modes and links that the docker command sends', async () => {
  const ignore = '*.log\n!keep.log\n**/cache\n/only-here\ndocs/*\n!docs/README*\n[b-d]x\na+b\n'
  const names = ['a.log', 'keep.log', 'x/cache/1', 'cache', 'only-here', 'x/only-here', 'docs/a', 'docs/README.md']
  const files = Object.fromEntries([...names, 'bx', 'ex', 'a+b', 'aab', 'run.sh'].map((name) => [`w/${name}`, name]))
  const { cwd, build, inImage, docker, tag } = setup({
    ...files,
    'w/Dockerfile': 'FROM busybox\nCOPY . /ctx\n',
    'w/.dockerignore': ignore,
  })
  chmodSync(join(cwd, 'w/run.sh'), 0o751)
  symlinkSync('run.sh', join(cwd, 'w/link'))
  const list = ['sh', '-c', 'cd /ctx; find . | sort | xargs stat -c "%n %A %u %g %s %N"']
  expect(await build('w')).toMatchObject({ exitCode: 0 })
  const ours = await inImage(...list)
  await docker('build', '--quiet', '--tag', tag, join(cwd, 'w'))
  expect(ours).toBe(await inImage(...list))
  expect(ours).toContain('./run.sh -rwxr-x--x')
  expect(ours).toContain('docs/README.md')
  expect(ours).not.toContain('a.log')
})

test('a stage, a platform, build arguments and a Dockerfile outside the folder are used', async () => {
  const { build, inImage } = setup(
    {
      'w/only': 'x',
      'other/My.Dockerfile':
        'FROM busybox AS first\nARG A=0 B=0\nCOPY . /ctx\nRUN echo "$A $B" >/args\nFROM first AS second\nRUN touch /second\n',
    },
    { B: 'from-environment' },
  )
  const options = ['-f', 'other/My.Dockerfile', '--target', 'first', '--platform', 'linux/amd64']
  const built = await build('w', ...options, '--build-arg', 'A=1', '--build-arg', 'B', '--json')
  expect(built).toMatchObject({ exitCode: 0 })
  expect(JSON.parse(built.stdout)).toMatchObject({ id: expect.stringMatching(/^sha256:/), context: { files: 2 } })
  expect(await inImage('cat', '/args')).toBe('1 from-environment\n')
  expect(await inImage('ls', '/ctx')).toBe('only\n')
  expect(await inImage('ls', '/')).not.toContain('second')
})

test('a git repository is cloned at its commit with its submodules, and the clone is removed', async () => {
  const dockerfile = 'FROM busybox\nCOPY . /ctx\n'
  const { cwd, write, build, inImage, leftClones } = setup({ 'lib/inner': 'inner', 'repo/Dockerfile': dockerfile })
  commitAll(join(cwd, 'lib'))
  const repo = join(cwd, 'repo')
  git(repo, 'init', '--quiet', '--initial-branch=main')
  git(repo, 'submodule', '--quiet', 'add', '../lib', 'lib')
  write('repo/part/Dockerfile', dockerfile)
  write('repo/part/name', 'part')
  const commit = commitAll(repo)
  git(repo, 'tag', 'v1')
  write('repo/later', 'uncommitted')
  const whole = await build(`file://${repo}`, '--json')
  expect(JSON.parse(whole.stdout)).toMatchObject({ commit })
  expect(await inImage('find', '/ctx', '-type', 'f')).not.toMatch(/later|\.git\//)
  expect(await inImage('cat', '/ctx/lib/inner')).toBe('inner')
  expect(await build('repo#v1:part')).toMatchObject({ exitCode: 0 })
  expect(await inImage('ls', '/ctx')).toBe('Dockerfile\nname\n')
  expect((await build(`repo#${commit}`)).exitCode).toBe(0)
  const missing = await build('repo#missing')
  expect(missing).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("couldn't find remote ref missing") })
  expect(leftClones()).toEqual([])
})

test('a repository leads neither out of its clone nor to other programs', async () => {
  const { cwd, build, leftClones, write } = setup({ 'repo/Dockerfile': 'FROM busybox\n' })
  symlinkSync('/etc', join(cwd, 'repo/out'))
  commitAll(join(cwd, 'repo'))
  expect(await build('repo#:out')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('out is a link to a path outside the repository'),
  })
  for (const address of ['ext::sh -c touch% owned', 'repo#--upload-pack=touch owned', 'https://a:b@127.0.0.1:1/x'])
    expect((await build(address)).exitCode).toBe(2)
  write(
    'repo/.gitmodules',
    '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% owned\n[submodule "y"]\n\tpath = y\n\turl = -u./owned\n',
  )
  git(join(cwd, 'repo'), 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},x`)
  git(join(cwd, 'repo'), 'add', '.gitmodules')
  git(join(cwd, 'repo'), 'commit', '--quiet', '--message=hostile')
  expect(await build('repo#main')).toMatchObject({ exitCode: 1 })
  expect(readdirSync(cwd)).not.toContain('owned')
  expect(leftClones()).toEqual([])
})

test('Ctrl+C ends the build at once and removes the clone', async () => {
  const { cwd, start, leftClones } = setup({ 'repo/Dockerfile': `FROM busybox\nRUN echo ${randomUUID()}; sleep 600\n` })
  commitAll(join(cwd, 'repo'))
  const { child, ended } = start('repo#main')
  let told = ''
  child.stderr?.on('data', (text) => {
    told += text
  })
  await until(() => expect(told).toContain('[2/2] RUN'))
  expect(leftClones()).toHaveLength(1)
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('The build was stopped by SIGINT') })
  expect(leftClones()).toEqual([])
})

test('the classic builder builds images, and refuses secrets with the reason', async () => {
  const files = { 'w/Dockerfile': 'FROM busybox\nARG A\nCOPY a /a\nRUN echo $A; [ "$A" = ok ]\n', 'w/a': 'a' }
  const { build, inImage } = setup(files, { DOCKER_BUILDKIT: '0' })
  expect(await build('w', '--build-arg', 'A=ok')).toMatchObject({ exitCode: 0 })
  expect(await inImage('cat', '/a')).toBe('a')
  expect((await build('w', '--build-arg', 'A=no')).stderr).toMatch(
    / {2}no\ndrydock: .* step \[4\/4\] RUN echo .* failed: exit code 1\.\n/,
  )
  const refused = await build('w', '--secret', 'id=x,src=w/a')
  expect(refused).toMatchObject({ exitCode: 1 })
  expect(refused.stderr).toContain('secret x, which only BuildKit can mount, and DOCKER_BUILDKIT is 0')
})

test('a large file is sent to the engine whole', async () => {
  const { cwd, build, inImage } = setup({ 'w/Dockerfile': 'FROM busybox\nCOPY large /large\n' })
  execFileSync('dd', ['if=/dev/urandom', `of=${join(cwd, 'w/large')}`, 'bs=1M', 'count=64'], { stdio: 'ignore' })
  const built = await build('w', '--json')
  expect(built).toMatchObject({ exitCode: 0 })
  expect(JSON.parse(built.stdout).context).toEqual({ files: 2, bytes: 64 * 1024 * 1024 + 31 })
  expect((await inImage('stat', '-c', '%s', '/large')).trim()).toBe(String(64 * 1024 * 1024))
})
