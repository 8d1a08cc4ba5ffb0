/**
 * Starts previews as programs: `drydock deploy --preview` of this installation. Its standard input is held open as long
 * as the service lives, and it ends with that, so that a service that is killed leaves no preview running.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { previewEvent } from '../contract/preview-events.ts'
import { MIB } from '../contract/units.ts'
import type { Log, PreviewEnd, StartPreview } from '../core.ts'
import { cutLines } from '../domain/text.ts'
import { sweepData, sweepPreviews } from './sweep-data.ts'

/** How the command line of this installation is started. */
export type CommandLine = {
  readonly program: string
  /** Before those of the command. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

// What would make the preview another one than that of this folder and this service.
const NOT_PASSED_ON = /^(SVC_(APP|ENV|BASE_URL|API_KEY|DATA)|DRYDOCK_LAUNCHER_PID)$/
// How much of the end of the error output is held, in characters.
const LAST_OUTPUT = 4000
// An event with more is none of ours; in characters.
const LINE_LIMIT = 4 * MIB

/** Makes what starts previews. @param data the data folder of this service, beside whose data theirs are */
export function createStartPreview({
  commandLine: { program, args, env },
  data,
  log,
}: {
  readonly commandLine: CommandLine
  readonly data: string
  readonly log: Log
}): StartPreview {
  const passed = Object.fromEntries(Object.entries(env).filter(([name]) => !NOT_PASSED_ON.test(name)))
  // One that was killed left its workers running.
  async function tidyUp(exitCode: number | null): Promise<void> {
    if (exitCode === 0) return
    try {
      const left = await sweepPreviews(data, sweepData, Date.now())
      for (const { folder, why } of left) log.warn('a preview could not be tidied up', { folder, why })
    } catch (error) {
      log.warn('previews could not be tidied up', { error })
    }
  }
  return (folder, onEvent) => {
    const command = ['deploy', '--preview', '--end-with-input', '--json', '--data', data]
    const child = spawn(program, [...args, ...command], {
      cwd: folder,
      env: passed,
      // A group of its own: Ctrl+C in the terminal of the service is for the service, which ends its previews in order.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let lastOutput = ''
    const ended = new Promise<PreviewEnd>((resolve) => {
      child.once('error', (error) => {
        // The system says the same of a folder that is gone as of a program.
        const why = existsSync(folder) ? error.message : `the folder ${folder} is not there`
        resolve({ exitCode: null, lastOutput: `The preview could not be started: ${why}.` })
      })
      child.once('close', (exitCode) => {
        const end = { exitCode, lastOutput: errorTextOf(lastOutput) }
        void tidyUp(exitCode).then(() => resolve(end))
      })
    })
    // No signal: where there are none, on Windows, it would be killed, and its workers would go on.
    const stop = () => void child.stdin?.end()
    const kill = () => void child.kill('SIGKILL')
    // Where no more files can be opened it has none, whatever its type says, and its error tells why.
    if (child.stdin === undefined) return { ended, stop, kill }
    child.stdin.on('error', () => undefined) // it has ended; nothing is ever written
    const lines = cutLines(LINE_LIMIT)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of lines.take(text).filter((one) => one !== '')) {
        const event = readEvent(line)
        if (event === undefined) log.warn('a preview sent something that is not an event', { length: line.length })
        else onEvent(event)
      }
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      lastOutput = (lastOutput + text).slice(-LAST_OUTPUT)
    })
    return { ended, stop, kill }
  }
}

function readEvent(line: string) {
  try {
    return previewEvent.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}

/** The error that a command of ours ended with is a JSON document; anything else is passed on as it is. */
function errorTextOf(text: string): string {
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  try {
    const read: unknown = JSON.parse(last)
    if (typeof read === 'object' && read !== null && 'error' in read && typeof read.error === 'string')
      return read.error
  } catch {
    // It is no document.
  }
  return text.trim()
}
