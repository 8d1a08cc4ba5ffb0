import { basename } from 'node:path'
import { usageError } from '../../../app/cli/cli-error.ts'
import { duration, type Output } from '../../../app/cli/output.ts'
import { withSpinner } from '../../../app/cli/progress-line.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import type { ImageTest } from '../../../contract/image-builds.ts'
import { limit } from '../../../contract/limits.ts'
import type { WorkflowLock } from '../../../contract/worker-images.ts'
import { writeExact } from '../../../lib/json/plain.ts'
import type { EndpointSettings } from '../../endpoints/commands/endpoint-options.ts'
import { showWarning } from '../../endpoints/commands/show-endpoint.ts'
import { waitForEnd } from '../../jobs/commands/follow-job.ts'
import { errorText } from '../../jobs/rules/read-error.ts'
import { readOwnClasses } from '../../workflows/commands/graph/read-classes.ts'
import { convertGraph, type GraphFile, readGraphFile } from '../../workflows/commands/graph/read-graph-file.ts'
import { typesIn } from '../../workflows/rules/classes-file.ts'
import { withOthers } from '../../workflows/rules/node-types.ts'
import { CLASSES_INPUT, imageTestInput, readImageTest, TEST_VARIABLE } from '../rules/image-test.ts'
import { readLockFile } from './read-lock-file.ts'
import { onTestEndpoint } from './test-endpoint.ts'

export type ImageTestPlan = {
  readonly graph: GraphFile
  readonly lock: WorkflowLock | undefined
  readonly full: boolean | undefined
  readonly body: EndpointSettings & { readonly name: string }
  readonly takesCard: boolean
}

export type ImageTestOptions = {
  readonly workflow?: string | undefined
  readonly full?: true | undefined
  readonly gpu?: EndpointSettings | boolean | undefined
}

export async function planImageTest(
  lockFile: string | undefined,
  { workflow, full, gpu }: ImageTestOptions,
  settings: EndpointSettings,
  surroundings: Surroundings,
): Promise<ImageTestPlan> {
  const { lock, graphFile } = lockFile === undefined ? {} : await readLockFile(lockFile, surroundings)
  const { container } = settings
  if (container?.image === undefined) throw usageError('Name the image to test: --image IMAGE.')
  const file = workflow ?? graphFile
  if (file === undefined) throw usageError('The lock names no workflow. Name one: --workflow FILE.')
  return {
    graph: await readGraphFile(file, surroundings),
    lock,
    full,
    takesCard: gpu === undefined && container.machine === undefined,
    body: {
      ...settings,
      name: `test of ${basename(container.image)}`,
      env: { ...settings.env, ...TEST_VARIABLE },
      workersMax: 1,
    },
  }
}

type Shown = { readonly output: Output; readonly surroundings: Surroundings }

export async function runImageTest(
  client: ServiceClient,
  { graph, lock, full, body, takesCard }: ImageTestPlan,
  { output, surroundings, signal }: Shown & { readonly signal: AbortSignal },
): Promise<ImageTest> {
  const hasCard = takesCard && (await client.call('machineRead', { query: { fresh: 'true' } })).gpus.length > 0
  const gpu = hasCard ? { container: { ...body.container, gpu: 'ANY' } } : {}
  return onTestEndpoint(client, { ...body, ...gpu }, async (made) => {
    showWarning(output, made)
    const run = (input: string) => runTestJob(client, { endpointId: made.id, input, output, surroundings, signal })
    let types = await readOwnClasses()
    if (graph.form === 'document') {
      const { test, classes } = await run(CLASSES_INPUT)
      if (classes === undefined) return test
      types = withOthers(typesIn(classes), types)
    }
    const { raw } = convertGraph(graph, 'api', types, { now: surroundings.now(), isCompact: true })
    return (await run(imageTestInput(raw, { lock, full }))).test
  })
}

async function runTestJob(
  client: ServiceClient,
  {
    endpointId,
    input,
    output,
    surroundings,
    signal,
  }: Shown & { readonly endpointId: string; readonly input: string; readonly signal: AbortSignal },
): Promise<{ readonly test: ImageTest; readonly classes: string | undefined }> {
  const policy = { executionTimeout: limit('executionTimeoutDefaultMs') }
  const bodyText = `{"input":${input},"policy":${JSON.stringify(policy)}}`
  const { id } = await client.call('run', { path: { endpointId }, bodyText })
  const { job, reason } = await withSpinner('tests the image', { output, surroundings }, (show) =>
    waitForEnd(client, { endpointId, jobId: id }, { show, now: surroundings.now, signal }),
  )
  signal.throwIfAborted()
  const read = readImageTest(job.output)
  const classes = (job.output as { readonly object_info?: unknown } | undefined)?.object_info
  if (read !== undefined) return { test: read, classes: classes === undefined ? undefined : writeExact(classes) }
  const why = reason?.text ?? (job.error === undefined ? undefined : errorText(job.error))
  const ran = job.status === 'COMPLETED'
  const text = ran
    ? 'as a job: the worker of this image does not test step by step'
    : (why ?? `it ended as ${job.status}`)
  const name = reason === undefined ? 'runs the graph' : 'starts'
  const step = { name, passed: ran, text, seconds: (job.executionTime ?? 0) / 1000 }
  return { test: { full: true, steps: [step] }, classes: undefined }
}

export function showImageTest(output: Output, { full, steps }: ImageTest): void {
  for (const { name, passed, text, seconds } of steps) {
    const result = passed ? output.paint('green', 'passed') : output.paint('red', 'failed')
    output.line(`${result}  ${name} (${duration(seconds * 1000)}): ${text.replaceAll('\n', '\n        ')}`)
  }
  if (!full && steps.every(({ passed }) => passed))
    output.line('The graph was not run. With a GPU, or with --full, it is.')
}
