import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { METRICS, type MetricRow } from '../../../src-main/contract/metric-names.ts'

const page = readFileSync(new URL('../../../docs/spec/monitoring.md', import.meta.url), 'utf8')

it('the document lists every metric as it is', () => {
  const listed = page.split('\n').filter((line) => /^\| `(drydock|process)_/.test(line))
  const rows = Object.entries<MetricRow>(METRICS).map(([name, { type, labels = [], help }]) => {
    const sample = type === 'counter' ? `${name}_total` : name
    return `| \`${sample}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`
  })
  expect(listed).toEqual(rows)
})

it('units are base units at the end of names, and only counters end in a word of theirs', () => {
  for (const [name, { type, help }] of Object.entries<MetricRow>(METRICS)) {
    expect(name).toMatch(/^(drydock|process)_[a-z0-9_]+$/)
    expect(name).not.toMatch(/_(total|ms|milliseconds|mib|count|sum|bucket)$/)
    if (type === 'histogram' || type === 'summary') expect(name).toMatch(/_seconds$/)
    expect(help).toMatch(/\.$/)
  }
})
