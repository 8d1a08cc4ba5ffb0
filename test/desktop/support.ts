/**
 * The built desktop in a real Electron, as an ordinary user with the sandbox on, on a screen of its own with a window
 * manager, a session bus and notifications.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { _electron, type ElectronApplication, errors, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { createClient } from '../../src-main/cli/client.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { processesMarked, signal } from '../support/process-table.ts'
import { realElectron } from '../support/real-electron.ts'
import { until } from '../support/served-service.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const MAIN = join(ROOT, 'out', 'shell', 'main.js')
const SCREENSHOTS = join(import.meta.dirname, 'screenshots')
// `nobody`, on each Linux.
const USER = 65_534
const AS_USER = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups']

const electron = await realElectron()

/** Why there is no real Electron here; undefined where there is. */
export const noElectron: string | undefined = 'why' in electron ? electron.why : mayNotRead()

function mayNotRead(): string | undefined {
  try {
    execFileSync('setpriv', [...AS_USER.slice(1), 'test', '-r', MAIN])
    return undefined
  } catch {
    return `an ordinary user may not read ${MAIN}`
  }
}

/** A screen with what a desktop has, for one test. */
export type Screen = {
  readonly env: Readonly<Record<string, string>>
  /** Folder of the user, gone with the test. */
  readonly home: string
  /** Number of the user. */
  readonly user: number
  /** Makes a folder of the user. */
  readonly mkdir: (path: string) => void
  /** All processes that were started on it, but its own. */
  readonly processes: () => readonly { readonly pid: number }[]
  /** Waits until a window of the system, like a dialog, is seen. @returns its number */
  readonly shows: (title: string) => Promise<string>
  /** Waits for a window of the system, like a dialog, by its title, and gives it the keys. */
  readonly press: (title: string, ...keys: string[]) => Promise<void>
  /** Presses keys in a dialog of the system until its promise has settled: it hears keys only once it is drawn. */
  readonly answer: <Result>(title: string, keys: readonly string[], settling: Promise<Result>) => Promise<Result>
  /** Asks the program of notifications. */
  readonly dunstctl: (...args: string[]) => string
  /** Addresses and folders that the system's own programs were asked to open. */
  readonly opened: () => readonly string[]
  /** Writes a picture of the whole screen where DRYDOCK_PICTURES asks for them. */
  readonly shoot: (name: string) => void
}

