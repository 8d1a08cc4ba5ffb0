import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { GIB } from '../../contract/units.ts'
import { counted } from '../../domain/text.ts'
import { CliError } from '../cli-error.ts'
import { sizeInBytes } from '../option-values.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

type KubernetesOptions = {
  readonly output?: string
  readonly serviceUrl?: string
  readonly volumeSize: number
}

/** Size of a volume where none is given; source: ours, a few models; it can be made larger later, but not smaller. */
const VOLUME_BYTES = 10 * GIB

/** `drydock export`: an endpoint in the form of another system. */
export function addExport(exporting: Command, surroundings: Surroundings): void {
  exporting
    .command('kubernetes')
    .description('write manifests for Kubernetes: deployment, service, scaler (KEDA), claims')
    .argument('<endpoint>', 'id of an endpoint that runs an image')
    .option('-o, --output <file>', 'write to this file (default: standard output)')
    .option('--service-url <url>', 'address at which the cluster reaches this service', serviceAddress)
    .option(
      '--volume-size <size>',
      'size of each volume that is asked for, like 50g (default 10g)',
      sizeInBytes,
      VOLUME_BYTES,
    )
    .addHelpText(
      'after',
      `
The comments at the top say what to make first, and which settings have no counterpart. Values of secrets are never
written: the manifests name Secrets that you make.

Examples:
  $ drydock export kubernetes web -o web.yaml && kubectl apply -f web.yaml
  $ drydock export kubernetes sdxl --service-url http://drydock.tools.svc:8790 --volume-size 100g`,
    )
    .action(async (endpointId: string, options: KubernetesOptions, command: Command) => {
      const { exportToKubernetes, whyNotExported } = await import('../../domain/export/kubernetes.ts')
      const { client, output, service } = await openSession(command, surroundings)
      const endpoint = await client.call('endpointRead', { path: { endpointId } })
      const why = whyNotExported(endpoint)
      if (why !== undefined) throw new CliError('NOT_EXPORTED', { endpointId, why })
      const { app } = endpoint
      const environment =
        app && (await client.call('environmentRead', { path: { app: app.name, environment: app.environment } }))
      const exported = exportToKubernetes(endpoint, {
        serviceUrl: options.serviceUrl ?? service.url,
        variables: environment?.variables.map(({ name }) => name) ?? [],
        volumeBytes: options.volumeSize,
      })
      const { manifestsText } = await import('../manifests-text.ts')
      const text = manifestsText(`Endpoint ${endpointId} of Drydock, for Kubernetes.`, exported)
      const { output: file } = options
      if (file === undefined) {
        if (output.json) output.document(exported)
        else surroundings.stdout.write(text)
        return
      }
      const { writeText } = await import('../workflow/save-results.ts')
      const path = resolve(surroundings.cwd, file)
      await writeText(path, text, surroundings)
      const { manifests, needs, notes } = exported
      if (output.json) output.document({ file: path, manifests: manifests.length, needs, notes })
      else
        output.line(`${counted(manifests.length, 'manifest')} written to ${path}; its first lines say what they need`)
    })
}

function serviceAddress(text: string): string {
  if (!/^https?:\/\/[^/?#\s@]+\/*$/.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('It must be an address like http://drydock.tools.svc:8790.')
  return text.replace(/\/+$/, '')
}
