import type { EndpointConfig } from '../../../contract/endpoint.ts'
import { limit } from '../../../contract/limits.ts'
import type { WhatIfRequest, WhatIfRow } from '../../../contract/what-if.ts'

export type Setting = WhatIfRow['setting']

type Values = { readonly [Name in keyof Setting]-?: readonly Setting[Name][] }

/**
 * Current setting first, then combinations with minimum at most maximum; without values, ones around the current, as
 * time allows.
 * @param jobs simulated per setting
 */
export function settingsToTry(
  config: EndpointConfig,
  { vary, card }: Pick<WhatIfRequest, 'vary' | 'card'>,
  jobs: number,
): readonly Setting[] | { readonly problem: { readonly field: string; readonly why: string } } {
  const { workersMin, workersMax, idleTimeoutMs, concurrency, scaler } = config
  const present: Setting = { workersMin, workersMax, idleTimeoutMs, concurrency, scaler, ...(card && { card }) }
  const most = Math.max(
    1,
    Math.min(limit('whatIfSettings'), Math.floor(limit('whatIfSimulatedJobs') / Math.max(1, jobs))),
  )
  const values: Values = {
    workersMin: vary?.workersMin ?? [workersMin],
    workersMax: vary?.workersMax ?? [workersMax],
    idleTimeoutMs: vary?.idleTimeoutMs ?? [idleTimeoutMs],
    concurrency: vary?.concurrency ?? [concurrency],
    scaler: vary?.scaler ?? [scaler],
    card: vary?.card ?? [card],
  }
  if (vary === undefined) return distinct([present, ...suggested(present)]).slice(0, most)
  // Counted first: six lists of twenty would be sixty million.
  const count = Object.values(values).reduce((product, list) => product * list.length, 1)
  if (count + 1 > most)
    return {
      problem: {
        field: 'vary',
        why: `makes ${count} settings, and the limit with ${jobs} jobs is ${most - 1}. Give fewer values, or fewer jobs`,
      },
    }
  return distinct([present, ...combinations(values)])
}

function combinations(values: Values): readonly Setting[] {
  return values.workersMin
    .flatMap((workersMin) => values.workersMax.map((workersMax) => ({ workersMin, workersMax })))
    .filter(({ workersMin, workersMax }) => workersMin <= workersMax)
    .flatMap((one) => values.idleTimeoutMs.map((idleTimeoutMs) => ({ ...one, idleTimeoutMs })))
    .flatMap((one) => values.concurrency.map((concurrency) => ({ ...one, concurrency })))
    .flatMap((one) => values.scaler.map((scaler) => ({ ...one, scaler })))
    .flatMap((one) => values.card.map((card) => ({ ...one, ...(card === undefined ? {} : { card }) })))
}

const MOST_WORKERS = 100
const MOST_IDLE_MS = 3_600_000

function suggested(present: Setting): readonly Setting[] {
  const { workersMin, workersMax, idleTimeoutMs, concurrency, card } = present
  const max = unique([workersMax, Math.ceil(workersMax / 2), workersMax + 1, 2 * workersMax]).filter(
    (n) => n >= 1 && n <= MOST_WORKERS,
  )
  return combinations({
    workersMin: unique([workersMin, 0, 1]),
    workersMax: max,
    idleTimeoutMs: unique([idleTimeoutMs, 1000, 30_000, 120_000]).filter((ms) => ms <= MOST_IDLE_MS),
    concurrency: [concurrency],
    scaler: [present.scaler, ...OTHER_SCALERS],
    card: [card],
  })
}

const OTHER_SCALERS: readonly Setting['scaler'][] = [
  { type: 'QUEUE_DELAY', value: 1 },
  { type: 'REQUEST_COUNT', value: 1 },
]

const unique = (values: readonly number[]) => [...new Set(values)]

function distinct(settings: readonly Setting[]): readonly Setting[] {
  return [...new Map(settings.map((setting) => [keyOf(setting), setting])).values()]
}

const keyOf = ({ workersMin, workersMax, idleTimeoutMs, concurrency, scaler, card }: Setting) =>
  JSON.stringify([workersMin, workersMax, idleTimeoutMs, concurrency, scaler.type, scaler.value, card])
