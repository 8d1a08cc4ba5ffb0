/** Gives an image the same digest whenever it is built, on engines whose BuildKit does not know SOURCE_DATE_EPOCH. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { CONFLICT, ifThere, readMessages, statusOf } from './engine-messages.ts'
import { tarArchive } from './tar-archive.ts'

type TimedImage = { readonly tag: string; readonly imageId: string; readonly epoch: number }

const MAKES_LAYER = /^(RUN|COPY|ADD|WORKDIR) /

export async function withoutTimes(docker: Docker, { tag, imageId, epoch }: TimedImage): Promise<string> {
  const image = await docker.getImage(tag).inspect()
  const created = new Date(epoch * 1000)
  if (Date.parse(image.Created) === created.getTime()) return image.Id
  const layers = image.RootFS.Layers ?? []
  const entries: readonly HistoryEntry[] = await docker.getImage(tag).history()
  const config = JSON.stringify({
    created: created.toISOString(),
    architecture: image.Architecture,
    os: image.Os,
    config: image.Config,
    rootfs: { type: 'layers', diff_ids: layers },
    history: historyOf(entries, { layers: layers.length, created }),
  })
  const id = createHash('sha256').update(config).digest('hex')
  const manifest = [
    {
      Config: `${id}.json`,
      RepoTags: [tag],
      Layers: layers.map((layer) => `${layer.replace('sha256:', '')}/layer.tar`),
    },
  ]
  const file = { mode: 0o644 }
  const archive = await tarArchive([
    { ...file, path: `${id}.json`, content: Buffer.from(config) },
    { ...file, path: 'manifest.json', content: Buffer.from(JSON.stringify(manifest)) },
  ])
  for await (const { error } of readMessages(await docker.loadImage(Readable.from([archive]))))
    if (error !== undefined) throw new Error(error)
  await docker
    .getImage(imageId)
    .remove({ noprune: true })
    .catch((error: unknown) => {
      if (statusOf(error) !== CONFLICT) ifThere(error)
    })
  return `sha256:${id}`
}

type HistoryEntry = {
  readonly Created: number
  readonly CreatedBy: string
  readonly Comment: string
  readonly Size: number
}

// A configuration is valid without a history, but not with one that has other layers.
function historyOf(
  entries: readonly HistoryEntry[],
  { layers, created }: { readonly layers: number; readonly created: Date },
) {
  const history = entries.toReversed().map(({ CreatedBy, Comment, Created, Size }) => ({
    created: new Date(Math.min(Created * 1000, created.getTime())).toISOString(),
    created_by: CreatedBy,
    comment: Comment,
    ...(Size > 0 || MAKES_LAYER.test(CreatedBy) ? {} : { empty_layer: true }),
  }))
  return history.filter((entry) => !('empty_layer' in entry)).length === layers ? history : []
}
