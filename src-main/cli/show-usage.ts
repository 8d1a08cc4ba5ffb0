import type { UsageReading } from '../contract/endpoint.ts'
import { size } from './format.ts'
import type { Output } from './output.ts'

/** Prints one reading of what workers use, or its JSON; what nobody tells is empty. */
export function showUsage(output: Output, reading: UsageReading): void {
  if (output.json) {
    output.document(reading)
    return
  }
  if (reading.workers.length === 0) {
    output.line('No worker is up. Workers start when jobs come.')
    return
  }
  output.table(
    ['WORKER', 'ENDPOINT', 'CPU', 'MEMORY', 'LIMIT', 'RECEIVED', 'SENT', 'GPU', 'GPU MEMORY'],
    reading.workers.map((used) => [
      used.workerId,
      used.endpointId,
      percent(used.cpuPercent),
      bytes(used.memoryBytes),
      bytes(used.memoryLimitBytes),
      bytes(used.networkReceivedBytes),
      bytes(used.networkSentBytes),
      percent(used.gpuPercent),
      bytes(used.gpuMemoryBytes),
    ]),
  )
}

const percent = (value: number | undefined) => (value === undefined ? '' : `${value} %`)
const bytes = (value: number | undefined) => (value === undefined ? '' : size(value))
