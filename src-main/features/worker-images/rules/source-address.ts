/** Addresses, refs and names become arguments of git and paths. Source: docs/spec/worker-images.md, 1.3. */

const HTTPS = /^https:\/\/[a-z0-9][a-z0-9.-]*(?::\d{1,5})?\/[\w.~%+/-]{1,500}$/i
const SSH =
  /^(?:ssh:\/\/(?:[a-z_][\w.-]*@)?[a-z0-9][a-z0-9.-]*(?::\d{1,5})?\/|[a-z_][\w.-]*@[a-z0-9][a-z0-9.-]*:)[\w.~][\w.~/-]{0,500}$/i
const REF = /^[A-Za-z0-9_][\w.+/-]{0,199}$/
const COMMIT = /^[0-9a-f]{40}$/
const NAME = /^[A-Za-z0-9_][\w.+ -]{0,199}$/
const REGISTRY_ID = /^[a-z0-9][\w.-]{0,99}$/i
const VERSION = /^\d[\w.+-]{0,39}$/

export const isRemote = (repository: string): boolean => HTTPS.test(repository) || SSH.test(repository)
export const isRef = (ref: string): boolean => REF.test(ref) && !/\.\.|\/\/|\.lock$|[./]$/.test(ref)
export const isCommit = (ref: string): boolean => COMMIT.test(ref)
export const isFolderName = (name: string): boolean => NAME.test(name) && !/[. ]$/.test(name)

export type WantedSource =
  | { readonly registry: string; readonly version?: string | undefined }
  | { readonly repository: string; readonly ref?: string | undefined }
  | { readonly path: string }

export function registrySource(id: string, version?: string): WantedSource | undefined {
  if (!REGISTRY_ID.test(id) || (version !== undefined && !VERSION.test(version))) return undefined
  return { registry: id, ...(version === undefined ? {} : { version }) }
}

export function remoteSource(repository: string, ref?: string): WantedSource | undefined {
  if (!isRemote(repository) || (ref !== undefined && !isRef(ref))) return undefined
  return { repository, ...(ref === undefined ? {} : { ref }) }
}

export function readSource(text: string, isFolder: (path: string) => boolean): WantedSource | undefined {
  const [, id, version] = /^registry:([^@]+)(?:@(.+))?$/.exec(text) ?? []
  if (id !== undefined) return registrySource(id, version)
  if (isRemote(text)) return { repository: text }
  const [, address, ref] = /^((?:https:\/\/|ssh:\/\/|[\w.-]+@[\w.-]+:).*?)@([^@:]+)$/.exec(text) ?? []
  if (address !== undefined && ref !== undefined) return remoteSource(address, ref)
  if (/^-|::|^[a-z][a-z+.-]+:\/\/|\p{Cc}/iu.test(text)) return undefined
  if (isFolder(text)) return { path: text }
  const [, path, tag] = /^(.+?)@([^@]+)$/.exec(text) ?? []
  return path !== undefined && tag !== undefined && isRef(tag) && isFolder(path)
    ? { repository: path, ref: tag }
    : undefined
}

export function sourceText(source: WantedSource): string {
  if ('path' in source) return source.path
  const [place, at] =
    'registry' in source ? [`registry:${source.registry}`, source.version] : [source.repository, source.ref]
  return at === undefined ? place : `${place}@${at}`
}

export function plainAddress(repository: string): string {
  const scp = /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)[:/](.+)$/.exec(repository)
  const address = scp === null ? repository : `https://${scp[1]}/${scp[2]}`
  return address.replace(/(?:\.git)?\/*$/, '').toLowerCase()
}

export const folderOf = (repository: string): string =>
  /([^/:\\]+?)(?:\.git)?[/\\]*$/.exec(repository)?.[1] ?? repository

export const foldedName = (name: string): string => name.toLowerCase().replace(/[-_. ]+/g, '-')
