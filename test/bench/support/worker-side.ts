import { existsSync, readFileSync } from 'node:fs'
import { openConnection, requestBytes, requestParts } from './connection.ts'

const NOTHING = Buffer.from('{"output":{}}')

/** The calls of one worker, made by the bench itself. */
export type WorkerSide = {
  /** Takes a job. @returns its id and how long the call took, in ms */
  readonly take: () => Promise<{ readonly id: string; readonly ms: number }>
  readonly done: (id: string, result?: Buffer) => Promise<void>
  readonly close: () => void
}

/** Takes the place of the worker that left its identity in a file (programs/stand-in-worker). */
export async function workerSide(file: string): Promise<WorkerSide> {
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20))
  const identity = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  const worker = identity.RUNPOD_POD_ID ?? ''
  const address = new URL((identity.RUNPOD_WEBHOOK_GET_JOB ?? '').replace('$ID', worker))
  const done = new URL((identity.RUNPOD_WEBHOOK_POST_OUTPUT ?? '').replace('$RUNPOD_POD_ID', worker)).pathname
  const port = Number(address.port)
  const headers = [`authorization: ${identity.RUNPOD_AI_API_KEY}`]
  const connection = await openConnection(port)
  const takeRequest = requestBytes('GET', `${address.pathname}?w=1`, port, headers)
  return {
    async take() {
      const start = performance.now()
      const { status, body } = await connection.send(takeRequest)
      const ms = performance.now() - start
      if (status !== 200) throw new Error(`job-take answered ${status}`)
      return { id: (JSON.parse(body.toString()) as { id: string }).id, ms }
    },
    async done(id, result = NOTHING) {
      const path = `${done.replace('$ID', id)}?w=1`
      const { status } = await connection.send(requestParts('POST', path, port, headers, result))
      if (status !== 200) throw new Error(`job-done answered ${status}`)
    },
    close: connection.close,
  }
}
