/**
 * An `exec` with its own terminal and the worker's user and rights. The engine does not end it with the connection, so
 * it reports its pid first and is killed by that.
 */
import type { Duplex } from 'node:stream'
import type Docker from 'dockerode'
import type { ShellSize } from '../../contract/workers.ts'
import type { FleetShell, ShellListener } from '../port.ts'
import { engineMessage, KILLED } from './engine-messages.ts'

// Sets the size first, as the engine's may come late; then prints pid and program name.
const START = ({ columns, rows }: ShellSize) =>
  `stty rows ${rows} cols ${columns} 2>/dev/null; name=sh; command -v bash >/dev/null 2>&1 && name=bash; printf '<shell %s %s>' $$ $name; exec $name`
const GREETING = /<shell (\d+) (\w+)>/
// Longer than any greeting: more text without one is an error message of the engine.
const GREETING_MAX_BYTES = 4096
// For containers at a breakpoint or without CPU time, ms; source: ours.
const RESPONSE_MS = 10_000
// Detach keys; the engine's Ctrl-P is needed by shells.
const DETACH_KEYS = 'ctrl-^,ctrl-^,ctrl-]'
// Ends the whole session: SIGHUP, then SIGKILL. Reads /proc, because few images have `pkill`; after the name come
// state, parent, group, session.
const END = (session: string) => `
signal() {
  name=$1
  for file in /proc/[0-9]*/stat; do
    read -r line < $file || continue
    set -- \${line##*) }
    [ "$4" = ${session} ] || continue
    id=\${file#/proc/}
    kill -$name \${id%/stat}
  done
}
signal HUP; signal CONT; sleep 1; signal KILL`

type Greeting = { readonly pid: string; readonly program: string; readonly rest: Buffer }

export async function openContainerShell(
  container: Docker.Container,
  size: ShellSize,
  listener: ShellListener,
): Promise<FleetShell> {
  const { exec, stream } = await start(container, size)
  const first = await readGreeting(stream).catch((error) => {
    stream.destroy()
    throw error
  })
  let closed = false
  const end = () => {
    if (closed) return
    closed = true
    whyEnded(exec).then(listener.onEnd, () => listener.onEnd('the connection to the Docker engine was lost'))
  }
  stream.on('data', (bytes: Buffer) => listener.onBytes(bytes))
  for (const event of ['end', 'close', 'error']) stream.on(event, end)
  if (first.rest.length > 0) listener.onBytes(first.rest)

  return {
    program: first.program,
    write: (text) =>
      new Promise((resolve, reject) =>
        stream.write(text, (error) => (error instanceof Error ? reject(error) : resolve())),
      ),
    resize: async ({ columns, rows }) => {
      await exec.resize({ w: columns, h: rows })
    },
    hold: (holds) => void (holds ? stream.pause() : stream.resume()),
    async close() {
      closed = true
      await endProgram(container, first.pid)
      stream.destroy()
    },
  }
}

async function start(
  container: Docker.Container,
  size: ShellSize,
): Promise<{ readonly exec: Docker.Exec; readonly stream: Duplex }> {
  try {
    const exec = await container.exec({
      Cmd: ['sh', '-c', START(size)],
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      Tty: true,
      Env: ['TERM=xterm-256color'],
      DetachKeys: DETACH_KEYS,
    })
    const stream = await exec.start({ hijack: true, stdin: true, Tty: true })
    await exec.resize({ w: size.columns, h: size.rows }).catch(() => undefined)
    return { exec, stream }
  } catch (error) {
    throw new Error(whyRefused(engineMessage(error)), { cause: error })
  }
}

function readGreeting(stream: Duplex): Promise<Greeting> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0)
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      stream.off('data', onBytes).off('end', fail).off('close', fail).off('error', fail)
      stream.pause()
      settle()
    }
    const fail = () => finish(() => reject(new Error(whyRefused(read.toString().trim()))))
    const onBytes = (bytes: Buffer) => {
      read = Buffer.concat([read, bytes])
      const text = read.toString('latin1')
      const greeting = GREETING.exec(text)
      if (greeting !== null) {
        const [all, pid = '', program = ''] = greeting
        finish(() => resolve({ pid, program, rest: read.subarray(greeting.index + all.length) }))
      } else if (read.length > GREETING_MAX_BYTES) fail()
    }
    const timer = setTimeout(() => finish(() => reject(new Error('it does not answer'))), RESPONSE_MS)
    stream.on('data', onBytes).on('end', fail).on('close', fail).on('error', fail)
  })
}

function whyRefused(message: string): string {
  if (/executable file not found|no such file or directory/i.test(message)) return 'its image has no shell'
  if (/is paused/.test(message)) return 'it is paused; it wakes when a job comes'
  if (/is not running|No such container/i.test(message)) return 'it is no longer running'
  return message === '' ? 'the engine ended it at once' : message
}

async function whyEnded(exec: Docker.Exec): Promise<string> {
  const { ExitCode } = await exec.inspect()
  if (ExitCode === KILLED) return 'the shell was killed: its worker has ended, or there was no memory left'
  return ExitCode === null || ExitCode === 0 ? 'the shell has exited' : `the shell has exited with code ${ExitCode}`
}

async function endProgram(container: Docker.Container, pid: string): Promise<void> {
  try {
    const exec = await container.exec({ Cmd: ['sh', '-c', END(pid)] })
    await exec.start({ Detach: true })
  } catch {
    // There is nothing left to end.
  }
}
