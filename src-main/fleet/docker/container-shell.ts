/**
 * A shell in a container: a program of the engine's `exec` with a terminal of its own, as the user of the container and
 * with no more rights than its worker. The engine does not end it when we let go of the terminal, so it says its number
 * first, and is ended by that.
 */
import type { Duplex } from 'node:stream'
import type Docker from 'dockerode'
import type { ShellSize } from '../../contract/workers.ts'
import type { FleetShell, ShellListener } from '../../services/ports/fleet.ts'
import { engineMessage, KILLED } from './engine-messages.ts'

// The terminal has its size before the shell begins, as that of the engine may come a moment later. Then it says its
// number and the name of the program that comes, before anything of that.
const START = ({ columns, rows }: ShellSize) =>
  `stty rows ${rows} cols ${columns} 2>/dev/null; name=sh; command -v bash >/dev/null 2>&1 && name=bash; printf '<shell %s %s>' $$ $name; exec $name`
const GREETING = /<shell (\d+) (\w+)>/
// Longer than the greeting can be: a longer text without one is a message of the engine.
const GREETING_MAX_BYTES = 4096
// A container that is stopped at a breakpoint, say, or without any time of the processor, ms; source: ours.
const RESPONSE_MS = 10_000
// Keys that let go of the terminal. The engine's own are Ctrl-P Ctrl-Q, and Ctrl-P is the command before in every
// shell.
const DETACH_KEYS = 'ctrl-^,ctrl-^,ctrl-]'
// All that runs in its session: the hangup of a terminal, and the end of whatever ignores that a moment later. The
// numbers are read from /proc, as few images have a `pkill`; there, after the name in brackets, come state, parent,
// group, session.
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

/**
 * Opens it.
 * @throws Error with a reason for a person: the image has no shell, the container does not run
 */
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
    await exec.resize({ w: size.columns, h: size.rows }).catch(() => undefined) // it has ended, and the stream says why
    return { exec, stream }
  } catch (error) {
    throw new Error(whyRefused(engineMessage(error)), { cause: error })
  }
}

/** Reads up to the end of the greeting. What the engine says instead of it is why there is no shell. */
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

// As the same user, who may end his own. A container that is gone has taken the program along.
async function endProgram(container: Docker.Container, pid: string): Promise<void> {
  try {
    const exec = await container.exec({ Cmd: ['sh', '-c', END(pid)] })
    await exec.start({ Detach: true })
  } catch {
    // There is nothing left to end.
  }
}
