import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, renameSync, statSync } from 'node:fs'
import { z } from 'zod'
import { plainJson } from '../../lib/json/plain.ts'
import { MIB } from '../../lib/units.ts'
import { readTail } from './read-tail.ts'
import type { ServiceArguments, ServiceChild } from './supervise-service.ts'

const readyLine = z.object({ ready: z.literal(true), url: z.string() })

// A larger log replaces *.old when a process starts.
const LOG_BYTES = MIB
const LAST_OUTPUT_BYTES = 8192

/**
 * The service exits when its stdin closes, as on this process's exit.
 * @param log receives its stderr
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
  // Writing directly to a file descriptor preserves all output of a crashing process.
  const output = openSync(log, 'a+', 0o600)
  const start = fstatSync(output).size
  const child = spawn(program, [...args, ...command, ...(port === undefined ? [] : ['--port', String(port)])], {
    env,
    stdio: ['pipe', 'pipe', output],
    // Ctrl+C in a terminal then reaches only the desktop, which stops the service gracefully.
    detached: true,
    windowsHide: true,
  })
  child.stdin?.on('error', () => undefined)
  return {
    pid: child.pid,
    // On Windows kill() would terminate the service immediately and leave its workers running.
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
        if (child.pid !== undefined) return
        closeSync(output)
        listener({ code: null, signal: null, output: `Error: could not start ${program}: ${error.message}` })
      })
    },
  }
}

const urlOf = (line: string): string | undefined => readyLine.safeParse(plainJson(line)).data?.url
