/**
 * Runs the built desktop in a real Electron with the sandbox enabled, as an unprivileged user. Each test has its own
 * screen with a window manager, a session bus and a notification daemon.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { _electron, type ElectronApplication, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { createClient } from '../../src-main/app/cli/client.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { processesMarked, processesNaming, signal } from '../support/process-table.ts'
import { type RealElectron, realElectron } from '../support/real-electron.ts'
import { until } from '../support/served-service.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const MAIN = join(ROOT, 'out', 'shell', 'main.js')
const GATED_HANDLER = join(ROOT, 'test', 'support', 'workers', 'gated.py')
const SCREENSHOTS = join(import.meta.dirname, 'screenshots')
// Uid and gid of `nobody` on Linux.
const USER = 65_534
const AS_USER = { uid: USER, gid: USER } as const

// Debian installs PyGObject for the system Python, which may not be first on the PATH.
const PYTHON = '/usr/bin/python3'
const PANEL = join(import.meta.dirname, 'tray-host.py')

/** The real Electron, or the reason why it is not available. */
export const electron = await realElectron()

/** Reason to skip tests that need a real Electron; undefined if it is available. */
export const noElectron: string | undefined = 'why' in electron ? electron.why : mayNotRead()

function mayNotRead(): string | undefined {
  try {
    execFileSync('test', ['-r', MAIN], AS_USER)
    return undefined
  } catch {
    return `an unprivileged user cannot read ${MAIN}`
  }
}

/** Title of every dialog. Titles of pages begin with the name of the page. */
export const DIALOG = '^Drydock$'

/** A screen with a desktop environment, for one test. */
export type Screen = {
  readonly env: Readonly<Record<string, string>>
  /** Home folder of the user, deleted after the test. */
  readonly home: string
  /** Uid of the user. */
  readonly user: number
  /** Creates a folder that the user owns. */
  readonly mkdir: (path: string) => void
  /** Lists the processes started on the screen, except those of the screen itself. */
  readonly processes: () => readonly { readonly pid: number }[]
  /** Starts a program that belongs to the screen, not to the test subject. */
  readonly begin: (program: string, ...args: string[]) => ChildProcess
  /** Waits until a window with this title is visible. @returns its X11 id */
  readonly waitForWindow: (title: string) => Promise<string>
  /** Waits for a window with this title and presses keys in it. */
  readonly press: (title: string, ...keys: string[]) => Promise<void>
  /** Presses keys in a dialog until a promise settles, because a dialog ignores keys before it is drawn. */
  readonly answer: <Result>(title: string, keys: readonly string[], settling: Promise<Result>) => Promise<Result>
  /** Controls the notification daemon. */
  readonly dunstctl: (...args: string[]) => string
  /** Lists the URLs and folders that were opened with xdg-open. */
  readonly opened: () => readonly string[]
  /** Saves a screenshot if DRYDOCK_PICTURES is set. */
  readonly takeScreenshot: (name: string) => void
}

