import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import type { ServiceClient } from '../client.ts'
import type { DemoStep, StepResult } from '../demo-steps.ts'
import { counted, duration } from '../format.ts'
import { type Output, valueText } from '../output.ts'
import { outputOf } from '../session.ts'
import { startService } from '../start-service.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock demo`: a service on a fresh data folder, real jobs, every answer checked; nothing is left behind. */
export function addDemo(program: Command, surroundings: Surroundings): void {
  program
    .command('demo')
    .description('run a service on a fresh data folder, send it real jobs and check every answer')
    .addHelpText(
      'after',
      '\nThe exit code is 0 only if each answer was right.\n\nExamples:\n  $ drydock demo\n  $ drydock demo --json',
    )
    .action(async (_options: object, command: Command) => {
      const output = outputOf(command, surroundings)
      const stop = new AbortController()
      const off = surroundings.onStopSignal((signal) => {
        stop.abort(new CliError('ABANDONED', { why: `The demo was stopped by ${signal}.` }))
      })
      const data = await mkdtemp(join(tmpdir(), 'drydock-demo-'))
      try {
        await onFreshService(data, output, stop.signal)
      } finally {
        await rm(data, { recursive: true, force: true })
        off()
      }
    })
}

async function onFreshService(data: string, output: Output, signal: AbortSignal): Promise<void> {
  const [{ createClient }, { DEMO_STEPS }] = await Promise.all([import('../client.ts'), import('../demo-steps.ts')])
  const began = performance.now()
  const server = await startService({ data, port: 0, logLevel: 'silent' })
  try {
    if (!output.json) output.line(`A service is up at ${server.url} after ${duration(performance.now() - began)}.`)
    const client = createClient({ url: server.url, key: (await readFile(server.keyFile, 'utf8')).trim() })
    await Promise.race([playAll(DEMO_STEPS, client, output, signal), rejectionOf(signal)])
  } finally {
    await server.stop()
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

type PlayedStep = { readonly step: string; readonly right: boolean; readonly tookMs: number } & StepResult

/** @throws CliError DEMO_FAILED unless every check of every step was right */
async function playAll(
  steps: readonly DemoStep[],
  client: ServiceClient,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const played: PlayedStep[] = []
  for (const step of steps) {
    const began = performance.now()
    const result = await play(step, client)
    signal.throwIfAborted()
    const right = result.checks.every((check) => check.right)
    const tookMs = Math.round(performance.now() - began)
    played.push({ step: step.name, right, tookMs, ...result })
    if (!output.json) showStep(output, step, result, { right, tookMs })
  }
  const wrong = played.filter(({ right }) => !right).length
  const all = counted(played.length, 'step')
  if (output.json) output.document({ right: wrong === 0, steps: played })
  else output.line(wrong === 0 ? `\nAll ${all} were right.` : `\n${wrong} of ${all} went wrong.`)
  if (wrong > 0) throw new CliError('DEMO_FAILED', { count: `${counted(wrong, 'step')} of the demo` })
}

/** Runs a step; one that the service refused counts as a wrong answer, and the demo goes on. */
async function play(step: DemoStep, client: ServiceClient): Promise<StepResult> {
  try {
    return await step.run(client)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { exchanges: [], checks: [{ what: 'answer', got: error.body, wanted: 'an answer', right: false }] }
  }
}

// Characters of an answer that are shown, and of a line; source: ours, so that a job record is whole and a line fits.
const ANSWER_LENGTH = 300
const LINE = /.{1,109}(?:,|$)|.{1,110}/gs
// Width of the column with marks and names of steps.
const MARGIN = 12

function showStep(
  output: Output,
  step: DemoStep,
  result: StepResult,
  { right, tookMs }: { right: boolean; tookMs: number },
): void {
  const mark = right ? output.paint('green', '✓') : output.paint('red', '✗')
  output.line()
  output.line(`${mark} ${output.paint('bold', step.name.padEnd(MARGIN - 2))}${step.about} (${duration(tookMs)})`)
  const indent = ' '.repeat(MARGIN)
  for (const { question, answer } of result.exchanges) {
    const [first, ...more] = lines(valueText(answer))
    output.line(indent + lines(question).join(`\n${indent}`))
    output.line(`${indent}  ${output.paint('gray', '→')} ${first}`)
    for (const line of more) output.line(`${indent}    ${line}`)
  }
  for (const { what, got, wanted } of result.checks.filter((check) => !check.right)) {
    output.line(output.paint('red', `${indent}${what}: got ${valueText(got)}, wanted ${valueText(wanted)}`))
  }
}

function lines(text: string): string[] {
  const shown = text.length > ANSWER_LENGTH ? `${text.slice(0, ANSWER_LENGTH - 1)}…` : text
  // After a comma where there is one, so that few names and values are cut in two.
  return shown.match(LINE) ?? ['']
}
