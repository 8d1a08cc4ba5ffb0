import { Option } from 'commander'
import { confirmChange } from '../../../../app/cli/ask.ts'
import type { CliCommand } from '../../../../app/cli/cli-command.ts'
import { CliError, usageError } from '../../../../app/cli/cli-error.ts'
import { wholeNumber } from '../../../../app/cli/option-values.ts'
import type { Session } from '../../../../app/cli/session.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { Manifest } from '../../../../contract/manifest.ts'
import { type ImagePlan, type ImageToDeploy, imagePush } from '../../../../contract/worker-image-routes.ts'
import { present } from '../../../../lib/json/plain.ts'
import { plainId } from '../../../endpoints/rules/ids.ts'
import { addImageContentOptions, type ImageContentOptions } from '../../../worker-images/commands/image.ts'
import type { LockFile } from '../../../worker-images/commands/read-lock-file.ts'
import { type Exposed, readExposed } from '../../../workflows/commands/graph/set-values.ts'
import type { GraphOptions } from './graph-to-release.ts'
import { showImagePlan } from './show-image-plan.ts'

type Options = GraphOptions &
  ImageContentOptions & {
    readonly name?: string
    readonly image?: string
    readonly env?: string
    readonly machine?: string
    readonly target?: string
    readonly registryAuth?: string
    readonly push: boolean
    readonly gpu?: string
    readonly workersMin?: number
    readonly workersMax?: number
    readonly yes?: true
    readonly plan?: true
  }

const several =
  <One>(read: (text: string) => One) =>
  (text: string, before: readonly One[] | undefined) => [...(before ?? []), read(text)]

export function addWorkflowDeploy(parent: CliCommand, surroundings: Surroundings): void {
  addImageContentOptions(
    parent
      .command('deploy')
      .description('deploy a worker image with its graph: here, on another machine, on a swarm or to a target')
      .argument('<file>', 'lock, like cat.lock.yaml, or the workflow next to it, like cat.json')
      .option('--image <image>', 'image that was built from the lock, like ghcr.io/ada/cat:1 (default: built now)'),
  )
    .option('--name <name>', 'name of the app and of the endpoint that runs the graph (default: that of the file)')
    .option('--env <environment>', 'environment (default: production, or the only one)')
    .addOption(
      new Option(
        '--machine <machine>',
        'machine for its workers, for this and later deploys: see `drydock machine`',
      ).conflicts('target'),
    )
    .option('--target <name>', 'deploy to another service: one of `drydock target list`')
    .option('--registry-auth <name>', 'stored registry credentials for pushes and pulls')
    .option('--no-push', 'do not push the image before it is deployed elsewhere')
    .option('--gpu <gpu>', 'GPU of its workers: ANY, a group like ADA_24, or a part of a name')
    .option('--workers-min <count>', 'workers that always run', wholeNumber)
    .option('--workers-max <count>', 'most workers (default: 1)', wholeNumber)
    .option(
      '--expose <node.input[=name]>',
      'let clients set this input too; may be repeated',
      several<Exposed>(readExposed),
    )
    .option('--result <node>', 'return only the results of this node; may be repeated', several<string>(String))
    .option('--endpoint <endpoint>', 'use the node classes of this endpoint')
    .option('--plan', 'show what would change, and stop there')
    .option('-y, --yes', 'deploy without asking')
    .details(`
The plan compares the lock with that of the deployed release. Image and graph take over together when a worker of the new
image is ready; until then, and if it fails, the old ones serve. \`drydock rollback --app NAME\` brings both back.

Examples:
  $ drydock workflow deploy cat.lock.yaml
  $ drydock workflow deploy cat.lock.yaml --image ghcr.io/ada/cat:1 --expose 6.text=prompt
  $ drydock workflow deploy cat.lock.yaml --image ghcr.io/ada/cat:2 --plan
  $ drydock workflow deploy cat.lock.yaml --image ghcr.io/ada/cat:2 --machine gpu-box --gpu ANY
  $ drydock workflow deploy cat.lock.yaml --image ghcr.io/ada/cat:2 --target hosted --registry-auth work`)
    .onSession(async (session, file: string, options: Options) => {
      const { lockBeside, readLockFile } = await import('../../../worker-images/commands/read-lock-file.ts')
      const lock = lockBeside(file, surroundings.cwd)
      const read = await readLockFile(lock, surroundings)
      await deployImage(lock, read, options, { session, surroundings })
    })
}

type Deps = { readonly session: Session; readonly surroundings: Surroundings }

