import { useState } from 'react'
import type { LoadTestResult } from '../../../../src-main/contract/load-tests.ts'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'
import { Histogram } from './Histogram.tsx'

/** The results of one load test, or of two that are compared. */
export type SpansHistogramProps = {
  readonly shown: readonly { readonly name: string; readonly result: LoadTestResult }[]
}

const KINDS = { Latency: 'latency', Waited: 'delay', Ran: 'execution' } as const
const NAMES = ['Latency', 'Waited', 'Ran'] as const

/** The histogram of the latency, or of what it is made of where the requests are jobs: waiting and running. */
export function SpansHistogram({ shown }: SpansHistogramProps) {
  const [kind, setKind] = useState<keyof typeof KINDS>('Latency')
  const isSplit = shown.some(({ result }) => result.delay !== undefined || result.execution !== undefined)
  const spans = shown.map(({ name, result }) => ({ name, spans: result[KINDS[kind]] }))
  return (
    <Histogram
      title={shown.length > 1 ? `${kind}, as shares` : kind}
      shown={spans}
      aside={isSplit && <SegmentedChoice label="Which spans" choices={NAMES} value={kind} onChange={setKind} />}
    />
  )
}
