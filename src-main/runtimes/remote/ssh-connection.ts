/**
 * One connection through the system `ssh`, from login to end. Its remote shell reads a local pipe, so it ends even if
 * this program is killed. Sessions and forwards use OpenSSH's control socket.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import {
  forwardArguments,
  masterArguments,
  type SshForward,
  type SshTarget,
  sessionArguments,
  sshReason,
  whyLost,
} from './ssh-command.ts'

export type SshConnection = {
  readonly folder: string
  /** Runs a POSIX script and returns its output. Rejects with its stderr. */
  readonly run: (script: string) => Promise<string>
  readonly forward: (forward: SshForward) => Promise<void>
  readonly cancelForward: (forward: SshForward) => Promise<void>
  readonly ended: Promise<string>
  readonly close: () => void
}

export type SshConnectionOptions = {
  readonly target: SshTarget
  /** Local folder for its sockets, with a short path: socket paths have at most 100 bytes. */
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Pick<Clock, 'after'>
  readonly signal: AbortSignal
}

// Login limit, ms; source: ours, three times that of a connection.
const LOGIN_MS = 30_000
const SAID = 'drydock: ready'
const MOST_WORDS = 8 * 1024
const NO_PROGRAM = 'there is no program `ssh` on this machine. Install the client of OpenSSH'

export async function openSshConnection(options: SshConnectionOptions): Promise<SshConnection> {
  const { target, folder, env, clock, signal } = options
  signal.throwIfAborted()
  if (process.platform === 'win32')
    throw new Error(
      'the OpenSSH of Windows cannot share a connection. Run the service in WSL, or reach the engine by tcp',
    )
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const control = join(folder, 'c')
  const start = (args: readonly string[]) =>
    // Own process group, because Ctrl+C must not end it before the machine is cleaned up.
    spawn('ssh', [...args], { env: { ...env }, stdio: 'pipe', detached: true })
  const master = start(masterArguments(target, control))
  const close = () => void master.kill()
  signal.addEventListener('abort', close)
  let wasOpen = false
  const ended = endOf(master).then((end) => {
    signal.removeEventListener('abort', close)
    rmSync(folder, { recursive: true, force: true })
    if (end.missing) return NO_PROGRAM
    return (wasOpen ? whyLost : sshReason)(end.stderr, `ssh ended with exit code ${end.code}`)
  })
  master.stdin.write(`echo ${SAID.replace(' ', '\\ ')}; exec cat >/dev/null\n`)
  await loggedIn(master, ended, clock)
  wasOpen = true

  const overIt = async (args: readonly string[], input?: string): Promise<string> => {
    const child = start(args)
    child.stdin.end(input)
    const { code, stdout, stderr } = await endOf(child)
    if (code !== 0) throw new Error(sshReason(stderr, `it ended with exit code ${code}`))
    return stdout
  }
  return {
    folder,
    run: (script) => overIt(sessionArguments(target, control), script),
    forward: async (forward) => void (await overIt(forwardArguments(target, control, 'forward', forward))),
    cancelForward: async (forward) => void (await overIt(forwardArguments(target, control, 'cancel', forward))),
    ended,
    close,
  }
}

function loggedIn(master: ChildProcess, ended: Promise<string>, clock: Pick<Clock, 'after'>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let seen = ''
  master.stdout?.on('data', (chunk: Buffer) => {
    seen = (seen + chunk.toString()).slice(-MOST_WORDS)
    if (seen.includes(SAID)) resolve()
  })
  const cancel = clock.after(LOGIN_MS, () => {
    reject(new Error(`no shell answered within ${LOGIN_MS / 1000} s after the login`))
    master.kill()
  })
  ended.then((reason) => reject(new Error(reason)))
  return promise.finally(cancel)
}

type ProgramEnd = {
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
  readonly missing: boolean
}

function endOf(child: ChildProcess): Promise<ProgramEnd> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-MOST_WORDS)
  })
  child.stdin?.on('error', () => undefined)
  return new Promise((resolve) => {
    child.on('error', (error) =>
      resolve({ code: undefined, stdout, stderr: error.message, missing: 'code' in error && error.code === 'ENOENT' }),
    )
    child.on('close', (code) => resolve({ code: code ?? undefined, stdout, stderr, missing: false }))
  })
}