async function deployImage(file: string, read: LockFile, options: Options, deps: Deps): Promise<void> {
  const { session, surroundings } = deps
  const { client, output } = session
  const { checkedApp, deployTarget } = await import('./app-target.ts')
  const { target, machine, registryAuth, env } = options
  const app = checkedApp(options.name ?? nameOf(file))
  const place = target === undefined ? await deployTarget(client, app, env) : { app, environment: env ?? 'production' }
  const image = options.image ?? (await buildMissingImage(file, app, options, deps))
  const graph = await readGraph(read, options, deps)
  const body: ImageToDeploy = {
    image,
    lock: read.lock,
    settings: settingsOf(options),
    ...present({ graph, machine, target, registryAuth }),
  }
  const first = await client.call('imagePlan', { path: place, body })
  const isElsewhere = target !== undefined || machine !== undefined
  const pushes = isElsewhere && options.push && first.plan.image.sizeBytes !== undefined && options.plan !== true
  if (pushes) await push(deps, image, registryAuth)
  const { plan, manifest } = pushes ? await client.call('imagePlan', { path: place, body }) : first
  if (target !== undefined) return await deployToTarget({ ...place, target }, { plan, manifest }, options, deps)

  const { showPlan } = await import('./show-release.ts')
  const { runRelease, showRelease } = await import('./run-release.ts')
  const where = machine === undefined ? {} : { machine }
  const release = await client.call('planCreate', { path: place, body: { manifest, ...where } })
  if (!output.json) {
    showPlan(output, release, client.url)
    output.line()
    showImagePlan(output, plan)
  }
  if (options.plan === true) {
    if (output.json) output.document({ plan: release, image: plan })
    return
  }
  await confirm(plan, options, deps)
  const deletes = release.steps.filter(({ action }) => action === 'delete').map(({ resource }) => resource)
  const progress = await runRelease(session, surroundings, place, { source: { image: manifest }, deletes, ...where })
  output.result({ plan: release, image: plan, ...progress }, () => {
    showRelease(session, progress)
    const published = progress.endpoints.find(({ resource }) => resource === plainId(app))
    if (published !== undefined) output.line(`\nIts OpenAPI document: ${published.url}/openapi`)
  })
}

const nameOf = (file: string) => file.replace(/^.*[\\/]/, '').replace(/(?:\.lock)?\.ya?ml$/i, '')

async function buildMissingImage(
  file: string,
  app: string,
  { target, machine, ...content }: Options,
  { session: { client, output }, surroundings }: Deps,
): Promise<string> {
  if (target !== undefined || machine !== undefined)
    throw usageError('Name the image with its registry, which the other machine pulls from: --image ghcr.io/ada/cat:1')
  const { buildLockedImage } = await import('../../../worker-images/commands/image.ts')
  const folders = async () => (await client.call('modelFolderList')).folders
  return await buildLockedImage(file, `drydock-workflow/${plainId(app)}`, content, { output, surroundings, folders })
}

async function readGraph(read: LockFile, options: Options, { session, surroundings }: Deps) {
  const { lock, graphFile } = read
  if (graphFile === undefined) return undefined
  const { graphToRelease } = await import('./graph-to-release.ts')
  const { graphHash } = await import('../../../worker-images/commands/read-lock-file.ts')
  const { readGraphFile } = await import('../../../workflows/commands/graph/read-graph-file.ts')
  const { client, output } = session
  const file = await readGraphFile(graphFile, surroundings)
  if (graphHash(file.raw) !== lock.workflow?.sha256)
    output.note(
      `warning: ${graphFile} was changed after it was locked. Lock it again: drydock workflow lock '${graphFile}'`,
    )
  return await graphToRelease(file, options, { client, output, surroundings })
}

function settingsOf({ gpu, workersMin, workersMax }: Options): ImageToDeploy['settings'] {
  return {
    ...present({ gpuIds: gpu, workersMin, workersMax }),
  }
}

async function confirm({ limits }: ImagePlan, { yes }: Options, { session: { output }, surroundings }: Deps) {
  const over = limits.filter(({ isOver }) => isOver).map(({ name }) => name)
  const question = over.length === 0 ? 'Deploy?' : `Deploy although a limit is exceeded (${over.join(', ')})?`
  await confirmChange({ yes, question }, output, surroundings)
}

async function push({ session, surroundings }: Deps, image: string, registryAuth: string | undefined): Promise<void> {
  const { client, output } = session
  const { withSpinner } = await import('../../../../app/cli/progress-line.ts')
  const body = { image, ...(registryAuth === undefined ? {} : { registryAuth }) }
  const begun = await client.call('imagePushCreate', { body })
  const ended = await withSpinner(`pushing ${image}`, { output, surroundings }, async (report) => {
    let shown = begun
    const path = { pushId: begun.id }
    for await (const { event, data } of client.follow('imagePushRead', { path, query: { follow: 'true' } })) {
      if (event !== 'push') continue
      shown = imagePush.parse(JSON.parse(data))
      report(shown.progress?.replace(/^pushing \S+: /, '') ?? '')
    }
    return shown
  })
  if (ended.state !== 'done') throw new CliError('PUSH_FAILED', { why: ended.reason ?? 'the service stopped' })
  if (!output.json) output.line(`Pushed ${image} (${ended.digest}).`)
}

async function deployToTarget(
  place: { readonly target: string; readonly app: string; readonly environment: string },
  { plan: image, manifest }: { readonly plan: ImagePlan; readonly manifest: Manifest },
  options: Options,
  deps: Deps,
): Promise<void> {
  const { session, surroundings } = deps
  const { client, output } = session
  const { showPlan } = await import('./show-release.ts')
  const { runOnTarget } = await import('./deploy-to-target.ts')
  const body = { source: { image: manifest } }
  const plan = await client.call('targetPlan', { path: place, body })
  if (!output.json) {
    showPlan(output, plan, `target ${place.target}`)
    output.line()
    showImagePlan(output, image)
  }
  if (options.plan === true) {
    if (output.json) output.document({ plan, image })
    return
  }
  await confirm(image, options, deps)
  const { endpoints } = await runOnTarget(session, surroundings, { place, plan, body })
  const [endpoint] = endpoints
  if (output.json || endpoint === undefined) return
  const call = `curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d @request.json ${endpoint.url}/runsync`
  output.line(
    `\nTry, with {"input": {"workflow": GRAPH}} in request.json and the key of ${place.target} in KEY:\n  ${call}`,
  )
}
