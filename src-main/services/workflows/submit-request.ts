import { readPayloadNodes } from '../../domain/workflow/payload.ts'
import { takesWorkflows } from '../../domain/workflow-runs/takes-workflows.ts'
import type { Models } from '../models/models.ts'
import type { Clock, Endpoint, Job, NewId, Storage } from '../ports.ts'
import { type Submission, submitJob } from '../queue/submit.ts'
import { graphJob } from './graph-job.ts'
import { graphOfSubmission, runOfProgram } from './graph-of-submission.ts'
import { refuseMissingModels } from './refuse-missing-models.ts'

/**
 * Queues the job of a request: on its endpoint, or, where that is a published graph, on the one behind it.
 * @throws AppError as submitJob does; MODEL_NOT_INSTALLED; BAD_FIELD with the name of a parameter, GRAPH_WITHOUT_ENDPOINT
 */
export function submitRequest(
  service: {
    readonly storage: Storage
    readonly clock: Clock
    readonly newId: NewId
    readonly models: Pick<Models, 'here'>
  },
  endpoint: Endpoint,
  submission: Submission,
): Promise<Job> {
  if (endpoint.config.graph === undefined)
    return submitJob(service, endpoint, submission, graphOfSubmission(service, endpoint, submission.input))
  const { storage } = service
  const { behind, version, payload, payloadText, input } = graphJob(storage, endpoint, submission.input)
  refuseMissingModels(service, behind, () => readPayloadNodes(payload))
  const { idempotencyKey, ...rest } = submission.request
  // Two graphs on one endpoint must not take each other's jobs for their own.
  const request = { ...rest, idempotencyKey: idempotencyKey && `${endpoint.id} ${idempotencyKey}` }
  const title = endpoint.config.name
  const isRun = takesWorkflows(behind.config)
  const writeRun = isRun ? runOfProgram(service, behind, { title, payload, payloadText }) : undefined
  return submitJob(service, behind, { ...submission, input, request }, (job) => {
    storage.graphs.addJob(job.seq, endpoint.id, version)
    writeRun?.(job)
  })
}
