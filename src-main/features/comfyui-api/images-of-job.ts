/** Pictures of a job's output, as OpenAI's image routes return them. Source: docs/spec/image-workflows.md, 7. */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { wait } from '../../lib/wait.ts'
import type { Job } from '../../storage/storage.ts'
import type { OpenAiFailure } from '../jobs/rules/openai-error.ts'
import type { ServiceContext } from '../service-context.ts'
import { promptOfJob } from './prompts.ts'
import { resultId } from './rules/comfy-job.ts'
import type { ImagesRequest } from './rules/openai-images.ts'

type Deps = Pick<ServiceContext, 'storage' | 'clock' | 'waiters' | 'readInThread'>
type Asked = Pick<ImagesRequest, 'format'> & { readonly request: Pick<Request, 'url' | 'signal'> }
type Image = { readonly b64_json: string } | { readonly url: string }

/** @throws AppError WORKER_TOO_SLOW if the results are not stored in time */
export async function readImagesOf(
  deps: Deps,
  ended: Job,
  { format, request }: Asked,
): Promise<readonly Image[] | OpenAiFailure> {
  const { storage, readInThread } = deps
  if (format === 'url') {
    const results = await storedResults(deps, ended, request.signal)
    const base = `${new URL(request.url).origin}/comfy/${ended.endpointId}/api/v2/assets`
    const ids = results.map((_result, index) => resultId(promptOfJob(ended.id) ?? ended.id, index))
    return ids.length === 0 ? noImage(ended) : ids.map((id) => ({ url: `${base}/${id}/content` }))
  }
  const output = await storage.jobs.readOutput(ended)
  const read = output === undefined ? undefined : await readInThread.results(output)
  const found = read === undefined || 'problem' in read ? [] : read.results
  const images = found.flatMap(({ content }) => (content.kind === 'base64' ? [{ b64_json: content.data }] : []))
  return images.length === 0 ? noImage(ended) : images
}

/** Results are stored after the end of their job. */
async function storedResults({ storage, clock, waiters }: Deps, { id }: Job, signal: AbortSignal) {
  const options = { ms: limit('waitMaxMs'), signal }
  while (storage.runs.isOpen(id))
    if ((await wait(clock, { ...options, listen: (wake) => waiters.listen(id, wake) })) === 'quiet')
      throw new AppError('WORKER_TOO_SLOW', { jobId: id })
  return storage.runs.get(id)?.results ?? []
}

const noImage = ({ id }: Job): OpenAiFailure => ({
  ...{ status: 500, retry: false },
  error: {
    message: `Job ${id} made no picture. Publish the workflow with an output node that makes one.`,
    ...{ type: 'server_error', param: null, code: 'NO_OUTPUT' },
  },
})
