import type { ServedService } from '../served-service.ts'

/**
 * Queues a job whose input is sent as it is written: JSON of JavaScript would round its seed.
 * @param input JSON
 * @returns the job's id
 */
export async function sendJob(service: ServedService, endpointId: string, input: string): Promise<string> {
  const authorization = `Bearer ${service.read('data', 'account.key').trim()}`
  const answer = await fetch(`${service.url()}/v2/${endpointId}/run`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: `{"input":${input}}`,
  })
  const { id } = (await answer.json()) as { readonly id: string }
  return id
}
