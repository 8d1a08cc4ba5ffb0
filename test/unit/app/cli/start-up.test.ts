import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCommand, runsService } from '../../../../src-main/app/cli/arguments.mjs'

const MAIN = join(import.meta.dirname, '..', '..', '..', '..', 'src-main', 'app', 'cli', 'main.ts')

/** The files that a start of the command line loads, as the end of their paths. */
function filesOf(...argv: string[]): readonly string[] {
  const hook = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) { process.stderr.write('loads ' + url + '\\n'); return next(url, context) } })`
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`]
  const { stderr } = spawnSync(process.execPath, [...flags, MAIN, ...argv], { encoding: 'utf8' })
  return stderr.split('\n').flatMap((line) => /^loads .*\/((?:src-main|node_modules)\/.*)$/.exec(line)?.[1] ?? [])
}

const commandsIn = (files: readonly string[]) => files.filter((file) => file.startsWith('src-main/app/cli/commands/'))

describe('a start loads', () => {
  test('no command and no schema for the help', () => {
    const files = filesOf('--help')
    expect(files).toContain('src-main/app/cli/run-cli.ts')
    expect(commandsIn(files)).toEqual([])
    expect(files.filter((file) => file.includes('zod'))).toEqual([])
  })

  test('only the called command, also after options of the program', () => {
    expect(commandsIn(filesOf('--data', '/nowhere', 'open', '--help'))).toEqual(['src-main/app/cli/commands/open.ts'])
    expect(commandsIn(filesOf('help', 'open'))).toEqual(['src-main/app/cli/commands/open.ts'])
  })

  test('no schema where no service runs', () => {
    const files = filesOf('open', '--print', '--data', '/nowhere')
    expect(files.filter((file) => file.includes('zod'))).toEqual([])
  })
})

test.each([
  [['serve'], 'serve'],
  [['--data', 'start', 'serve', '--port', '0'], 'serve'],
  [['--data=start', '--json', 'run', 'serve'], 'run'],
  [['help', 'serve'], 'serve'],
  [['--url', 'http://127.0.0.1:1'], undefined],
])('the command of %j is %s', (argv, command) => {
  expect(readCommand(argv).command).toBe(command)
})

test.each([
  [['start', '--no-window'], true],
  [['--data', '/data', 'serve'], true],
  [['serve', '--help'], false],
  [['help', 'serve'], false],
  [['run', 'serve'], false],
])('%j runs a service: %s', (argv, runs) => {
  expect(runsService(argv)).toBe(runs)
})
