import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError } from '../../../app/cli/cli-error.ts'
import { following } from '../../../app/cli/interrupt.ts'
import { duration, type Output, size } from '../../../app/cli/output.ts'
import { createStatusLine } from '../../../app/cli/progress-line.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import type { ModelDownload } from '../../../contract/models.ts'

type DownloadOptions = {
  readonly directory?: string
  readonly name?: string
  readonly folder?: string
  readonly sha256?: string
  readonly detach?: true
}

export function addDownload(models: CliCommand, surroundings: Surroundings): void {
  models
    .command('download')
    .description('download a model; it continues after this command ends and after a restart of the service')
    .argument('<address>', 'address of the file')
    .option('--directory <name>', 'kind of model, like checkpoints, loras or vae (default: from the address)')
    .option('--name <file>', 'name of the file, with subfolders if needed (default: from the address)')
    .option('--folder <path>', 'one of the model folders (default: the first one)')
    .option('--sha256 <hex>', 'expected checksum of the file')
    .option('--detach', 'do not wait until it ends')
    .details(`
If the host asks for a token or a password, the one stored with \`drydock models credentials add\` is sent.

Examples:
  $ drydock models download https://huggingface.co/OWNER/REPO/resolve/main/ink.safetensors --directory loras
  $ drydock models downloads`)
    .onSession(async ({ client, output }, url: string, options: DownloadOptions) => {
      const { detach, ...rest } = options
      const begun = await client.call('modelDownloadCreate', { body: { url, ...rest } })
      const show = createStatusLine(output, surroundings)
      const continues = () =>
        `Download ${begun.id} continues; \`drydock models downloads\` shows it, \`drydock models downloads --cancel ${begun.id}\` cancels it.`
      const download =
        detach === true
          ? begun
          : await following(continues, { output, surroundings }, () => follow(client, begun, show))
      if (output.json) output.document(download)
      else if (download.state === 'done' || detach === true) showDownload(output, download)
      if (download.state === 'failed' || download.state === 'cancelled')
        throw new CliError('DOWNLOAD_FAILED', { name: download.name, why: download.reason ?? 'it was cancelled' })
    })

  models
    .command('downloads')
    .description('list downloads; retry, cancel or remove one')
    .option('--retry <id>', 'resume a failed or cancelled download')
    .option('--cancel <id>', 'cancel a download and delete the partial file')
    .option('--forget <id>', 'remove an ended download from the list; the model stays')
    .examples('drydock models downloads', 'drydock models downloads --retry ID')
    .onSession(async ({ client, output }, options: { retry?: string; cancel?: string; forget?: string }) => {
      const { retry, cancel, forget } = options
      if (retry !== undefined) await client.call('modelDownloadRetry', { path: { downloadId: retry } })
      if (cancel !== undefined) await client.call('modelDownloadCancel', { path: { downloadId: cancel } })
      if (forget !== undefined) await client.call('modelDownloadRemove', { path: { downloadId: forget } })
      const { downloads } = await client.call('modelDownloadList')
      output.list(
        { downloads },
        'There are no downloads.',
        ['ID', 'STATE', 'MODEL', 'RECEIVED', 'REASON'],
        downloads.map((one) => [
          one.id,
          one.state,
          `${one.directory}/${one.name}`,
          receivedText(one),
          one.reason ?? '',
        ]),
      )
    })
}

async function follow(
  client: ServiceClient,
  begun: ModelDownload,
  show: (text: string) => void,
): Promise<ModelDownload> {
  let download: ModelDownload | undefined = begun
  const { modelNews } = await import('../../../contract/models.ts')
  const hasEnded = (one: ModelDownload | undefined) => one === undefined || !['waiting', 'running'].includes(one.state)
  try {
    while (!hasEnded(download)) {
      for await (const { data } of client.follow('modelDownloadList', { query: { follow: 'true' } })) {
        const { downloads } = modelNews.parse(JSON.parse(data))
        download = downloads.find(({ id }) => id === begun.id)
        if (download !== undefined) show(progressText(download))
        if (hasEnded(download)) break
      }
    }
  } finally {
    show('')
  }
  return download ?? { ...begun, state: 'cancelled', reason: 'it was removed from the list' }
}

function progressText(download: ModelDownload): string {
  const { name, state, reason, bytesPerSecond, totalBytes, receivedBytes } = download
  if (state === 'waiting') return `${name}: waits${reason === undefined ? '' : `, ${reason}`}`
  if (bytesPerSecond === undefined || bytesPerSecond === 0) return `${name}: ${receivedText(download)}`
  const left =
    totalBytes === undefined ? '' : `, ${duration(((totalBytes - receivedBytes) / bytesPerSecond) * 1000)} left`
  return `${name}: ${receivedText(download)}, ${size(bytesPerSecond)} / s${left}`
}

const receivedText = ({ receivedBytes, totalBytes }: ModelDownload) =>
  totalBytes === undefined ? size(receivedBytes) : `${size(receivedBytes)} of ${size(totalBytes)}`

function showDownload(output: Output, download: ModelDownload): void {
  const { id, state, folder, directory, name, sha256 } = download
  output.fields([
    ['model', `${directory}/${name}`],
    ['state', state],
    ['received', receivedText(download)],
    ['folder', folder],
    ['sha256', sha256],
    ['download', id],
  ])
}
