/**
 * One connection by the system's own `ssh`, from login to its end. It is a child process that runs a shell on the other
 * machine, which reads from a pipe of this one: should this program be killed, the pipe closes, the shell ends, and with it
 * the connection. Sessions and forwards go over it by OpenSSH's control socket.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../services/ports/system.ts'
import {
  forwardArguments,
  masterArguments,
  type SshForward,
  type SshTarget,
  sessionArguments,
  sshReason,
} from './ssh-command.ts'

/** A connection that is open. */
export type SshConnection = {
  /** Folder of this machine for local ends of its forwards; nobody else can open it, and it is gone with the connection. */
  readonly folder: string
  /** Runs a script of the POSIX shell there and gives its output. Rejects with what it wrote to stderr. */
  readonly run: (script: string) => Promise<string>
  /** Rejects with OpenSSH's words. */
  readonly forward: (forward: SshForward) => Promise<void>
  readonly cancelForward: (forward: SshForward) => Promise<void>
  /** Settles when it has ended, with the reason. */
  readonly ended: Promise<string>
  readonly close: () => void
}

/** What a connection is made with. */
export type SshConnectionOptions = {
  readonly target: SshTarget
  /** Folder of this machine for its sockets; made, and short: sockets have paths of 100 bytes at most. */
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Pick<Clock, 'after'>
}

// A login that gets no further, ms; source: ours, three times what a connection may take.
const LOGIN_MS = 30_000
const SAID = 'drydock: ready'
const MOST_WORDS = 8 * 1024
const NO_PROGRAM = 'there is no program `ssh` on this machine. Install the client of OpenSSH'

/** Opens a connection. Rejects with the reason, in OpenSSH's words where it has said any. */
export async function openSshConnection(options: SshConnectionOptions): Promise<SshConnection> {
  const { target, folder, env, clock } = options
  if (process.platform === 'win32')
    throw new Error(
      'the OpenSSH of Windows cannot share a connection. Run the service in WSL, or reach the engine by tcp',
    )
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const control = join(folder, 'c')
  const start = (args: readonly string[]) =>
    // In a process group of its own, because Ctrl+C must not end it before the machine is cleaned up over it.
    spawn('ssh', [...args], { env: { ...env }, stdio: 'pipe', detached: true })
  const master = start(masterArguments(target, control))
  const ended = endOf(master).then((end) => {
    rmSync(folder, { recursive: true, force: true })
    return end.missing ? NO_PROGRAM : sshReason(end.stderr, `ssh ended with exit code ${end.code}`)
  })
  master.stdin.write(`echo ${SAID.replace(' ', '\\ ')}; exec cat >/dev/null\n`)
  await loggedIn(master, ended, clock)

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
    close: () => void master.kill(),
  }
}

// A shell there has answered, whatever it and its settings wrote before.
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

// Never rejects.
function endOf(child: ChildProcess): Promise<ProgramEnd> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-MOST_WORDS)
  })
  child.stdin?.on('error', () => undefined) // it has ended before it read all
  return new Promise((resolve) => {
    child.on('error', (error) =>
      resolve({ code: undefined, stdout, stderr: error.message, missing: 'code' in error && error.code === 'ENOENT' }),
    )
    child.on('close', (code) => resolve({ code: code ?? undefined, stdout, stderr, missing: false }))
  })
}
