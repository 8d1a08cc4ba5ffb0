/** A PostgreSQL of the bench's own: a fresh cluster in a folder of its own, on loopback. */
import { execFile, type SpawnOptions, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { endProcess, owned } from './programs.ts'

// Where Debian's package puts its programs, of which only some are on the PATH.
const DEBIAN = '/usr/lib/postgresql/*/bin'

/** Starts one that syncs each commit; undefined where there are no programs of PostgreSQL. */
export async function startPostgres(
  folder: string,
  port: number,
): Promise<{ readonly pid: number; readonly stop: () => Promise<void> } | undefined> {
  const programs = findPrograms()
  if (programs === undefined) return undefined
  const data = join(folder, 'postgres')
  mkdirSync(data, { mode: 0o700 })
  const user = otherUser()
  if (user !== undefined) {
    chmodSync(folder, 0o711) // so that the other user gets to its own
    chownSync(data, user.uid, user.gid)
  }
  const options: SpawnOptions = { cwd: data, stdio: ['ignore', 'ignore', 'pipe'], ...user }
  const cluster = ['--pgdata', data, '--username=bench', '--auth=trust', '--encoding=UTF8', '--no-locale']
  await promisify(execFile)(join(programs, 'initdb'), cluster, { cwd: data, ...user })
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${data}`,
    'fsync=on',
    'synchronous_commit=on',
  ]
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  const child = owned(spawn(join(programs, 'postgres'), args, options))
  const stop = () => {
    child.kill('SIGINT') // the fast end; SIGTERM waits for clients
    return endProcess(child)
  }
  if (child.stderr === null) throw new Error('PostgreSQL has no log')
  let log = ''
  for await (const line of createInterface({ input: child.stderr })) {
    log += `${line}\n`
    if (!line.includes('ready to accept connections')) continue
    child.stderr.resume()
    return { pid: child.pid ?? 0, stop }
  }
  throw new Error(`PostgreSQL did not start:\n${log}`)
}

function findPrograms(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...globSync(DEBIAN).toSorted().toReversed()]
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))))
}

// PostgreSQL refuses to run as root.
function otherUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const found = ['postgres', 'nobody'].map((name) => users.find((fields) => fields[0] === name))
  const [, , uid, gid] = found.find((fields) => fields !== undefined) ?? []
  if (uid === undefined) throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody')
  return { uid: Number(uid), gid: Number(gid) }
}
