import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { CliCommand } from '../../app/cli/cli-command.ts'
import { usageError } from '../../app/cli/cli-error.ts'
import { decimal, spanIn, timeOrSpanAgo, wholeNumber } from '../../app/cli/option-values.ts'
import { duration, type Output } from '../../app/cli/output.ts'
import { withSpinner } from '../../app/cli/progress-line.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import type { EndpointConfig } from '../../contract/endpoint.ts'
import { limit } from '../../contract/limits.ts'
import type { CardPrice, WhatIfAnswer, WhatIfRow } from '../../contract/what-if.ts'
import { writeExact } from '../../lib/json/plain.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/units.ts'
import { readScaler, scalerText } from './rules/scaler-text.ts'
import { leftOutText, rowsToShow } from './rules/shown-rows.ts'

type Scaler = EndpointConfig['scaler']

type Options = {
  readonly since?: number
  readonly until?: number
  readonly trace?: string
  readonly steady?: number
  readonly burst?: number
  readonly every?: number
  readonly day?: readonly [number, number]
  readonly for?: number
  readonly seed: number
  readonly workersMin?: readonly number[]
  readonly workersMax?: readonly number[]
  readonly idleTimeout?: readonly number[]
  readonly concurrency?: readonly number[]
  readonly scaler?: readonly Scaler[]
  readonly cards?: readonly string[]
  readonly coldStart?: number
  readonly execution?: number
  readonly price?: number
  readonly prices?: string
  readonly card?: string
  readonly use?: number
  readonly all?: true
}

const listOf =
  <Value>(read: (text: string) => Value) =>
  (text: string): readonly Value[] =>
    text.split(',').map((part) => read(part.trim()))

function scaler(text: string): Scaler {
  const read = readScaler(text)
  if (read !== undefined) return read
  throw new InvalidArgumentError('It must be a delay in the queue like 4s, or jobs per worker like 3/worker.')
}

function rates(text: string): readonly [number, number] {
  const [low, high] = text.split('-').map(decimal)
  if (low === undefined || high === undefined || high <= 0)
    throw new InvalidArgumentError('It must be two rates per second, at night and at noon, like 0.1-3.')
  return [low, high]
}

