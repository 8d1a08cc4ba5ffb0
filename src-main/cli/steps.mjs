/**
 * The steps of set-up and builds: programs that run for a while, with a line on stderr that says what is done and for
 * how long. It has no dependencies and no TypeScript, as it runs on whatever Node a machine has.
 */
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of this clone or package, links resolved: the launcher is often started through a link in a bin folder. */
export const ROOT = dirname(dirname(dirname(realpathSync(fileURLToPath(import.meta.url)))))

const TICK_MS = 1000

/** @param {string} text one line */
export const say = (text) => process.stderr.write(`${text}\n`)

/** @param {number} begun a time of `performance.now()` */
export const secondsSince = (begun) => `${((performance.now() - begun) / 1000).toFixed(1)} s`

/**
 * Works, and shows what it is and how long it takes: counting on a terminal, else once at the end.
 * @template T
 * @param {string} text
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(text, work) {
  const begun = performance.now()
  const isTerminal = process.stderr.isTTY
  const show = () => process.stderr.write(`\r${text} ... ${Math.round((performance.now() - begun) / 1000)} s`)
  process.stderr.write(`${text} ...`)
  const ticks = isTerminal ? setInterval(show, TICK_MS) : undefined
  try {
    return await work()
  } finally {
    clearInterval(ticks)
    say(`${isTerminal ? `\r${text} ...` : ''} ${secondsSince(begun)}`)
  }
}

/**
 * Runs a program and collects what it prints; a signal to this process is passed to it.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ code: number | null, output: string, error?: Error, signalCode?: number }>} `signalCode`: the exit
 *   code that says which signal this process was told to end by
 */
export function run(command, args, { cwd = ROOT, env = process.env } = {}) {
  return new Promise((resolve) => {
    const chunks = []
    let signalCode
    const pass = (signal) => {
      signalCode = 128 + constants.signals[signal]
      child.kill(signal)
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    // Before the program is there: a signal that came in between would end this process alone.
    for (const signal of signals) process.on(signal, pass)
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    const end = (result) => {
      for (const signal of signals) process.off(signal, pass)
      resolve({ code: null, ...result, signalCode, output: Buffer.concat(chunks).toString() })
    }
    child.once('error', (error) => end({ error }))
    child.once('close', (code) => end({ code }))
  })
}