/** Opens a screen that closes after the test. */
export async function openScreen(size = '1600x1000'): Promise<Screen> {
  const home = mkdtempSync(join(tmpdir(), 'drydock-screen-'))
  chownSync(home, USER, USER)
  const mark = `DOCK_TEST_MARK=${randomUUID()}`
  const own: ChildProcess[] = []
  onTestFinished(async () => {
    for (const { pid } of [...processesMarked(mark), ...processesNaming(home)]) signal(pid, 'SIGKILL')
    for (const child of own) child.kill('SIGKILL')
    await until(() => expect(processesMarked(mark)).toEqual([]))
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  })
  const begin = (env: Record<string, string>, program: string, ...args: string[]) => {
    const child = spawn(program, args, {
      ...AS_USER,
      env: { PATH: process.env.PATH, HOME: home, ...env },
      cwd: home,
      stdio: ['pipe', 'pipe', program === PYTHON ? 'inherit' : 'ignore'],
    })
    own.push(child)
    return child
  }
  const line = async (child: ChildProcess) =>
    (await once(createInterface(child.stdout as NonNullable<typeof child.stdout>), 'line'))[0] as string
  // Without -noreset the server drops all clients whenever its last one leaves, which may be an early xdotool.
  const screenArgs = ['-displayfd', '1', '-screen', '0', `${size}x24`, '-nolisten', 'tcp', '-noreset']
  const display = `:${await line(begin({}, 'Xvfb', ...screenArgs))}`
  const bus = await line(begin({}, 'dbus-daemon', '--session', '--nofork', '--print-address'))
  const [markName = '', markValue = ''] = mark.split('=')
  const env = {
    // Without folders that only root can read.
    PATH: `${home}/bin:/usr/local/bin:/usr/bin:/bin`,
    ...{ HOME: home, XDG_RUNTIME_DIR: home, DISPLAY: display, DBUS_SESSION_BUS_ADDRESS: bus },
    ...{ DRYDOCK_NODE: process.execPath, [markName]: markValue },
  }
  begin(env, 'openbox')
  begin(env, 'dunst')
  const opened = join(home, 'opened')
  program(join(home, 'bin', 'xdg-open'), `echo "$1" >> '${opened}'`)
  const run = (name: string, ...args: string[]) =>
    execFileSync(name, args, {
      ...{ ...AS_USER, env, cwd: home, encoding: 'utf8' },
      // xdotool waits indefinitely for a window that is closing.
      timeout: 5000,
    }).trim()
  const xdotool = (...args: string[]) => run('xdotool', ...args)
  // Throws if no window matches.
  const findWindow = (title: string) => xdotool('search', '--onlyvisible', '--name', title).split('\n')[0] ?? ''
  const waitForWindow = (title: string) => until(() => findWindow(title))
  const pressNow = (title: string, ...keys: string[]) => {
    const window = findWindow(title)
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
    begin: (program, ...args) => begin(env, program, ...args),
    processes: () =>
      [...processesMarked(mark), ...processesNaming(home)].filter(({ pid }) => !own.some((child) => child.pid === pid)),
    waitForWindow,
    async press(title, ...keys) {
      await until(() => pressNow(title, ...keys))
    },
    async answer(title, keys, settling) {
      let hasSettled = false
      const settled = settling.finally(() => {
        hasSettled = true
      })
      await waitForWindow(title)
      await until(() => {
        if (!hasSettled) pressNow(title, ...keys)
        expect(hasSettled).toBe(true)
      })
      return settled
    },
    dunstctl: (...args) => run('dunstctl', ...args),
    opened: () => (existsSync(opened) ? readFileSync(opened, 'utf8').trim().split('\n') : []),
    takeScreenshot(picture) {
      if (!process.env.DRYDOCK_PICTURES) return
      mkdirSync(SCREENSHOTS, { recursive: true })
      execFileSync('import', ['-window', 'root', join(SCREENSHOTS, `${picture}.png`)], { env })
    },
  }
}

/** Reason to skip tests that need a panel; undefined if one is available. */
export const noPanel: string | undefined =
  spawnSync(PYTHON, ['-c', 'import gi']).status === 0 ? undefined : `${PYTHON} has no module gi`

/** The tray icon as a panel shows it; check boxes are objects. */
export type TrayIcon = {
  readonly tooltip: string
  readonly menu: readonly (string | { readonly label: string; readonly isOn: boolean })[]
}

/** Starts a panel with a tray. */
export async function openPanel(screen: Screen) {
  const { stdin, stdout } = screen.begin(PYTHON, PANEL)
  if (stdin === null || stdout === null) throw new Error('the panel has no pipes')
  const lines = createInterface(stdout)[Symbol.asyncIterator]()
  const nextLine = async () => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error('the panel exited')
    return value
  }
  const ask = async (command: string): Promise<TrayIcon> => {
    stdin.write(`${command}\n`)
    const answer = JSON.parse(await nextLine())
    if (answer?.error !== undefined) throw new Error(answer.error)
    return answer
  }
  expect(await nextLine()).toBe('ready')
  return {
    read: () => ask('read'),
    /** Selects a menu item. */
    click: async (label: string) => void (await ask(`click ${label}`)),
    /** Clicks the icon. */
    activate: async () => void (await ask('activate')),
  }
}

/** A desktop that the test drives through Playwright. */
export type OpenDesktop = {
  readonly app: ElectronApplication
  /** Pid of Electron's main process. */
  readonly pid: number
  readonly data: string
  /** Resolves with the exit code or the signal. */
  readonly ended: Promise<number | string | null>
  /** Waits until the window shows a page of the service. */
  readonly window: () => Promise<Page>
  readonly service: () => ReturnType<typeof serviceOf>
}

// Pauses the application until Playwright attaches. Playwright omits it for a custom executable, and about one start
// in fifty then deadlocks because the page loads at that moment.
const LOADER = join(
  dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')),
  ...['lib', 'server', 'electron', 'loader.js'],
)

