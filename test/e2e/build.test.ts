import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { processesMarked } from '../support/process-table.ts'
import { until } from '../support/served-service.ts'
import { startCommand, temporaryFolder } from './support-cli.ts'

/** A folder, and a function that runs a command in one of its folders. */
function setup() {
  const folder = temporaryFolder()
  const run = async (argv: readonly string[], { cwd = folder, env = {} } = {}) => {
    const { exitCode, stdout, stderr } = await startCommand(argv, { cwd, env }).ended
    return { exitCode, stdout, stderr, json: () => JSON.parse(stdout) }
  }
  return { folder, run }
}

test('an app of init builds at once, and twice to the same bytes', async () => {
  const { folder, run } = setup()
  const made = await run(['init', 'demo'])
  expect(made).toMatchObject({ exitCode: 0, stderr: '' })
  const cwd = join(folder, 'demo')
  const first = await run(['build'], { cwd })
  expect(first).toMatchObject({ exitCode: 0, stderr: 'install ...\n' })
  for (const step of ['scan', 'handlers', 'requirements', 'install', 'manifest', 'pack']) {
    expect(first.stdout).toMatch(new RegExp(`^✓ ${step} +[\\d.]+ m?s  `, 'm'))
  }
  expect(first.stdout).toContain('Built demo')
  const archive = readFileSync(join(cwd, '.svc', 'artifact.tar.gz'))
  const second = await run(['build', '--json'], { cwd })
  expect(second).toMatchObject({ exitCode: 0, stderr: '' })
  expect(second.json().endpoints.map(({ name, kind }: { name: string; kind: string }) => `${kind} ${name}`)).toEqual([
    'queue text-stats',
    'queue greet',
    'load-balanced api',
    'queue welcome',
    'queue countdown',
  ])
  expect(readFileSync(second.json().artifact).equals(archive)).toBe(true)
})

test('a packed app runs: handlers find their functions, with nothing but the artifact', async () => {
  const { folder, run } = setup()
  await run(['init', 'demo'])
  const output = join(folder, 'app.tar.gz')
  await run(['build', '--output', output], { cwd: join(folder, 'demo') })
  const unpacked = join(folder, 'worker')
  mkdirSync(unpacked)
  execFileSync('tar', ['-xzf', output, '-C', unpacked])
  const answer = (code: string) =>
    JSON.parse(
      execFileSync('python3', ['-c', `import json\n${code}`], {
        cwd: unpacked,
        env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' },
        encoding: 'utf8',
      }),
    )
  const call = (file: string, input: object) =>
    `import importlib; h = importlib.import_module(${JSON.stringify(file)}).handler\nr = h(json.loads('''${JSON.stringify({ id: '1', input })}'''))\n`
  expect(answer(`${call('handler_greet', { name: 'Ada' })}print(json.dumps(r))`)).toEqual({ greeting: 'Hello, Ada!' })
  expect(answer(`${call('handler_countdown', { start: 1 })}print(json.dumps(list(r)))`)).toEqual([
    { number: 1 },
    { number: 0 },
  ])
  expect(
    answer(`${call('handler_text-stats', { method: 'longest', text: 'a bb cccc ddd e' })}print(json.dumps(r))`),
  ).toEqual(['cccc', 'ddd', 'bb'])
})

test('problems are lines that an editor can follow, all of them; with --json one document', async () => {
  const { folder, run } = setup()
  writeFileSync(
    join(folder, 'worker.py'),
    'from svc import Endpoint\n\n\n@Endpoint(name="a", workers=-1)\ndef a(): ...\n\n\n@Endpoint\ndef b(): ...\n',
  )
  const { exitCode, stdout, stderr } = await run(['build'])
  expect(exitCode).toBe(1)
  expect(stdout).not.toContain('Built')
  expect(stderr.split('\n')).toEqual([
    expect.stringMatching(/^worker\.py:4: workers of endpoint "a" is -1; it takes/),
    expect.stringMatching(/^worker\.py:8: @Endpoint needs a call/),
    'drydock: Nothing was built: there are 2 problems.',
    '',
  ])
  const json = await run(['build', '--json'])
  expect(json).toMatchObject({ exitCode: 1, stdout: '' })
  expect(JSON.parse(json.stderr)).toMatchObject({
    code: 'BUILD_FAILED',
    problems: [
      { file: 'worker.py', line: 4 },
      { file: 'worker.py', line: 8 },
    ],
  })
  expect(readdirSync(folder)).toEqual(['worker.py'])
})

test('Ctrl+C while packages are installed ends the installer and leaves nothing', async () => {
  const { folder } = setup()
  const mark = `DRYDOCK_TEST_MARK=${randomUUID()}`
  mkdirSync(join(folder, 'bin'))
  writeFileSync(
    join(folder, 'bin', 'uv'),
    `#!/bin/sh\n[ "$1" = --version ] && exit 0\nexport ${mark}\nsleep 600 &\nsleep 600\n`,
    { mode: 0o755 },
  )
  const cwd = join(folder, 'app')
  mkdirSync(cwd)
  const source = 'from svc import Endpoint\n\n\n@Endpoint(name="a", dependencies=["idna"])\ndef a(): ...\n'
  writeFileSync(join(cwd, 'worker.py'), source)
  const { child, ended } = startCommand(['build'], {
    cwd,
    env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
  })
  await until(() => expect(processesMarked(mark)).toHaveLength(2))
  child.kill('SIGINT')
  const { exitCode, stderr } = await ended
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'install ...\ndrydock: The build was stopped by SIGINT. Nothing was built.\n',
  })
  await until(() => expect(processesMarked(mark)).toEqual([]))
  expect(readdirSync(join(cwd, '.svc'))).toEqual(['packages'])
  expect(readdirSync(join(cwd, '.svc', 'packages'))).toEqual([])
})
