/** Runs the service as a child process: `drydock serve` on a plain Node, as users run it without a window. */
import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, renameSync, statSync } from 'node:fs'
import { z } from 'zod'
import { MIB } from '../contract/units.ts'
import { readTail } from './read-tail.ts'
import type { ServiceArguments, ServiceChild } from './supervise-service.ts'

/** The line that `drydock serve --json` prints when it is ready. */
const readyLine = z.object({ ready: z.literal(true), url: z.string() })

// A log file above this size is renamed to *.old when a process starts, which replaces the previous *.old.
const LOG_BYTES = MIB
const LAST_OUTPUT_BYTES = 8192

/**
 * Starts a service. Its standard input stays open while this process lives, and the service ends when it closes.
 * @param commandLine program and arguments of the command line of this installation
 * @param log file to which the service appends its stderr
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
  // A file descriptor, so that no output of a process that crashes is lost.
  const output = openSync(log, 'a+', 0o600)
  const start = fstatSync(output).size
  const child = spawn(program, [...args, ...command, ...(port === undefined ? [] : ['--port', String(port)])], {
    env,
    stdio: ['pipe', 'pipe', output],
    // Ctrl+C in a terminal reaches only the desktop, which stops its service gracefully.
    detached: true,
    windowsHide: true,
  })
  child.stdin?.on('error', () => undefined) // The service has ended; nothing is ever written.
  return {
    pid: child.pid,
    // Windows has no signals: kill() would end the service at once, and leave its workers running.
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
        const text = readTail(output, LAST_OUTPUT_BYTES, start)
        closeSync(output)
        listener({ code, signal, output: text })
      })
      child.on('error', (error) => {
        if (child.pid !== undefined) return // Only a signal could not be sent.
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
    return undefined // A version manager may print lines of its own first.
  }
}