/** Reads the visibility and bounds of the window from Electron. */
export const windowState = ({ app }: OpenDesktop) =>
  app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    return { isVisible: window?.isVisible(), bounds: window?.getBounds() }
  })

/** Waits until the window is visible or hidden. */
export const waitForVisible = (desktop: OpenDesktop, isVisible: boolean): Promise<void> =>
  until(async () => expect((await windowState(desktop)).isVisible).toBe(isVisible))

/** Closes the window, as its close button does. */
export const closeWindow = ({ app }: OpenDesktop): Promise<void> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())

/** Waits until all processes started on the screen have exited. */
export const waitForNoProcesses = (screen: Screen): Promise<void> => until(() => expect(screen.processes()).toEqual([]))

/** Runs a job on a new endpoint. It finishes once the path `gate` exists. @returns the job id */
export async function runGatedJob(desktop: Pick<OpenDesktop, 'service'>, gate: string): Promise<string> {
  const { client } = desktop.service()
  await client.call('endpointCreate', { body: { id: 'slow', name: 'slow', handler: GATED_HANDLER } })
  const { id } = await client.call('run', { path: { endpointId: 'slow' }, body: { input: { gates: [gate] } } })
  await until(async () =>
    expect((await client.call('liveRead')).endpoints).toContainEqual(expect.objectContaining({ inProgress: 1 })),
  )
  return id
}

/** Starts the desktop with Playwright attached. @param argv additional arguments */
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
  const app = await _electron.launch({
    executablePath: electronFor(screen.home),
    chromiumSandbox: true,
    args: ['-r', LOADER, MAIN, '--data', data, '--port', '0', ...argv],
    cwd: screen.home,
    env: { ...screen.env, ...env },
    timeout: PATIENCE_MS,
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

/** Connects to the service that runs on a data folder. */
export function serviceOf(data: string) {
  const { pid, url } = JSON.parse(readFileSync(join(data, 'service.json'), 'utf8')) as { pid: number; url: string }
  const key = readFileSync(join(data, 'account.key'), 'utf8').trim()
  return { pid, url, client: createClient({ url, key }) }
}

/** Runs `drydock serve` as the user of the screen. */
export async function serveOn(screen: Screen, data: string): Promise<{ pid: number; url: string; stop: () => void }> {
  const cli = join(ROOT, 'out', 'desktop', 'cli.js')
  const child = spawnOn(screen, process.execPath, [cli, 'serve', '--json', '--data', data, '--port', '0'])
  const [line] = await once(createInterface(child.stdout), 'line')
  return { pid: child.pid ?? 0, url: JSON.parse(line).url, stop: () => void child.kill('SIGTERM') }
}

/** Runs the desktop without a debugger until it exits. @returns its exit code */
export const runDesktop = (...args: Parameters<typeof spawnDesktop>): Promise<number | null> =>
  spawnDesktop(...args).ended

/** Starts the desktop without a debugger, which cannot follow a desktop that relaunches itself. */
export function spawnDesktop(
  screen: Screen,
  data: string,
  { argv = [], env = {} }: { readonly argv?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
) {
  const child = spawnOn(screen, programOf(electron), [MAIN, '--data', data, '--port', '0', ...argv], env)
  child.stdout.resume()
  return { child, ended: once(child, 'exit').then(([code]) => code as number | null) }
}

/** Runs `drydock start` with the real Electron, as the user of the screen. */
export function startCommandOn(screen: Screen, argv: readonly string[]) {
  const launcher = join(ROOT, 'src-main', 'app', 'cli', 'drydock.mjs')
  const env = { DRYDOCK_ELECTRON: programOf(electron) }
  return spawnOn(screen, process.execPath, [launcher, 'start', ...argv], env)
}

/** Starts a program as the user of the screen. */
export function spawnOn(
  { home, env }: Screen,
  program: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
) {
  return spawn(program, args, {
    ...AS_USER,
    cwd: home,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

function program(path: string, script: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

// Playwright starts Electron as root, so this script switches to the unprivileged user and keeps the pid.
function electronFor(home: string): string {
  const asUser = `setpriv --reuid=${USER} --regid=${USER} --clear-groups`
  return program(join(home, 'bin', 'electron'), `exec ${asUser} '${programOf(electron)}' "$@"`)
}

function programOf(found: RealElectron): string {
  if ('why' in found) throw new Error(found.why)
  return found.program
}
