/** Previews end when their stdin closes, so a killed service leaves none running. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { previewEvent } from '../../contract/preview-events.ts'
import { isRecord, plainJson } from '../../lib/json/plain.ts'
import { cutLines } from '../../lib/text.ts'
import { MIB } from '../../lib/units.ts'
import type { Log, PreviewEnd, StartPreview } from '../core.ts'
import { sweepData, sweepPreviews } from './sweep-data.ts'

export type CommandLine = {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

const NOT_PASSED_ON = /^(SVC_(APP|ENV|BASE_URL|API_KEY|DATA)|DRYDOCK_LAUNCHER_PID)$/
// Length of the kept end of the error output, in characters.
const LAST_OUTPUT = 4000
const LINE_LIMIT = 4 * MIB

/** Variables without those that select a service or an app. */
export const withoutOwn = (env: CommandLine['env']): CommandLine['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !NOT_PASSED_ON.test(name)))

export function createStartPreview({
  commandLine: { program, args, env },
  data,
  log,
}: {
  readonly commandLine: CommandLine
  readonly data: string
  readonly log: Log
}): StartPreview {
  const passed = withoutOwn(env)
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
      // Own process group: Ctrl+C reaches only the service, which ends its previews in order.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let lastOutput = ''
    const ended = new Promise<PreviewEnd>((resolve) => {
      child.once('error', (error) => {
        // The system reports a missing folder like a missing program.
        const why = existsSync(folder) ? error.message : `the folder ${folder} is not there`
        resolve({ exitCode: null, lastOutput: `The preview could not be started: ${why}.` })
      })
      child.once('close', (exitCode) => {
        const end = { exitCode, lastOutput: errorTextOf(lastOutput) }
        void tidyUp(exitCode).then(() => resolve(end))
      })
    })
    // No signal: on Windows it would kill the preview, and its workers would continue.
    const stop = () => void child.stdin?.end()
    const kill = () => void child.kill('SIGKILL')
    // Missing, despite its type, when no more files can be opened; its error explains why.
    if (child.stdin === undefined) return { ended, stop, kill }
    child.stdin.on('error', () => undefined)
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

const readEvent = (line: string) => previewEvent.safeParse(plainJson(line)).data

function errorTextOf(text: string): string {
  const read = plainJson(text.trimEnd().split('\n').at(-1) ?? '')
  return isRecord(read) && typeof read.error === 'string' ? read.error : text.trim()
}
