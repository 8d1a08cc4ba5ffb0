import { InvalidArgumentError } from 'commander'
import { confirmDeletion, YES } from '../../app/cli/ask.ts'
import type { CliCommand } from '../../app/cli/cli-command.ts'
import { usageError } from '../../app/cli/cli-error.ts'
import { wholeNumber, wordsOf } from '../../app/cli/option-values.ts'
import type { Output } from '../../app/cli/output.ts'
import type { Session } from '../../app/cli/session.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import type { Pod, PodAction } from '../../contract/pods.ts'
import { ago } from '../../lib/text.ts'
import { addressesOf } from './rules.ts'

type CreateOptions = {
  readonly port: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly command?: readonly string[]
  readonly volume?: string
  readonly volumePath?: string
  readonly gpu?: string
  readonly gpuCount?: number
  readonly registryAuth?: string
}

const CHANGES: readonly { readonly action: PodAction; readonly done: string; readonly description: string }[] = [
  { action: 'start', done: 'is starting', description: 'start a stopped pod in a new container with the same volume' },
  { action: 'stop', done: 'stopped', description: 'stop a pod; its volume is kept' },
  { action: 'restart', done: 'is restarting', description: 'restart a pod in a new container with the same volume' },
]

export function addPod(pod: CliCommand, surroundings: Surroundings): void {
  pod
    .command('create')
    .description('create a pod from an image, and start it')
    .argument('<name>', 'name of the pod')
    .argument('<image>', 'image to run, like python:3.12-slim')
    .option('--port <port>', 'port to publish on loopback, like 8888/http or 22/tcp; may be repeated', added, [])
    .option('--env <name=value>', 'environment variable; may be repeated', withVariable, {})
    .option('--command <words>', 'replaces the command of the image', wordsOf)
    .option('--volume <id>', 'network volume to mount; it is kept when the pod is deleted')
    .option('--volume-path <path>', 'path of the volume in the container (default: /workspace)')
    .option('--gpu <name>', 'ANY, a group like ADA_24, or a part of the name of a GPU')
    .option('--gpu-count <n>', 'number of GPUs', wholeNumber)
    .option('--registry-auth <name>', 'stored registry credentials for the image')
    .details(`
The container can reach other machines and this service; its ports are published on loopback only. Each start makes a
new container and keeps only the volume. The volume is deleted with the pod unless it is a network volume.

Examples:
  $ drydock pod create notes quay.io/jupyter/base-notebook --port 8888/http
  $ drydock pod create dev python:3.12-slim --command 'sleep infinity' --env MODE=dev`)
    .onSession(async ({ client, output }, name: string, imageName: string, options: CreateOptions) => {
      const { port, env, command, volume, volumePath, gpu, gpuCount, registryAuth } = options
      const made = await client.call('podCreate', {
        body: {
          ...{ name, image: imageName, ports: port, env, dockerStartCmd: command, volumeMountPath: volumePath },
          ...{ networkVolumeId: volume, gpuTypeIds: gpu === undefined ? undefined : [gpu], gpuCount },
          registry: registryAuth,
        },
      })
      output.result(made, `pod ${made.name} is starting: ${made.id}`)
    })

  pod
    .command('list', { isDefault: true })
    .description('list pods with their addresses')
    .examples('drydock pod list', 'drydock pod list --json')
    .onSession(async ({ client, output }) => {
      const response = await client.call('podList')
      output.list(
        response,
        'There are no pods. Create one with `drydock pod create`.',
        ['ID', 'NAME', 'STATE', 'IMAGE', 'ADDRESSES', 'CREATED'],
        response.pods.map((one) => [
          ...[one.id, one.name, one.status, one.image, addressTexts(one)],
          ago(Date.parse(one.createdAt), surroundings.now()),
        ]),
      )
    })

  ofPod('show', 'show a pod: state with reason, addresses and volume')
    .examples('drydock pod show dev')
    .onSession(async ({ client, output }, named: string) => {
      const found = await find(client, named)
      output.result(found, () => showPod(output, found))
    })

  ofPod('logs', 'print the log of a pod')
    .option('-n, --tail <lines>', 'only the newest lines', wholeNumber, 200)
    .option('-f, --follow', 'keep printing new lines until the container ends')
    .examples('drydock pod logs dev -f')
    .onSession(
      async (
        { client, output },
        named: string,
        { tail, follow }: { readonly tail: number; readonly follow?: true },
      ) => {
        const { id } = await find(client, named)
        const query = { tail, wait: follow === true ? undefined : 'false' }
        for await (const { data } of client.follow('podLogs', { path: { id }, query })) {
          const line: { readonly ts: string; readonly line: string } = JSON.parse(data)
          output.result(line, `${output.paint('gray', new Date(line.ts).toTimeString().slice(0, 8))}  ${line.line}`)
        }
      },
    )

  for (const { action, done, description } of CHANGES)
    ofPod(action, description)
      .examples(`drydock pod ${action} dev`)
      .onSession(async ({ client, output }, named: string) => {
        const { id, name } = await find(client, named)
        const changed = await client.call('podAct', { path: { id }, body: { action } })
        output.result(changed, `pod ${name} ${done}`)
      })

  ofPod('remove', 'delete a pod, its container and its volume')
    .option(...YES)
    .examples('drydock pod remove dev')
    .onSession(async ({ client, output }, named: string, { yes }: { yes?: true }) => {
      const { id, name } = await find(client, named)
      const what = `pod ${name} and its volume`
      await confirmDeletion({ yes, what, question: `Remove ${what}?` }, output, surroundings)
      await client.call('podDelete', { path: { id } })
      output.result({ ok: true }, `pod ${name} removed`)
    })

  function ofPod(name: string, description: string): CliCommand {
    return pod.command(name).description(description).argument('<pod>', 'name or id of the pod')
  }
}

const added = (text: string, before: readonly string[]) => [...before, text]

function withVariable(text: string, before: CreateOptions['env']): CreateOptions['env'] {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Give NAME=VALUE.')
  return { ...before, [name]: value }
}

async function find(client: Session['client'], named: string): Promise<Pod> {
  const { pods } = await client.call('podList')
  const found = pods.filter(({ id, name }) => id === named || name === named)
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  if (only === undefined) throw usageError(`There is no pod ${named}. List the pods with \`drydock pod list\`.`)
  throw usageError(`Several pods are named ${named}: ${found.map(({ id }) => id).join(', ')}. Give the id of one.`)
}

const addressTexts = (pod: Pod) =>
  addressesOf(pod)
    .map(({ text }) => text)
    .join(', ')

function showPod(output: Output, pod: Pod): void {
  const { id, name, status, statusReason, image, mounts, networkVolumeId, volumeMountPath } = pod
  output.line(`${name} (${id}): ${status}${statusReason === null ? '' : `, ${statusReason}`}`)
  output.line(`image: ${image}`)
  for (const { port, text } of addressesOf(pod)) output.line(`port ${port}: ${text}`)
  if (networkVolumeId !== null) output.line(`volume: network volume ${networkVolumeId} at ${volumeMountPath}`)
  else if (mounts.persistent !== undefined) output.line(`volume: its own, at ${mounts.persistent.path}`)
}
