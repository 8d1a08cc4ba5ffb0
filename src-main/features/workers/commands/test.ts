import { randomBytes } from 'node:crypto'
import { basename, resolve } from 'node:path'
import { Option } from 'commander'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError, usageError } from '../../../app/cli/cli-error.ts'
import { findService } from '../../../app/cli/find-service.ts'
import { duration, type Output } from '../../../app/cli/output.ts'
import { withSpinner } from '../../../app/cli/progress-line.ts'
import { globalOptions, outputOf } from '../../../app/cli/session.ts'
import { onFreshService, stoppable } from '../../../app/cli/start-service.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import { limit } from '../../../contract/limits.ts'
import { counted } from '../../../lib/text.ts'
import {
  addEndpointOptions,
  type EndpointOptions,
  type EndpointSettings,
  settingsOf,
} from '../../endpoints/commands/endpoint-options.ts'
import { showWarning } from '../../endpoints/commands/show-endpoint.ts'
import type { TestPlan } from '../../endpoints/commands/worker-repository.ts'
import {
  addImageBuildOptions,
  buildImageOf,
  type ImageBuildOptions,
  withRepository,
} from '../../worker-images/commands/build-repository.ts'
import { onTestEndpoint } from '../../worker-images/commands/test-endpoint.ts'
import type { ImageTestOptions } from '../../worker-images/commands/test-image.ts'
import type { TestResult } from './run-worker-tests.ts'

export function addTest(test: CliCommand, surroundings: Surroundings): void {
  addImageBuildOptions(
    addEndpointOptions(
      test.argument(
        '[folder]',
        'folder of the repository, with --build also an address of a git repository; or a workflow or its lock',
        '.',
      ),
    )
      .option('--no-gpu', 'run without the GPU that tests.json asks for, or that this machine has')
      .option('--workflow <file>', 'test an image of a workflow: its nodes, and whether it can run this graph')
      .option('--full', 'run the graph also without a GPU; its models must be there')
      .addOption(
        new Option('--build', 'build the Dockerfile of the folder, and run the tests in the new image').conflicts([
          'image',
          'handler',
          'container',
        ]),
      ),
  )
    .details(`
Each test is a job of an endpoint that is made for it and deleted afterwards. It runs the handler file of the folder, or
what --handler, --command or --image names. A test passes when its job is COMPLETED within its limit, or within
10 minutes if it has none; pulling an image and starting a worker do not count. Without a running service, one is
started for the tests. The exit code is 0 only if every test passed.

With --workflow, or a lock in place of the folder, the image that --image names is tested step by step: it starts, loads
all node classes and validates the graph, with stand-ins for missing models and pictures. With a GPU the graph runs, too.

Examples:
  $ drydock test
  $ drydock test ./worker --handler src/handler.py --env MODEL=small
  $ drydock test ./worker --build --secret id=HF_TOKEN,env=HF_TOKEN
  $ drydock test --image worker --no-gpu --json
  $ drydock test cat.lock.yaml --image ghcr.io/ada/cat:1
  $ drydock test --image ghcr.io/ada/cat:1 --workflow cat.json --full --volume ./models:/runpod-volume/models:ro`)
    .action(async (folder: string, options: TestOptions, command: CliCommand) => {
      const { lockNamed } = await import('../../worker-images/commands/read-lock-file.ts')
      const lock = lockNamed(folder, surroundings.cwd)
      if (options.workflow !== undefined || lock !== undefined) {
        await testImage(lock, options, { command, surroundings })
        return
      }
      const output = outputOf(command, surroundings)
      const results = await stoppable(
        surroundings,
        (signal) => `The tests were stopped by ${signal}.`,
        (signal) => {
          const shown = { command, output, surroundings, signal }
          const { build, file, buildArg, secret, target, cache, platform, ...settings } = options
          if (build !== true) return testFolder(resolve(surroundings.cwd, folder), settings, shown)
          return testBuilt(folder, settings, { file, buildArg, secret, target, cache, platform }, shown)
        },
      )
      const failed = results.filter(({ passed }) => !passed).length
      output.result({ passed: results.length - failed, failed, tests: results }, () => showResults(output, results))
      if (failed > 0) throw new CliError('TESTS_FAILED', { failed, of: counted(results.length, 'test') })
    })
}

// `gpu`: the value of --gpu, or false after --no-gpu.
type SettingOptions = EndpointOptions & { readonly gpu?: EndpointSettings | boolean; readonly image?: EndpointSettings }

type TestOptions = SettingOptions &
  ImageBuildOptions &
  Pick<ImageTestOptions, 'workflow' | 'full'> & { readonly build?: true }

type Shown = {
  readonly command: CliCommand
  readonly output: Output
  readonly surroundings: Surroundings
  readonly signal: AbortSignal
}

async function testFolder(
  folder: string,
  options: SettingOptions,
  { command, output, surroundings, signal }: Shown,
): Promise<readonly TestResult[]> {
  const { readTestPlan } = await import('../../endpoints/commands/worker-repository.ts')
  const plan = await readTestPlan(folder)
  const body = {
    name: `tests of ${basename(folder)}`,
    ...(await settingsFor(folder, plan, options, surroundings)),
  }
  return onService(command, surroundings, (client) => runAll(client, { body, plan, signal }, { output, surroundings }))
}

