/** Which images of workers nobody needs any more. */
import type Docker from 'dockerode'

/** Names of the images of workers: `drydock-worker:0.1.0-HASH`, with packages `...-HASH-ID` on `packages-ID`. */
export type ImageNames = {
  /** Without tags. */
  readonly repository: string
  /** Start of the tags of this version. */
  readonly tag: string
  /** The images of workers that were asked for since the service started. */
  readonly inUse: ReadonlySet<string>
}

/**
 * Images of packages that stay although nobody has asked for them since the start: that of an endpoint which sleeps takes
 * minutes and a network to make again. Source: ours; torch with its libraries takes 5 GB.
 */
const KEPT_PACKAGE_IMAGES = 5

/**
 * The images to remove, in this order: those of other versions, and those of packages that newer ones have pushed out.
 * @param images as the engine lists them
 */
export function oldImages(
  images: readonly Pick<Docker.ImageInfo, 'RepoTags' | 'Created'>[],
  { repository, tag, inUse }: ImageNames,
): readonly string[] {
  const all = images
    .toSorted((a, b) => b.Created - a.Created)
    .flatMap(({ RepoTags }) => RepoTags ?? [])
    .filter((name) => name.startsWith(`${repository}:`))
  const ids = all.flatMap((name) => idOf(name, repository) ?? [])
  const isInUse = (id: string) => [...inUse].some((name) => hasPackages(name, id))
  const old = ids.slice(KEPT_PACKAGE_IMAGES).filter((id) => !isInUse(id))
  const workers = all.filter(
    (name) =>
      idOf(name, repository) === undefined &&
      (!name.startsWith(`${repository}:${tag}`) || old.some((id) => hasPackages(name, id))),
  )
  // An image on which another one is built cannot go before that one.
  return [...workers, ...old.map((id) => packageImageName(repository, id))]
}

/** Name of the image of packages with this id. */
export function packageImageName(repository: string, id: string): string {
  return `${repository}:packages-${id}`
}

const hasPackages = (name: string, id: string) => name.includes(`-${id}`)

function idOf(name: string, repository: string): string | undefined {
  const start = packageImageName(repository, '')
  return name.startsWith(start) ? name.slice(start.length) : undefined
}
