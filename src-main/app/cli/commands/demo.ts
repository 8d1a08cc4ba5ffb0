import { counted, keepStart } from '../../../lib/text.ts'
import type { ServiceClient } from '../../client/service-client.ts'
import type { CliCommand } from '../cli-command.ts'
import { CliError } from '../cli-error.ts'
import type { DemoStep, StepResult } from '../demo-steps.ts'
import { duration, type Output, valueText } from '../output.ts'
import { outputOf } from '../session.ts'
import { onFreshService, stoppable } from '../start-service.ts'
import type { Surroundings } from '../surroundings.ts'

/**
 * `drydock demo`: a service on a fresh data folder, real jobs, every response checked; everything is removed
 * afterwards.
 */
export function addDemo(demo: CliCommand, surroundings: Surroundings): void {
  demo
    .details('\nThe exit code is 0 only if every response was right.')
    .examples('drydock demo', 'drydock demo --json')
    .action(async (_options: object, command: CliCommand) => {
      const output = outputOf(command, surroundings)
      await stoppable(
        surroundings,
        (signal) => `The demo was stopped by ${signal}.`,
        (signal) => playDemo(output, signal),
      )
    })
}

async function playDemo(output: Output, signal: AbortSignal): Promise<void> {
  const { DEMO_STEPS } = await import('../demo-steps.ts')
  const began = performance.now()
  await onFreshService('demo', async (client, server) => {
    if (!output.json) output.line(`A service is up at ${server.url} after ${duration(performance.now() - began)}.`)
    await Promise.race([playAll(DEMO_STEPS, client, output, signal), rejectionOf(signal)])
  })
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

type PlayedStep = { readonly step: string; readonly right: boolean; readonly tookMs: number } & StepResult

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
  output.result(
    { right: wrong === 0, steps: played },
    wrong === 0 ? `\nAll ${all} were right.` : `\n${wrong} of ${all} went wrong.`,
  )
  if (wrong > 0) throw new CliError('DEMO_FAILED', { count: `${counted(wrong, 'step')} of the demo` })
}

async function play(step: DemoStep, client: ServiceClient): Promise<StepResult> {
  try {
    return await step.run(client)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { exchanges: [], checks: [{ what: 'answer', got: error.body, wanted: 'an answer', right: false }] }
  }
}

// Characters shown of a response, and of a line; source: ours, so that a job record is complete and a line fits.
const RESPONSE_LENGTH = 300
const LINE = /.{1,109}(?:,|$)|.{1,110}/gs
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
  const shown = keepStart(text, RESPONSE_LENGTH)
  return shown.match(LINE) ?? ['']
}
