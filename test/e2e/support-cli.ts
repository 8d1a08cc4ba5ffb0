import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const LAUNCHER = fileURLToPath(new URL('../../src-main/app/cli/drydock.mjs', import.meta.url))

/** The sample handler file of this clone. */
export const HELLO_HANDLER = fileURLToPath(new URL('../../resources/examples/hello/handler.py', import.meta.url))

/** A command that has ended. */
export type Ended = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }

/** A command that runs. */
export type Running = {
  readonly child: ChildProcess
  /** Gives every line of stdout once, in order; undefined when stdout has ended. */
  readonly nextLine: () => Promise<string | undefined>
  readonly ended: Promise<Ended>
}

/** A folder that vanishes when the test and its processes have ended. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-e2e-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Where a command runs: its folder, and what differs from this process and this clone. */
export type CommandOptions = {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly node?: string | undefined
  /** The launcher of another installation. */
  readonly launcher?: string | undefined
  /** Runs it in a terminal; text written to the stdin of the child is typed there. */
  readonly terminal?: boolean
}

const IN_TERMINAL = ['python3', '-c', 'import pty, sys; pty.spawn(sys.argv[1:])']

/** Starts the launcher as a process of its own; a command that still runs when the test ends is stopped in order. */
export function startCommand(argv: readonly string[], options: CommandOptions): Running {
  const inTerminal = options.terminal === true
  const words = [options.node ?? process.execPath, options.launcher ?? LAUNCHER, ...argv]
  const [program = '', ...args] = inTerminal ? [...IN_TERMINAL, ...words] : words
  const common = { cwd: options.cwd, env: { ...withoutOurVariables(process.env), NO_COLOR: '1', ...options.env } }
  const child = inTerminal
    ? spawn(program, args, { ...common, stdio: ['pipe', 'pipe', 'pipe'] })
    : spawn(program, args, { ...common, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines = createInterface({ input: child.stdout })
  const kept: string[] = []
  lines.on('line', (line) => kept.push(line))
  const closed = once(lines, 'close').then(() => undefined)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  let given = 0
  const ended = once(child, 'close').then(([exitCode]) => ({
    exitCode,
    stdout: kept.map((line) => `${line}\n`).join(''),
    stderr,
  }))
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await ended
  })
  const nextLine = async () => {
    while (kept.length <= given) {
      const arrived = await Promise.race([once(lines, 'line').then(() => true), closed])
      if (arrived === undefined) return kept[given++]
    }
    return kept[given++]
  }
  return { child, ended, nextLine }
}

/** A Node of this machine that is older than the pinned one, so that the launcher has to hand over; undefined: none. */
export function olderNode(): string | undefined {
  const places = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  return places.find((node) => {
    try {
      const major = Number.parseInt(execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }), 10)
      return major >= 18 && major < Number.parseInt(process.versions.node, 10)
    } catch {
      return false // No Node there, or none that runs.
    }
  })
}

/** The address, data folder and key file of a service, as `serve --json` prints them. */
export type Ready = { readonly ready: true; readonly url: string; readonly data: string; readonly keyFile: string }

/** Starts `serve` on a fresh data folder and waits for its line. */
export async function serve(
  folder: string,
  node?: string,
  launcher?: string,
): Promise<Running & { readonly ready: Ready }> {
  const running = startCommand(['serve', '--data', 'data', '--port', '0', '--json'], { cwd: folder, node, launcher })
  const line = await running.nextLine()
  if (line === undefined) throw new Error(`serve ended before it was ready: ${(await running.ended).stderr}`)
  return { ...running, ready: JSON.parse(line) }
}

/** Variables of a developer's shell must not reach the commands of a test. */
function withoutOurVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(SVC_|DRYDOCK_)/.test(name)))
}
