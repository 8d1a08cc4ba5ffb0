import { cancelJob } from '../../services/queue/cancel.ts'
import { purgeGraph, purgeQueue } from '../../services/queue/purge.ts'
import { retryJob } from '../../services/queue/retry.ts'
import { handleText, jobOf, jsonAnswer, type Operation } from './operation.ts'

/** POST cancel. */
export const cancel: Operation = async (request) => handleText(await cancelJob(request.service, jobOf(request)))

/** POST retry. */
export const retry: Operation = async (request) => handleText(await retryJob(request.service, jobOf(request)))

/** POST purge-queue. */
export const purge: Operation = async ({ service, endpoint }) => {
  const purgeAll = endpoint.config.graph === undefined ? purgeQueue : purgeGraph
  const removed = await purgeAll(service, endpoint.id)
  return jsonAnswer(JSON.stringify({ removed, status: 'completed' }))
}
