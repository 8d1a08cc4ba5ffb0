import type { EndpointUpdate } from '../../../../src-main/contract/endpoint.ts'
import type { CardPrice, PriceTable, WhatIfRequest, WhatIfRow } from '../../../../src-main/contract/what-if.ts'
import { readScaler, scalerText } from '../../../../src-main/features/what-if/rules/scaler-text.ts'
import { duration } from '../../../ui/format.ts'

export const LOADS = {
  recorded: 'Recorded jobs',
  steady: 'Steady load',
  burst: 'Bursts',
  day: 'Day curve',
  trace: 'Trace file',
} as const

const TEXTS = {
  hours: '24',
  rate: '1',
  jobs: '50',
  every: '60',
  low: '0.1',
  coldStart: '',
  execution: '',
  card: '',
  price: '',
  // Values to try, comma-separated; empty means values around the current setting.
  ...{ workersMin: '', workersMax: '', idle: '', concurrency: '', scaler: '', cards: '' },
}

export type WhatIfForm = Readonly<typeof TEXTS> & {
  readonly load: keyof typeof LOADS
  readonly trace: string | undefined
}

export const EMPTY_FORM: WhatIfForm = { load: 'recorded', trace: undefined, ...TEXTS }

export type FormProblem = { readonly field: keyof WhatIfForm; readonly why: string }

const OWN_CARD = 'own price'

const HOUR_MS = 3_600_000

export function toQuestion(
  form: WhatIfForm,
  prices: PriceTable | undefined,
  now: number,
): { readonly body: object } | { readonly problem: FormProblem } {
  const wrong = NUMBERS.find((field) => isAsked(field, form) && !isNumber(form[field] ?? ''))
  if (wrong !== undefined) return { problem: { field: wrong, why: 'Enter a number, 0 or more.' } }
  if (form.load === 'trace' && form.trace === undefined)
    return { problem: { field: 'trace', why: 'Choose a file of JSON lines.' } }
  const vary = variedBy(form, prices)
  if ('problem' in vary) return vary
  const card = priceOf(form, prices)
  // Unlisted cards have no price; the field has reported it.
  const others = listOf(form.cards).flatMap((name) => listed(prices, name) ?? [])
  const all = [...(card === undefined ? [] : [card]), ...others.filter((one) => one.card !== card?.card)]
  return {
    body: {
      load: loadOf(form, now),
      ...(Object.keys(vary).length === 0 ? {} : { vary }),
      ...(form.coldStart === '' ? {} : { coldStartMs: Number(form.coldStart) * 1000 }),
      ...(form.execution === '' ? {} : { executionMs: Number(form.execution) * 1000 }),
      ...(all.length === 0 ? {} : { prices: all, currency: prices?.currency }),
      ...(card === undefined ? {} : { card: card.card }),
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
  return listed(prices, card)
}

function listed(prices: PriceTable | undefined, card: string): CardPrice | undefined {
  const found = prices?.prices.find((one) => one.card === card)
  return found && { card, perSecond: found.perSecond, alwaysOnPerSecond: found.alwaysOnPerSecond }
}

const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const numbersIn = (text: string): readonly number[] | undefined => {
  const parts = listOf(text)
  return parts.every((part) => /^\d{1,9}$/.test(part)) ? parts.map(Number) : undefined
}

function variedBy(form: WhatIfForm, prices: PriceTable | undefined): VariedValues | { readonly problem: FormProblem } {
  const wrong = (field: keyof WhatIfForm, why: string) => ({ problem: { field, why } })
  const vary: VariedValues = {}
  for (const [field, name, times] of COUNTS) {
    const values = numbersIn(form[field])
    if (values === undefined) return wrong(field, 'Enter whole numbers with commas between them, like 1, 2, 4.')
    if (values.length > 0) vary[name] = values.map((value) => value * times)
  }
  const scalers = listOf(form.scaler).map(readScaler)
  if (scalers.includes(undefined)) return wrong('scaler', 'Enter a delay like 4s, or jobs per worker like 3/worker.')
  if (scalers.length > 0) vary.scaler = scalers.filter((one) => one !== undefined)
  const cards = listOf(form.cards)
  const unknown = cards.find((card) => listed(prices, card) === undefined)
  if (unknown !== undefined) return wrong('cards', `${unknown} is not in the list of GPUs.`)
  if (cards.length > 0) vary.card = [...cards]
  return vary
}

const COUNTS = [
  ['workersMin', 'workersMin', 1],
  ['workersMax', 'workersMax', 1],
  ['idle', 'idleTimeoutMs', 1000],
  ['concurrency', 'concurrency', 1],
] as const

type VariedValues = NonNullable<WhatIfRequest['vary']>

export function settingText({
  workersMin,
  workersMax,
  idleTimeoutMs,
  scaler,
  concurrency,
}: WhatIfRow['setting']): string {
  return `${workersMin} to ${workersMax} workers, idle ${duration(idleTimeoutMs)}, ${scalerText(scaler)}, ${concurrency} at once`
}

export function updateOf({ card: _card, ...settings }: WhatIfRow['setting']): EndpointUpdate {
  return settings
}

export const costOf = ({ cost, workerSeconds }: WhatIfRow): number => cost ?? workerSeconds
