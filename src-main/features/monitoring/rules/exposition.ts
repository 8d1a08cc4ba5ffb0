/**
 * Writes Prometheus 0.0.4 and OpenMetrics 1.0 from the same samples. Source: Prometheus exposition formats; OpenMetrics
 * 1.0.
 */
import { METRICS, type MetricName, type MetricRow } from '../../../contract/metric-names.ts'
import { bucketOf, type Histogram } from './metrics.ts'

export type ExpositionForm = 'prometheus' | 'openmetrics'

export const EXPOSITION_TYPES: Readonly<Record<ExpositionForm, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

// Bucket bounds in seconds: from 5 ms, a warm worker, to an hour.
const BUCKET_BOUNDS = [
  ...[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
  ...[1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600],
] as const

// Our histograms have 10 % steps; each bound uses the nearest edge and is right within 5 %.
const EDGES = BUCKET_BOUNDS.map((seconds) => {
  const above = bucketOf(seconds * 1000)
  return seconds * 1000 - 1.1 ** (above - 1) < 1.1 ** above - seconds * 1000 ? above - 1 : above
})

export type LabelValues = readonly (string | number)[]

export type Exposition = ReturnType<typeof createExposition>

export function createExposition() {
  const lines = new Map<MetricName, string[]>()

  function linesOf(name: MetricName): string[] {
    const known = lines.get(name)
    if (known !== undefined) return known
    const fresh: string[] = []
    lines.set(name, fresh)
    return fresh
  }

  return {
    add(name: MetricName, value: number | undefined, labels: LabelValues = []) {
      if (value === undefined) return
      const row: MetricRow = METRICS[name]
      const set = labelText(row, labels)
      linesOf(name).push(`${sampleName(name, row)}${set === '' ? '' : `{${set}}`} ${value}`)
    },
    addHistogram(name: MetricName, spans: Histogram, sumMs: number, labels: LabelValues) {
      const set = labelText(METRICS[name], labels)
      const { upTo, count } = cumulative(spans)
      const into = linesOf(name)
      for (const [at, bound] of BUCKET_BOUNDS.entries())
        into.push(`${name}_bucket{${set},le="${boundText(bound)}"} ${upTo[at]}`)
      into.push(`${name}_bucket{${set},le="+Inf"} ${count}`)
      into.push(`${name}_sum{${set}} ${sumMs / 1000}`, `${name}_count{${set}} ${count}`)
    },
    addSummary(name: MetricName, { sum, count }: { readonly sum: number; readonly count: number }) {
      linesOf(name).push(`${name}_sum ${sum}`, `${name}_count ${count}`)
    },
    text(form: ExpositionForm): string {
      const families = Object.entries<MetricRow>(METRICS).flatMap(([name, row]) => {
        const samples = lines.get(name as MetricName)
        if (samples === undefined) return []
        const family = form === 'openmetrics' ? name : sampleName(name, row)
        return [`# HELP ${family} ${row.help}`, `# TYPE ${family} ${row.type}`, ...samples]
      })
      return [...families, ...(form === 'openmetrics' ? ['# EOF'] : []), ''].join('\n')
    },
  }
}

const sampleName = (name: string, { type }: MetricRow) => (type === 'counter' ? `${name}_total` : name)

const boundText = (bound: number) => (Number.isInteger(bound) ? `${bound}.0` : String(bound))

function labelText({ labels = [] }: MetricRow, values: LabelValues): string {
  return labels.map((label, at) => `${label}="${escaped(String(values[at] ?? ''))}"`).join(',')
}

function escaped(value: string): string {
  if (!/[\\"\n\r]/.test(value)) return value
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\r', ' ')
}

function cumulative(spans: Histogram): { readonly upTo: readonly number[]; readonly count: number } {
  const upTo = EDGES.map(() => 0)
  let count = 0
  for (const [bucket, times] of Object.entries(spans)) {
    count += times
    for (const [at, edge] of EDGES.entries()) if (Number(bucket) <= edge) upTo[at] = (upTo[at] ?? 0) + times
  }
  return { upTo, count }
}

export function formFor(accept: string | undefined): ExpositionForm {
  const wishes = (accept ?? '').split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 }
  })
  const weightOf = (...types: readonly string[]) =>
    Math.max(0, ...wishes.filter(({ type }) => types.includes(type)).map(({ weight }) => weight))
  const open = weightOf('application/openmetrics-text')
  return open > 0 && open >= weightOf('text/plain', 'text/*', '*/*') ? 'openmetrics' : 'prometheus'
}
