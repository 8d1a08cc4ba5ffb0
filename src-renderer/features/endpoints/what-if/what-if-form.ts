/** The form of a what-if question: what was typed, and the question that it makes. */
import type { EndpointUpdate } from '../../../../src-main/contract/endpoint.ts'
import type { CardPrice, PriceTable, WhatIfRow } from '../../../../src-main/contract/what-if.ts'
import { scalerText } from '../../../../src-main/domain/text.ts'
import { duration } from '../../../ui/format.ts'

/** The loads that can be chosen. */
export const LOADS = {
  recorded: 'Recorded jobs',
  steady: 'Steady load',
  burst: 'Bursts',
  day: 'Day curve',
  trace: 'Trace file',
} as const

/** What was typed, as text. */
export type WhatIfForm = {
  readonly load: keyof typeof LOADS
  readonly hours: string
  readonly rate: string
  readonly jobs: string
  readonly every: string
  readonly low: string
  readonly trace: string | undefined
  readonly coldStart: string
  readonly execution: string
  readonly card: string
  readonly price: string
}

/** The form at first. */
export const EMPTY_FORM: WhatIfForm = {
  load: 'recorded',
  hours: '24',
  rate: '1',
  jobs: '50',
  every: '60',
  low: '0.1',
  trace: undefined,
  coldStart: '',
  execution: '',
  card: '',
  price: '',
}

/** Names of the fields that may be wrong. */
export type FormProblem = { readonly field: keyof WhatIfForm; readonly why: string }

// What a price stands for that belongs to no card of the list.
const OWN_CARD = 'own price'

const HOUR_MS = 3_600_000

/** Makes the question. @param now ms since the epoch */
export function toQuestion(
  form: WhatIfForm,
  prices: PriceTable | undefined,
  now: number,
): { readonly body: object } | { readonly problem: FormProblem } {
  const wrong = NUMBERS.find((field) => isAsked(field, form) && !isNumber(form[field] ?? ''))
  if (wrong !== undefined) return { problem: { field: wrong, why: 'Enter a number, 0 or more.' } }
  if (form.load === 'trace' && form.trace === undefined)
    return { problem: { field: 'trace', why: 'Choose a file of JSON lines.' } }
  const card = priceOf(form, prices)
  return {
    body: {
      load: loadOf(form, now),
      ...(form.coldStart === '' ? {} : { coldStartMs: Number(form.coldStart) * 1000 }),
      ...(form.execution === '' ? {} : { executionMs: Number(form.execution) * 1000 }),
      ...(card === undefined ? {} : { prices: [card], card: card.card, currency: prices?.currency }),
    },
  }
}

const NUMBERS = ['hours', 'rate', 'jobs', 'every', 'low', 'coldStart', 'execution', 'price'] as const

const FIELDS_OF: Readonly<Record<keyof typeof LOADS, readonly (keyof WhatIfForm)[]>> = {
  recorded: ['hours'],
  steady: ['rate', 'hours'],
  burst: ['jobs', 'every', 'hours'],
  day: ['low', 'rate', 'hours'],
  trace: ['trace'],
}

/** Whether a load is described by this field. */
export const isOfLoad = (field: keyof WhatIfForm, load: WhatIfForm['load']) => FIELDS_OF[load].includes(field)

const isAsked = (field: keyof WhatIfForm, form: WhatIfForm) =>
  isOfLoad(field, form.load) || (['coldStart', 'execution', 'price'].includes(field) && form[field] !== '')

const isNumber = (text: string) => /^\d{1,9}(\.\d+)?$/.test(text.trim())

function loadOf({ load, hours, rate, jobs, every, low, trace }: WhatIfForm, now: number): object {
  const durationMs = Math.round(Number(hours) * HOUR_MS)
  switch (load) {
    case 'recorded':
      return { type: load, from: Math.max(0, now - durationMs), to: now }
    case 'steady':
      return { type: load, perSecond: Number(rate), durationMs }
    case 'burst':
      return { type: load, jobs: Number(jobs), everyMs: Number(every) * 1000, durationMs }
    case 'day':
      return { type: load, lowPerSecond: Number(low), highPerSecond: Number(rate), durationMs }
    case 'trace':
      return { type: load, text: trace ?? '' }
  }
}

function priceOf({ card, price }: WhatIfForm, prices: PriceTable | undefined): CardPrice | undefined {
  if (price !== '') return { card: OWN_CARD, perSecond: Number(price) }
  const listed = prices?.prices.find((one) => one.card === card)
  return listed && { card, perSecond: listed.perSecond, alwaysOnPerSecond: listed.alwaysOnPerSecond }
}

/** A setting in one line. */
export function settingText({
  workersMin,
  workersMax,
  idleTimeoutMs,
  scaler,
  concurrency,
}: WhatIfRow['setting']): string {
  return `${workersMin} to ${workersMax} workers, idle ${duration(idleTimeoutMs)}, ${scalerText(scaler)}, ${concurrency} at once`
}

/** What is written to an endpoint so that it has this setting. */
export function updateOf({ card: _card, ...settings }: WhatIfRow['setting']): EndpointUpdate {
  return settings
}

/** What the frontier is drawn over: cost, or worker-seconds where no price is known. */
export const costOf = ({ cost, workerSeconds }: WhatIfRow): number => cost ?? workerSeconds
