import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { startCommand, temporaryFolder } from '../e2e/support-cli.ts'
import { until } from './support.ts'

/** Creates a stand-in for the packaged application that records its arguments. */
function standIn(script: string, first = '') {
  const folder = temporaryFolder()
  const program = join(folder, 'drydock-desktop')
  const notes = join(folder, 'notes')
  writeFileSync(
    program,
    `#!/bin/sh\n${first}\nprintf '%s\\n' "$@" > '${notes}.new' && mv '${notes}.new' '${notes}'\n${script}\n`,
  )
  chmodSync(program, 0o755)
  // Nothing draws on the display. Root cannot use Electron's sandbox, so it is disabled.
  const env = { DRYDOCK_DESKTOP: program, DISPLAY: ':99', ELECTRON_DISABLE_SANDBOX: '1' }
  return { folder, env, notes: () => readFileSync(notes, 'utf8').trim().split('\n'), noted: () => existsSync(notes) }
}

const AS_IT_STARTS = join(import.meta.dirname, 'signal-as-it-starts.mjs')

describe('drydock start', () => {
  test('passes the data folder and port to the window, and exits with it', async () => {
    const { folder, env, notes } = standIn('exit 0', '[ -z "$CHROME_DESKTOP" ] || exit 1')
    const { exitCode, stdout } = await startCommand(['start', '--data', 'd', '--port', '0'], { cwd: folder, env }).ended
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    expect(notes()).toEqual(['--data', join(folder, 'd'), '--port', '0'])
  })

  test('says how to continue if the window fails', async () => {
    const { folder, env } = standIn('echo "a library is missing" >&2; exit 127')
    const { exitCode, stderr } = await startCommand(['start', '--data', 'd'], { cwd: folder, env }).ended
    expect(exitCode).toBe(1)
    expect(stderr).toContain('a library is missing')
    expect(stderr).toContain('it ended with 127')
    expect(stderr).toContain('start --no-window')
  })

  test('forwards a signal to the window', async () => {
    const { folder, env, noted } = standIn('while :; do sleep 0.05; done', 'trap "exit 0" TERM')
    const running = startCommand(['start', '--data', 'd'], { cwd: folder, env })
    await until(() => expect(noted()).toBe(true))
    running.child.kill('SIGTERM')
    expect((await running.ended).exitCode).toBe(0)
  })

  test('forwards a signal that arrives while the window starts', async () => {
    const { folder, env } = standIn('while :; do sleep 0.05; done', 'trap "exit 0" TERM')
    const options = { NODE_OPTIONS: `--import ${pathToFileURL(AS_IT_STARTS).href}` }
    const running = startCommand(['start', '--data', 'd'], {
      cwd: folder,
      // Otherwise the launcher would spawn a child process first.
      env: { ...env, ...options, DRYDOCK_RESTART: '0' },
    })
    expect((await running.ended).exitCode).toBe(0)
  })

  test.each(['', '--no-window'])(
    'without a window runs the service in the terminal, and gives the reason in one line (%s)',
    async (flag) => {
      const folder = temporaryFolder()
      const argv = ['start', '--data', 'd', '--port', '0', ...(flag === '' ? [] : [flag])]
      const running = startCommand(argv, { cwd: folder, env: { DISPLAY: '', WAYLAND_DISPLAY: '' } })
      const first = await running.nextLine()
      const line = flag === '' ? await running.nextLine() : first
      if (flag === '')
        expect(first).toMatch(/^No desktop window: .+\. Use the web pages in a browser instead; they are the same\.$/)
      expect(line).toBe('Drydock is up. Ctrl+C stops it.')
      running.child.kill('SIGTERM')
      expect((await running.ended).exitCode).toBe(0)
    },
  )
})