function testBuilt(
  source: string,
  options: SettingOptions,
  build: ImageBuildOptions,
  shown: Shown,
): Promise<readonly TestResult[]> {
  return withRepository(source, shown, async (repository) => {
    const { readTestPlan } = await import('../../endpoints/commands/worker-repository.ts')
    await readTestPlan(repository.folder)
    const tag = `drydock-test:${randomBytes(6).toString('hex')}`
    const { builder, warnings } = await buildImageOf(repository, { ...build, tag }, shown)
    for (const warning of warnings) shown.output.note(`warning: ${warning}`)
    try {
      return await testFolder(
        repository.folder,
        { ...options, image: { container: { image: tag, pull: 'never' } } },
        shown,
      )
    } finally {
      await builder.remove(tag)
    }
  })
}

async function testImage(
  lock: string | undefined,
  options: TestOptions,
  { command, surroundings }: { readonly command: CliCommand; readonly surroundings: Surroundings },
): Promise<void> {
  const settings = settingsOf(options, surroundings)
  const { planImageTest, runImageTest, showImageTest } = await import('../../worker-images/commands/test-image.ts')
  const plan = await planImageTest(lock, options, settings, surroundings)
  const output = outputOf(command, surroundings)
  const result = await stoppable(
    surroundings,
    (signal) => `The test was stopped by ${signal}.`,
    (signal) =>
      onService(command, surroundings, (client) => runImageTest(client, plan, { output, surroundings, signal })),
  )
  const failed = result.steps.filter(({ passed }) => !passed).length
  output.result({ passed: failed === 0, ...result }, () => showImageTest(output, result))
  if (failed > 0) throw new CliError('TESTS_FAILED', { failed, of: counted(result.steps.length, 'step') })
}

async function settingsFor(
  folder: string,
  plan: TestPlan,
  options: SettingOptions,
  surroundings: Surroundings,
): Promise<EndpointSettings> {
  const given = settingsOf(options, surroundings)
  const env = { ...plan.env, ...given.env }
  const common = { ...given, env, workersMax: given.workersMax ?? 1 }
  const { container } = given
  if (container?.image !== undefined) {
    const asks = plan.gpu !== undefined && options.gpu !== false && container.gpu === undefined
    return { ...common, container: { ...(asks ? { gpu: plan.gpu, gpuCount: plan.gpuCount } : {}), ...container } }
  }
  if (given.handler !== undefined || given.command !== undefined) return common
  const { findHandler } = await import('../../endpoints/commands/worker-repository.ts')
  const handler = await findHandler(folder)
  if (handler !== undefined) return { ...common, handler }
  throw usageError(`${folder} has no handler.py. Name what runs: --handler FILE.py, --command or --image IMAGE.`)
}

async function onService<Result>(
  command: CliCommand,
  surroundings: Surroundings,
  work: (client: ServiceClient) => Promise<Result>,
): Promise<Result> {
  const { createClient } = await import('../../../app/cli/client.ts')
  const found = await findService(globalOptions(command), surroundings).catch((error: unknown) => {
    if (error instanceof CliError && error.code === 'NOT_RUNNING') return undefined
    throw error
  })
  return found === undefined ? onFreshService('test', work) : work(createClient(found))
}

async function runAll(
  client: ServiceClient,
  {
    body,
    plan,
    signal,
  }: {
    readonly body: EndpointSettings & { readonly name: string }
    readonly plan: TestPlan
    readonly signal: AbortSignal
  },
  shown: { readonly output: Output; readonly surroundings: Surroundings },
): Promise<readonly TestResult[]> {
  const { runWorkerTest } = await import('./run-worker-tests.ts')
  const { now } = shown.surroundings
  return onTestEndpoint(client, body, async (made) => {
    showWarning(shown.output, made)
    const results: TestResult[] = []
    for (const test of plan.tests) {
      const result = await withSpinner(test.name, shown, (show) =>
        runWorkerTest(
          client,
          { endpointId: made.id, test, defaultMs: limit('executionTimeoutDefaultMs') },
          { show, now, signal },
        ),
      )
      signal.throwIfAborted()
      results.push(result)
    }
    return results
  }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw error
  })
}

function showResults(output: Output, results: readonly TestResult[]): void {
  output.table(
    ['TEST', 'RESULT', 'WAITED', 'RAN', 'LIMIT'],
    results.map(({ name, passed, delayMs, executionMs, timeoutMs }) => [
      name,
      passed ? output.paint('green', 'passed') : output.paint('red', 'failed'),
      spanText(delayMs),
      spanText(executionMs),
      duration(timeoutMs),
    ]),
  )
  for (const { name, why } of results) if (why !== undefined) output.line(`\n${name}: ${why}`)
}

const spanText = (ms: number | undefined) => (ms === undefined ? '' : duration(ms))
