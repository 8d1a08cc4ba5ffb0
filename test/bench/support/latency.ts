import { setTimeout as pause } from 'node:timers/promises'
import { openConnection, requestParts } from './connection.ts'

/**
 * Sends one request after the other over one connection.
 * @param pauseMs between an answer and the next request
 * @returns how long each took, in ms
 */
export async function latencies(
  {
    port,
    path,
    headers,
    body,
  }: { readonly port: number; readonly path: string; readonly headers: readonly string[]; readonly body?: Buffer },
  count: number,
  pauseMs = 0,
): Promise<number[]> {
  const connection = await openConnection(port)
  const request = requestParts(body === undefined ? 'GET' : 'POST', path, port, headers, body ?? Buffer.alloc(0))
  const samples: number[] = []
  for (let n = 0; n < count; n++) {
    if (pauseMs > 0) await pause(pauseMs)
    const start = performance.now()
    const { status, body: answer } = await connection.send(request)
    samples.push(performance.now() - start)
    if (status !== 200) throw new Error(`${path}: ${status} ${answer.subarray(0, 300).toString()}`)
  }
  connection.close()
  return samples
}
