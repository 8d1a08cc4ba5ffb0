import { submitRequest } from '../../services/workflows/submit-request.ts'
import { handleText, type Operation } from './operation.ts'
import { readSubmission } from './submit.ts'

/** POST run: queues a job and answers when it is durable. */
export const run: Operation = async ({ c, service, endpoint }) => {
  const submission = await readSubmission(c, 'run', undefined)
  return handleText(await submitRequest(service, endpoint, submission))
}
