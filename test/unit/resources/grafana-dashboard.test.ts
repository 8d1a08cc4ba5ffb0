import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { METRICS, type MetricName, type MetricRow } from '../../../src-main/contract/metric-names.ts'

type Dashboard = {
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly targets?: readonly { readonly expr: string }[]
  }[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] }
}

const dashboard: Dashboard = JSON.parse(
  readFileSync(new URL('../../../resources/grafana/drydock.json', import.meta.url), 'utf8'),
)
const expressions = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.flatMap(({ definition }) => definition ?? []),
]

/** The samples that the page has: the names of the table with what their types add. */
const SAMPLES = new Map(
  Object.entries<MetricRow>(METRICS).flatMap(([name, row]) => samplesOf(name, row).map((sample) => [sample, row])),
)

function samplesOf(name: string, { type }: MetricRow): readonly string[] {
  if (type === 'counter') return [`${name}_total`]
  if (type === 'gauge') return [name]
  return [...(type === 'histogram' ? [`${name}_bucket`] : []), `${name}_sum`, `${name}_count`]
}

const namedIn = (expression: string) =>
  [...expression.matchAll(/\b(?:drydock|process)_[a-z0-9_]+/g)].map(([name]) => name)

it('names no metric that the page does not have', () => {
  const named = expressions.flatMap(namedIn)
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((name) => !SAMPLES.has(name))).toEqual([])
})

it('asks for no label that a metric does not have', () => {
  // Prometheus adds these two to every sample.
  const added = ['instance', 'job', 'le']
  const wrong = expressions.flatMap((expression) =>
    [...expression.matchAll(/\b((?:drydock|process)_[a-z0-9_]+)\{([^}]*)\}/g)].flatMap(([, name = '', set = '']) =>
      [...set.matchAll(/(\w+)(?==)/g)]
        .map(([label = '']) => label)
        .filter((label) => ![...added, ...(SAMPLES.get(name)?.labels ?? [])].includes(label))
        .map((label) => `${name} ${label}`),
    ),
  )
  expect(wrong).toEqual([])
})

it('shows every metric of the table but what is named by its labels', () => {
  const shown = new Set(expressions.flatMap(namedIn))
  const unseen = (Object.keys(METRICS) as MetricName[]).filter(
    (name) => !samplesOf(name, METRICS[name]).some((sample) => shown.has(sample)),
  )
  expect(unseen).toEqual(['process_start_time_seconds', 'drydock_late_results'])
})

it('has panels with an id and a title of their own', () => {
  const { panels } = dashboard
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  expect(panels.every(({ title }) => title !== '')).toBe(true)
})
