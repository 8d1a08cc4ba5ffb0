import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Clone, ended, printed } from './clone.ts'

const LAUNCHER = 'src-main/app/cli/drydock.mjs'
const SAY = `process.stdout.write(JSON.stringify([process.argv[1], process.argv.slice(2)]))\nprocess.exitCode = 5\n`
const WAIT = `setInterval(() => {}, 1000)\nprocess.stdout.write('ready')\n`

/** A clone that is installed; `tooOld` makes the launcher start the pinned Node in it. */
async function installed(main: string, node: 'new enough' | 'too old'): Promise<Clone> {
  const clone = new Clone(main)
  if (node === 'too old') clone.pretendNodeIsTooOld()
  await clone.setUp()
  return clone
}

test.each(['new enough', 'too old'] as const)('on a Node that is %s main.ts gets the arguments', async (node) => {
  const clone = await installed(SAY, node)
  const end = await ended(clone.start(LAUNCHER, ['run', '--input', '{"a": "b c"}', '']))
  expect(end).toEqual({
    code: 5,
    signal: null,
    stdout: JSON.stringify([join(clone.root, 'src-main/app/cli/main.ts'), ['run', '--input', '{"a": "b c"}', '']]),
    stderr: '',
  })
})

test('a link in a bin folder works, without a PATH', async () => {
  const clone = await installed(SAY, 'too old')
  mkdirSync(join(clone.root, 'bin'))
  symlinkSync(`../${LAUNCHER}`, join(clone.root, 'bin/drydock'))
  const end = await ended(clone.start('bin/drydock', [], { PATH: '' }))
  expect(end).toMatchObject({ code: 5, stderr: '' })
})

test('in a clean clone the set-up runs first and leaves stdout alone', async () => {
  const clone = new Clone(SAY)
  const { code, stdout, stderr } = await ended(clone.start(LAUNCHER))
  expect({ code, stdout }).toEqual({ code: 5, stdout: JSON.stringify([`${clone.root}/src-main/app/cli/main.ts`, []]) })
  expect(stderr).toContain('Installing the packages needed to start')
})

test('a set-up that fails ends the launcher with its exit code', async () => {
  const clone = new Clone(SAY)
  const { code, stdout } = await ended(clone.start(LAUNCHER, [], { FAKE_NPM: 'fail' }))
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s reaches the command, whose exit code counts',
  async (signal) => {
    const clone = await installed(
      `process.once('${signal}', (name) => { process.stdout.write(' ' + name); process.exit(9) })\n${WAIT}`,
      'too old',
    )
    const launcher = clone.start(LAUNCHER)
    const end = ended(launcher)
    await printed(launcher, 'stdout', 'ready')
    launcher.kill(signal)
    expect(await end).toEqual({ code: 9, signal: null, stdout: `ready ${signal}`, stderr: '' })
  },
)

test.each(['SIGTERM', 'SIGKILL'] as const)('a command that dies by %s lets the launcher die by it', async (signal) => {
  const clone = await installed(`process.kill(process.pid, '${signal}')\n${WAIT}`, 'too old')
  expect(await ended(clone.start(LAUNCHER))).toMatchObject({ code: null, signal })
})

test('the command knows the launcher and its stdin', async () => {
  const clone = await installed(
    `process.stdin.on('data', (text) => process.stdout.write(text + process.env.DRYDOCK_LAUNCHER_PID))\n`,
    'too old',
  )
  const launcher = spawn(process.execPath, [join(clone.root, LAUNCHER)], { stdio: ['pipe', 'pipe', 'pipe'] })
  const end = ended(launcher)
  launcher.stdin.end('from ')
  expect(await end).toMatchObject({ code: 0, stdout: `from ${launcher.pid}` })
})
