/**
 * Other machines for tests: what `test/support/far-machine` makes, or why there can be none here. Each has its own sshd and
 * Docker engine, and nothing of the files of this machine.
 */
import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Another machine. */
export type RemoteMachine = {
  /** Its host name, by which `ssh` reaches it. */
  readonly name: string
  readonly address: string
  /** Address of this machine on the cable between them. */
  readonly here: string
  /** Files of its sshd: `config` and `known_hosts` for who comes, `authorized_keys`. */
  readonly sshFolder: string
  /** Its engine as the test reaches it, past ssh. */
  readonly dockerHost: string
  /** Runs a program there and gives its output. */
  readonly run: (...argv: readonly string[]) => Promise<string>
  /** The same, while the test waits. */
  readonly runNow: (...argv: readonly string[]) => string
  /** Pulls its cable out, or puts it in; or starts to lose all packets, or stops it. */
  readonly link: (state: 'up' | 'down' | 'stalled' | 'flowing') => Promise<void>
  /** Ends its sshd with all connections by SIGKILL. */
  readonly killSshd: () => Promise<void>
  readonly startSshd: () => Promise<void>
  /** Lets its sshd answer with another key, which nobody knows. */
  readonly changeHostKey: () => Promise<void>
  /** Puts the key that it has now into the known hosts of who comes. */
  readonly knowHostKey: () => Promise<void>
  /** Ends its engine by SIGKILL. */
  readonly killEngine: () => Promise<void>
  readonly startEngine: () => Promise<void>
  /** Kills all that runs on it at once, or starts it as a boot does. */
  readonly power: (state: 'off' | 'on') => Promise<void>
  /** Ends all that runs on it, and removes it. */
  readonly stop: () => Promise<void>
}

const SCRIPT = fileURLToPath(new URL('far-machine', import.meta.url))
// Source: the head of the script.
const CANNOT = 3
// The first one on a machine may have to install an engine and make images. Three seconds are usual.
const LIMIT_MS = 8 * 60_000

const execute = promisify(execFile)

/** Makes a machine that can reach the one of this name, if given; to be stopped at the end of the test file. */
export async function remoteMachine(beside?: string): Promise<RemoteMachine | { readonly why: string }> {
  const name = `far${randomBytes(3).toString('hex')}`
  const ask = async (command: string, ...argv: readonly string[]) =>
    (await execute('bash', [SCRIPT, command, name, ...argv], { timeout: LIMIT_MS, env: ownEnvironment() })).stdout
  const tell = async (command: string, ...argv: readonly string[]) => void (await ask(command, ...argv))
  try {
    const facts = new Map(
      (await ask('start', ...(beside === undefined ? [] : [beside])))
        .split('\n')
        .map((line) => line.split('=', 2) as [string, string]),
    )
    const fact = (key: string) => facts.get(key) ?? ''
    return {
      name,
      address: fact('ADDRESS'),
      here: fact('HERE'),
      sshFolder: join(fact('FOLDER'), 'ssh'),
      dockerHost: fact('DOCKER_HOST'),
      run: (...argv) => ask('enter', ...argv),
      runNow: (...argv) => execFileSync('bash', [SCRIPT, 'enter', name, ...argv], { encoding: 'utf8' }),
      link: (state) => tell('link', state),
      killSshd: () => tell('kill-sshd'),
      startSshd: () => tell('start-sshd'),
      changeHostKey: () => tell('new-host-key'),
      knowHostKey: () => tell('know-host'),
      killEngine: () => tell('kill-engine'),
      startEngine: () => tell('start-engine'),
      power: (state) => tell('power', state),
      stop: () => tell('stop'),
    }
  } catch (error) {
    const { code, stderr = '' } = error as { code?: number | string; stderr?: string }
    if (code === 'ENOENT') return { why: 'there is no bash to make other machines with' }
    await tell('stop')
    if (code === CANNOT) return { why: stderr.trim().split('\n').at(-1) ?? '' }
    throw error
  }
}

/** Runs a docker command on the engine of a machine. @returns its output */
export const dockerOn = async ({ dockerHost }: Pick<RemoteMachine, 'dockerHost'>, ...argv: readonly string[]) =>
  (await execute('docker', ['-H', dockerHost, ...argv])).stdout.trim()

// An engine that the caller names is not the one of the machine.
function ownEnvironment(): NodeJS.ProcessEnv {
  const { DOCKER_HOST: _other, ...env } = process.env
  return { ...env, DRYDOCK_FAR_OWNER: String(process.pid) }
}

/** The `ssh` of a user whose configuration knows these machines. */
type SshOfUser = {
  /** The PATH with that program. */
  readonly searchPath: string
  readonly configFile: string
  readonly remove: () => void
}

/** Makes a folder with that program. @param more lines of the user's configuration that come first, so that they win */
export function sshOfUser(
  machines: readonly Pick<RemoteMachine, 'sshFolder'>[],
  more: readonly string[] = [],
): SshOfUser {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-ssh-'))
  const configFile = join(folder, 'config')
  const included = machines.map(({ sshFolder }) => `Match all\nInclude ${sshFolder}/config`)
  writeFileSync(configFile, `${[...more, ...included].join('\n')}\n`)
  const ssh = execFileSync('sh', ['-c', 'command -v ssh'], { encoding: 'utf8' }).trim()
  writeFileSync(join(folder, 'ssh'), `#!/bin/sh\nexec ${ssh} -F '${configFile}' "$@"\n`)
  chmodSync(join(folder, 'ssh'), 0o755)
  return {
    searchPath: [folder, process.env.PATH].join(delimiter),
    configFile,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