/** Makes a screen; it ends with the test. */
export async function openScreen(size = '1600x1000'): Promise<Screen> {
  const home = mkdtempSync(join(tmpdir(), 'drydock-screen-'))
  chownSync(home, USER, USER)
  const mark = `DOCK_TEST_MARK=${randomUUID()}`
  const own: ChildProcess[] = []
  onTestFinished(async () => {
    for (const { pid } of processesMarked(mark)) signal(pid, 'SIGKILL')
    for (const child of own) child.kill('SIGKILL')
    await until(() => expect(processesMarked(mark)).toEqual([]))
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  })
  const begin = (env: Record<string, string>, program: string, ...args: string[]) => {
    const child = spawn('setpriv', [...AS_USER.slice(1), program, ...args], {
      env: { PATH: process.env.PATH, HOME: home, ...env },
      cwd: home,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    own.push(child)
    return child
  }
  const line = async (child: ChildProcess) =>
    (await once(createInterface(child.stdout as NonNullable<typeof child.stdout>), 'line'))[0] as string
  const display = `:${await line(begin({}, 'Xvfb', '-displayfd', '1', '-screen', '0', `${size}x24`, '-nolisten', 'tcp'))}`
  const bus = await line(begin({}, 'dbus-daemon', '--session', '--nofork', '--print-address'))
  const [name = '', value = ''] = mark.split('=')
  const env = {
    // Without the folders that only root may look into.
    PATH: `${home}/bin:/usr/local/bin:/usr/bin:/bin`,
    ...{ HOME: home, XDG_RUNTIME_DIR: home, DISPLAY: display, DBUS_SESSION_BUS_ADDRESS: bus },
    ...{ DRYDOCK_NODE: process.execPath, [name]: value },
  }
  begin(env, 'openbox')
  begin(env, 'dunst')
  const opened = join(home, 'opened')
  program(join(home, 'bin', 'xdg-open'), `echo "$1" >> '${opened}'`)
  const run = (...command: string[]) =>
    execFileSync('setpriv', [...AS_USER.slice(1), ...command], {
      ...{ env, cwd: home, encoding: 'utf8' },
      // A window that closes just now is waited for without end.
      timeout: 5000,
    }).trim()
  const xdotool = (...args: string[]) => run('xdotool', ...args)
  // It fails where it finds none.
  const seen = (title: string) => xdotool('search', '--onlyvisible', '--name', title).split('\n')[0] ?? ''
  const shows = (title: string) => until(() => seen(title))
  const pressNow = (title: string, ...keys: string[]) => {
    const window = seen(title)
    xdotool('windowactivate', '--sync', window)
    xdotool('key', '--delay', '100', ...keys)
  }
  return {
    env,
    home,
    user: USER,
    mkdir(path) {
      mkdirSync(path)
      chownSync(path, USER, USER)
    },
    processes: () => processesMarked(mark).filter(({ pid }) => !own.some((child) => child.pid === pid)),
    shows,
    async press(title, ...keys) {
      await until(() => pressNow(title, ...keys))
    },
    async answer(title, keys, settling) {
      let hasSettled = false
      const settled = settling.finally(() => {
        hasSettled = true
      })
      await shows(title)
      await until(() => {
        if (!hasSettled) pressNow(title, ...keys)
        expect(hasSettled).toBe(true)
      })
      return settled
    },
    dunstctl: (...args) => run('dunstctl', ...args),
    opened: () => (existsSync(opened) ? readFileSync(opened, 'utf8').trim().split('\n') : []),
    shoot(picture) {
      if (!process.env.DRYDOCK_PICTURES) return
      mkdirSync(SCREENSHOTS, { recursive: true })
      execFileSync('import', ['-window', 'root', join(SCREENSHOTS, `${picture}.png`)], { env })
    },
  }
}

/** The desktop, driven by its debugger. */
export type OpenDesktop = {
  readonly app: ElectronApplication
  /** Number of Electron's main process. */
  readonly pid: number
  readonly data: string
  /** Resolves with the exit code, or the signal. */
  readonly ended: Promise<number | string | null>
  /** The window, once it shows a page of the service. */
  readonly window: () => Promise<Page>
  readonly service: () => ReturnType<typeof serviceOf>
}

// Of some fifty launches Playwright's debugger does not attach to one, which then never goes on: it is started anew.
const LAUNCH_MS = 45_000
const launch: typeof _electron.launch = async (options) => {
  try {
    return await _electron.launch(options)
  } catch (error) {
    if (!(error instanceof errors.TimeoutError)) throw error
    return _electron.launch(options)
  }
}

/** Starts the desktop on a screen. @param argv after its own */
export async function openDesktop(
  screen: Screen,
  {
    data = join(screen.home, 'data'),
    argv = [],
    env = {},
  }: {
    readonly data?: string
    readonly argv?: readonly string[]
    readonly env?: Readonly<Record<string, string>>
  } = {},
): Promise<OpenDesktop> {
  const app = await launch({
    executablePath: electronFor(screen.home),
    chromiumSandbox: true,
    args: [MAIN, '--data', data, '--port', '0', ...argv],
    cwd: screen.home,
    env: { ...screen.env, ...env },
    timeout: LAUNCH_MS,
  })
  const child = app.process()
  const ended = once(child, 'exit').then(([code, by]) => (code ?? by) as number | string | null)
  app.context().setDefaultTimeout(PATIENCE_MS)
  return {
    app,
    pid: child.pid ?? 0,
    data,
    ended,
    async window() {
      const page = await app.firstWindow()
      await page.getByRole('heading', { level: 1 }).waitFor()
      return page
    },
    service: () => serviceOf(data),
  }
}

/** The service that runs on a data folder. */
export function serviceOf(data: string) {
  const { pid, url } = JSON.parse(readFileSync(join(data, 'service.json'), 'utf8')) as { pid: number; url: string }
  const key = readFileSync(join(data, 'account.key'), 'utf8').trim()
  return { pid, url, client: createClient({ url, key }) }
}

/** Runs `drydock serve` as the user of the screen. */
export async function serveOn(screen: Screen, data: string): Promise<{ pid: number; url: string; stop: () => void }> {
  const args = [...AS_USER.slice(1), process.execPath, join(ROOT, 'out', 'desktop', 'cli.js')]
  const child = spawn('setpriv', [...args, 'serve', '--json', '--data', data, '--port', '0'], {
    env: screen.env,
    cwd: screen.home,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  return { pid: child.pid ?? 0, url: JSON.parse(line).url, stop: () => void child.kill('SIGTERM') }
}

/**
 * Starts the desktop as a person or the system does, without a debugger, which waits for a page to be loaded.
 * @returns its exit code
 */
export async function startPlain(
  screen: Screen,
  data: string,
  { argv = [], env = {} }: { readonly argv?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<number | null> {
  const args = [MAIN, '--data', data, '--port', '0', ...argv]
  const options = { cwd: screen.home, env: { ...screen.env, ...env }, stdio: 'ignore' } as const
  return (await once(spawn(electronFor(screen.home), args, options), 'exit'))[0] as number | null
}

function program(path: string, script: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

// Electron as the ordinary user. The process keeps its number.
function electronFor(home: string): string {
  if ('why' in electron) throw new Error(electron.why)
  return program(join(home, 'bin', 'electron'), `exec ${AS_USER.join(' ')} '${electron.program}' "$@"`)
}
