import { submitRequest } from '../../services/workflows/submit-request.ts'
import { clientOf, handleText, type Operation } from './operation.ts'
import { readSubmission } from './submit.ts'

/** POST run: queues a job and answers when it is durable. */
export const run: Operation = async (request) => {
  const { c, service, endpoint } = request
  const submission = await readSubmission(c, 'run', undefined)
  const job = await submitRequest(service, endpoint, submission)
  service.streamClients.hasRun(clientOf(request))
  return handleText(job)
}
