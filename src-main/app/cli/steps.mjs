import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Links are resolved, as the launcher is often a link in a bin folder. */
export const ROOT = rootAbove(realpathSync(fileURLToPath(import.meta.url)))

/**
 * @param {string} path
 * @returns {string}
 */
function rootAbove(path) {
  const folder = dirname(path)
  return existsSync(join(folder, 'package.json')) || folder === path ? folder : rootAbove(folder)
}

const TICK_MS = 1000
// ms to exit after a signal. Source: ours; npm ignores signals for minutes while a network hangs.
const END_LIMIT_MS = 5000

/** @param {string} text one line */
export const say = (text) => process.stderr.write(`${text}\n`)

/** @param {number} begun a time of `performance.now()` */
export const secondsSince = (begun) => `${((performance.now() - begun) / 1000).toFixed(1)} s`

/**
 * Does some work and prints how long it takes: every second on a terminal, otherwise once at the end.
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
 * Runs a program and collects its output. Passes signals to this process on to it, and kills it if it does not end.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, onStart?: (pid: number) => void }} options
 * @returns {Promise<{ code: number | null, output: string, error?: Error, signalCode?: number }>} `signalCode`: exit
 *   code for a signal that this process got meanwhile
 */
export function run(command, args, { cwd = ROOT, env = process.env, onStart = () => {} } = {}) {
  return new Promise((resolve) => {
    const chunks = []
    let signalCode
    let limit
    const pass = (signal) => {
      signalCode = 128 + constants.signals[signal]
      child.kill(signal)
      limit ??= setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS)
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    // Registered before the spawn: a signal in between would end only this process.
    for (const signal of signals) process.on(signal, pass)
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    if (child.pid !== undefined) onStart(child.pid)
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    const end = (result) => {
      for (const signal of signals) process.off(signal, pass)
      clearTimeout(limit)
      resolve({ code: null, ...result, signalCode, output: Buffer.concat(chunks).toString() })
    }
    child.once('error', (error) => end({ error }))
    child.once('close', (code) => end({ code }))
  })
}

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}
