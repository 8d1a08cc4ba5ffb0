import { useEffect, useState } from 'react'
import { type UsageReading, usageReading } from '../../../src-main/contract/endpoint.ts'
import { useApp } from '../../store/app-context.ts'
import { addReadings, type UsageHistory } from './usage-history.ts'

const NOTHING: UsageHistory = new Map()

/** What workers use, followed while this is shown. @param endpointId only its workers */
export function useUsageHistory(endpointId: string | undefined): UsageHistory {
  const { client } = useApp()
  const [history, setHistory] = useState(NOTHING)
  useEffect(() => {
    setHistory(NOTHING)
    return client.follow<UsageReading>({
      operation: 'workerUsage',
      query: (last) => ({ endpoint: endpointId, after: last?.at ?? 0 }),
      event: 'usage',
      schema: usageReading,
      onItems: (readings) => setHistory((before) => addReadings(before, readings)),
    })
  }, [client, endpointId])
  return history
}