export function addWhatIf(whatIf: CliCommand, surroundings: Surroundings): void {
  const time = (text: string) => timeOrSpanAgo(text, surroundings.now())
  whatIf
    .argument('<endpoint>', 'id of the endpoint')
    .option('--since <when>', 'replay the jobs since then, like 2h or 2026-11-03T14:00 (default: 24h)', time)
    .option('--until <when>', 'replay the jobs up to then (default: now)', time)
    .renamedOption('--from', '--since')
    .renamedOption('--to', '--until')
    .option('--trace <file>', 'replay lines of JSON: {"at": ms or time, "executionMs": ms}; an export of jobs is one')
    .option('--steady <rate>', 'simulate this many jobs per second', decimal)
    .option('--burst <jobs>', 'simulate bursts of this many jobs', wholeNumber)
    .option('--every <duration>', 'time between bursts (default: 1min)', spanIn('s'))
    .option('--day <low-high>', 'simulate days: jobs per second at night and at noon, like 0.1-3', rates)
    .option('--for <duration>', 'duration of a simulated load (default: 1 h; with --day one day)', spanIn('s'))
    .option('--seed <number>', 'the same seed gives the same load', wholeNumber, 1)
    .option('--workers-min <values>', 'values to try, like 0,1', listOf(wholeNumber))
    .option('--workers-max <values>', 'values to try, like 2,4,8', listOf(wholeNumber))
    .option('--idle-timeout <values>', 'values to try, like 5s,30s', listOf(spanIn('s')))
    .option('--concurrency <values>', 'values to try, like 1,4', listOf(wholeNumber))
    .option('--scaler <values>', 'values to try: 4s is a delay in the queue, 3/worker a number of jobs', listOf(scaler))
    .option('--cards <names>', 'GPUs to try, by their names in --prices', listOf(String))
    .option('--cold-start <duration>', 'use this instead of the measured cold start', spanIn('s'))
    .option('--execution <duration>', 'use this instead of the measured execution time', spanIn('s'))
    .option('--price <price>', 'price of a worker per second', decimal)
    .option('--prices <file>', 'JSON list of {"card", "perSecond", "alwaysOnPerSecond", "speed"}; or: list')
    .option('--card <name>', 'GPU of the current setting, by its name in --prices')
    .option('--all', 'print all settings, not only the best trade-offs')
    .option('--use <row>', 'apply the setting in this row of the table to the endpoint', wholeNumber)
    .details(`
By default, it tries values around the current setting. Only --use changes the endpoint.

Examples:
  $ drydock what-if greet --since 7d
  $ drydock what-if greet --steady 2 --for 1h --workers-max 1,2,4 --idle-timeout 5s,60s --price 0.00031
  $ drydock what-if greet --day 0.1-3 --prices list --card A100 --cards "A100,H100 PRO"`)
    .onSession(async ({ client, output }, endpointId: string, options: Options) => {
      const path = { endpointId }
      const priced = await pricesOf(options, surroundings, async () => await client.call('priceTableRead'))
      const body = { ...(await questionOf(options, surroundings)), ...priced }
      const answer = await withSpinner(`simulating ${endpointId}`, { output, surroundings }, () =>
        client.call('whatIf', { path, bodyText: writeExact(body) }),
      )
      const row = options.use === undefined ? undefined : rowToUse(answer, options.use)
      if (row !== undefined) {
        const { card: _card, ...settings } = row.setting
        await client.call('endpointUpdate', { path, body: settings })
      }
      output.result(answer, () => show(output, answer, options.all === true))
      if (row !== undefined) output.note(`Endpoint ${endpointId} now has the setting of row ${options.use}.`)
    })
}

function rowToUse({ rows }: WhatIfAnswer, number: number): WhatIfRow {
  const row = rows[number - 1]
  if (row === undefined) throw usageError(`There is no row ${number}: the table has rows 1 to ${rows.length}.`)
  return row
}

async function questionOf(options: Options, surroundings: Surroundings): Promise<object> {
  const { seed, workersMin, workersMax, idleTimeout, concurrency, scaler, cards, coldStart, execution } = options
  const values = { workersMin, workersMax, idleTimeoutMs: idleTimeout, concurrency, scaler, card: cards }
  const isVaried = Object.values(values).some((value) => value !== undefined)
  return {
    load: await loadOf(options, surroundings),
    seed,
    ...(isVaried ? { vary: values } : {}),
    coldStartMs: coldStart,
    executionMs: execution,
  }
}

async function loadOf(options: Options, { now, cwd }: Surroundings): Promise<object> {
  const { since, until, trace, steady, burst, every = MINUTE_MS, day, for: forMs } = options
  const isRecorded = since !== undefined || until !== undefined
  const named = [isRecorded || undefined, trace, steady, burst, day].filter((one) => one !== undefined)
  if (named.length > 1) throw usageError('Give one load: --since and --until, --trace, --steady, --burst or --day.')
  if (trace !== undefined) return { type: 'trace', text: await readTraceFile(resolve(cwd, trace)) }
  if (steady !== undefined) return { type: 'steady', perSecond: steady, durationMs: forMs ?? HOUR_MS }
  if (burst !== undefined) return { type: 'burst', jobs: burst, everyMs: every, durationMs: forMs ?? HOUR_MS }
  if (day !== undefined)
    return { type: 'day', lowPerSecond: day[0], highPerSecond: day[1], durationMs: forMs ?? DAY_MS }
  return { type: 'recorded', from: since ?? now() - DAY_MS, to: until ?? now() }
}

