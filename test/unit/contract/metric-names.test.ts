import { expect, it } from 'vitest'
import { METRICS, type MetricRow } from '../../../src-main/contract/metric-names.ts'

it('units are base units at the end of names, and only counters end in a word of theirs', () => {
  for (const [name, { type, help }] of Object.entries<MetricRow>(METRICS)) {
    expect(name).toMatch(/^(drydock|process)_[a-z0-9_]+$/)
    expect(name).not.toMatch(/_(total|ms|milliseconds|mib|count|sum|bucket)$/)
    if (type === 'histogram' || type === 'summary') expect(name).toMatch(/_seconds$/)
    expect(help).toMatch(/\.$/)
  }
})
