/** The service as a child process: `drydock serve` on a plain Node, as anybody starts it without a window. */
import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { z } from 'zod'
import { MIB } from '../contract/units.ts'
import type { ServiceArguments, ServiceChild } from './supervise-service.ts'

/** The line that `drydock serve --json` prints when it is ready. */
const readyLine = z.object({ ready: z.literal(true), url: z.string() })

// A log file of this size is put aside when a process starts, and replaces the one before it.
const LOG_BYTES = MIB
const LAST_OUTPUT_BYTES = 8192

/**
 * Starts it. Its standard input stays open for as long as this process lives, and the service ends with it.
 * @param commandLine how the command line of this installation is started
 * @param log file that all it writes to stderr is added to
 */
export function startServiceChild(
  { data, port }: ServiceArguments,
  {
    commandLine: { program, args },
    log,
    env = process.env,
  }: {
    readonly commandLine: { readonly program: string; readonly args: readonly string[] }
    readonly log: string
    readonly env?: NodeJS.ProcessEnv
  },
): ServiceChild {
  const command = ['serve', '--json', '--sample', '--end-with-input', '--data', data]
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) renameSync(log, `${log}.old`)
  // By descriptor: the system keeps the last words of a process that dies.
  const output = openSync(log, 'a+', 0o600)
  const start = fstatSync(output).size
  const child = spawn(program, [...args, ...command, ...(port === undefined ? [] : ['--port', String(port)])], {
    env,
    stdio: ['pipe', 'pipe', output],
    // Ctrl+C in a terminal is for the desktop, which stops its service in order.
    detached: true,
    windowsHide: true,
  })
  child.stdin?.on('error', () => undefined) // It has ended; nothing is ever written.
  return {
    pid: child.pid,
    // Without signals, as on Windows, it would be killed, and its workers would go on.
    stop: () => void (process.platform === 'win32' ? child.stdin?.end() : child.kill('SIGTERM')),
    kill: () => void child.kill('SIGKILL'),
    onReady(listener) {
      let text = ''
      child.stdout?.setEncoding('utf8').on('data', function read(more: string) {
        text += more
        const url = text.split('\n').slice(0, -1).map(urlOf).find(Boolean)
        if (url === undefined) return
        child.stdout?.off('data', read).resume()
        listener(url)
      })
    },
    onExit(listener) {
      child.once('exit', (code, signal) => {
        const text = endOfFile(output, start)
        closeSync(output)
        listener({ code, signal, output: text })
      })
      child.once('error', (error) => {
        if (child.pid !== undefined) return // A signal that could not be sent.
        closeSync(output)
        listener({ code: null, signal: null, output: `Error: ${program} cannot be started: ${error.message}` })
      })
    },
  }
}

function urlOf(line: string): string | undefined {
  try {
    return readyLine.safeParse(JSON.parse(line)).data?.url
  } catch {
    return undefined // A version manager may say a word of its own first.
  }
}

function endOfFile(file: number, start: number): string {
  const end = fstatSync(file).size
  const from = Math.max(start, end - LAST_OUTPUT_BYTES)
  const bytes = Buffer.alloc(Math.max(0, end - from))
  return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, from))
}