async function readTraceFile(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: Error) => {
    throw usageError(`The trace could not be read: ${error.message}`)
  })
  if (bytes.length > limit('traceBytes'))
    throw usageError(`The trace has ${bytes.length} bytes; the limit is ${limit('traceBytes')}. Shorten it.`)
  return bytes.toString()
}

const THIS = 'this card'

async function pricesOf(
  { price, prices, card }: Options,
  { cwd }: Surroundings,
  readList: () => Promise<{ readonly currency: string; readonly prices: readonly CardPrice[] }>,
): Promise<object> {
  if (price !== undefined && prices !== undefined) throw usageError('Give --price or --prices, not both.')
  if (price !== undefined) return { prices: [{ card: card ?? THIS, perSecond: price }], card: card ?? THIS }
  if (prices === undefined) return { card }
  if (prices === 'list') {
    const { currency, prices: listed } = await readList()
    const plain = listed.map(({ card, perSecond, alwaysOnPerSecond }) => ({ card, perSecond, alwaysOnPerSecond }))
    return { prices: plain, currency, card }
  }
  try {
    return { prices: JSON.parse(await readFile(resolve(cwd, prices), 'utf8')), card }
  } catch (error) {
    throw usageError(`The prices could not be read from ${prices}: ${(error as Error).message}`)
  }
}

function show(output: Output, answer: WhatIfAnswer, showsAll: boolean): void {
  const { jobs, spanMs, measured, rows, notes, currency = '' } = answer
  const { executionMs, coldStartMs } = measured
  output.fields([
    ['jobs', `${jobs} in ${duration(spanMs)}`],
    ['execution', `p50 ${duration(executionMs.p50)}, p95 ${duration(executionMs.p95)} (${executionMs.from})`],
    ['cold start', `p50 ${duration(coldStartMs.p50)}, p95 ${duration(coldStartMs.p95)} (${coldStartMs.from})`],
  ])
  output.line()
  const hasCost = rows.some(({ cost }) => cost !== undefined)
  const hasCard = rows.some(({ setting }) => setting.card !== undefined && setting.card !== THIS)
  const head = ['', '', 'workers', 'idle', 'scaler', 'at once', ...(hasCard ? ['card'] : [])]
  const figures = ['p50', 'p95', 'p99', 'cold', 'worker s', ...(hasCost ? [`cost ${currency}`.trim()] : []), 'unserved']
  const shown = showsAll ? [...rows.keys()] : rowsToShow(rows)
  output.table(
    [...head, ...figures],
    shown.flatMap((at) => {
      const row = rows[at]
      return row === undefined ? [] : [[...settingCells(row, at, hasCard), ...figureCells(row, hasCost)]]
    }),
  )
  output.line()
  if (shown.length < rows.length) output.line(`${leftOutText(rows.length - shown.length)} Show all with --all.`)
  output.line('* the current setting   > no other setting is both cheaper and quicker')
  for (const note of notes) output.line(note)
}

function settingCells({ setting, isPresent, onFrontier }: WhatIfRow, at: number, hasCard: boolean): string[] {
  const { workersMin, workersMax, idleTimeoutMs, concurrency, scaler, card } = setting
  return [
    ...[String(at + 1), `${isPresent ? '*' : ''}${onFrontier ? '>' : ''}`, `${workersMin} to ${workersMax}`],
    ...[duration(idleTimeoutMs), scalerText(scaler), String(concurrency), ...(hasCard ? [card ?? ''] : [])],
  ]
}

function figureCells({ waiting, coldShare, workerSeconds, cost, unserved }: WhatIfRow, hasCost: boolean): string[] {
  const waits = waiting === undefined ? ['', '', ''] : [waiting.p50, waiting.p95, waiting.p99].map(duration)
  return [
    ...waits,
    `${(coldShare * 100).toFixed(1)} %`,
    workerSeconds.toFixed(0),
    ...(hasCost ? [cost?.toFixed(4) ?? ''] : []),
    unserved === 0 ? '' : String(unserved),
  ]
}
