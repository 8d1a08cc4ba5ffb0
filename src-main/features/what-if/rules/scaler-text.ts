import type { EndpointConfig } from '../../../contract/endpoint.ts'

export function scalerText({ type, value }: EndpointConfig['scaler'], work = 'jobs'): string {
  return type === 'QUEUE_DELAY' ? `by delay, ${value} s` : `by ${work}, ${value} a worker`
}

/** `4s` is a queue delay, `3/worker` a number of jobs; undefined: neither. */
export function readScaler(text: string): EndpointConfig['scaler'] | undefined {
  const [, jobs] = /^(\d{1,5})\/worker$/.exec(text) ?? []
  if (jobs !== undefined) return { type: 'REQUEST_COUNT', value: Number(jobs) }
  const [, seconds] = /^(\d{1,4}(?:\.\d+)?)s$/.exec(text) ?? []
  return seconds === undefined ? undefined : { type: 'QUEUE_DELAY', value: Number(seconds) }
}
