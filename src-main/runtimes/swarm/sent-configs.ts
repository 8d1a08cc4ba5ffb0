/**
 * Sends our programs as swarm configs, available before any connection to nodes. Folders are compressed, split and
 * named by content; larger files: node-files.ts.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FolderKind } from '../../features/machines/rules/sent-files.ts'
import { KIB } from '../../lib/units.ts'
import type { Connected } from '../docker/engine.ts'
import { CONFLICT, statusOf } from '../docker/engine-messages.ts'
import { LABELS } from '../docker/labels.ts'
import { createHashCache, readFolder } from '../remote/read-folder.ts'

type Docker = Connected['docker']

export type SentFolder = { readonly path: string; readonly kind: FolderKind; readonly target: string }

export type Unpacked = { readonly target: string; readonly parts: readonly string[] }

export type ConfigFile = {
  readonly ConfigID: string
  readonly ConfigName: string
  readonly File: { readonly Name: string; readonly UID: '0'; readonly GID: '0'; readonly Mode: number }
}

export type SentFolders = { readonly configs: readonly ConfigFile[]; readonly unpacked: readonly Unpacked[] }

// Source: Docker, 500 KiB per config, minus its frame.
const PART_BYTES = 480 * KIB
const FOLDER = '/opt/drydock/sent'
const ALL_MAY_READ = 0o444
const HASH_LENGTH = 20

export function createSentConfigs(serviceId: string, now: () => number) {
  const hashes = createHashCache()
  const known = new Map<string, string>()

  async function packed(folder: SentFolder, signal: AbortSignal): Promise<Buffer> {
    const { entries, files } = await readFolder(folder, hashes, { now, signal })
    const contents: Buffer[] = []
    const lines = await Promise.all(
      entries.map(async (entry) => {
        if ('link' in entry) return { path: entry.path, link: entry.link }
        if ('folder' in entry) return { path: entry.path }
        const bytes = await readFile(files.get(entry.sha256) ?? '')
        return { path: entry.path, bytes, mode: entry.executable === true ? 0o755 : 0o644 }
      }),
    )
    const head = lines.map(({ bytes, ...line }) => {
      if (bytes === undefined) return line
      contents.push(bytes)
      return { ...line, size: bytes.length }
    })
    return promisify(gzip)(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...contents]))
  }

  async function ensure(docker: Docker, name: string, data: Buffer): Promise<string> {
    const before = known.get(name)
    if (before !== undefined) return before
    const [found] = (await docker.listConfigs({ filters: { name: [name] } })).filter((one) => one.Spec?.Name === name)
    const id = found?.ID ?? (await make(docker, name, data))
    known.set(name, id)
    return id
  }

  async function make(docker: Docker, name: string, data: Buffer): Promise<string> {
    try {
      const made = await docker.createConfig({
        Name: name,
        Labels: { [LABELS.service]: serviceId },
        Data: data.toString('base64'),
      })
      return made.id
    } catch (error) {
      if (statusOf(error) !== CONFLICT) throw error
      return ensure(docker, name, data)
    }
  }

  return {
    async send(docker: Docker, folders: readonly SentFolder[], signal: AbortSignal): Promise<SentFolders> {
      const configs: ConfigFile[] = []
      const unpacked: Unpacked[] = []
      for (const folder of folders) {
        const archive = await packed(folder, signal)
        const hash = createHash('sha256').update(archive).digest('hex').slice(0, HASH_LENGTH)
        const parts: string[] = []
        for (let from = 0; from < archive.length; from += PART_BYTES) {
          const name = `drydock-${serviceId}-${hash}-${parts.length}`
          const id = await ensure(docker, name, archive.subarray(from, from + PART_BYTES))
          const path = `${FOLDER}/${hash}-${parts.length}`
          const file = { Name: path, UID: '0', GID: '0', Mode: ALL_MAY_READ } as const
          configs.push({ ConfigID: id, ConfigName: name, File: file })
          parts.push(path)
        }
        unpacked.push({ target: folder.target, parts })
      }
      return { configs, unpacked }
    },
    async removeOld(docker: Docker): Promise<void> {
      known.clear()
      const found = await docker.listConfigs({ filters: { label: [`${LABELS.service}=${serviceId}`] } })
      await Promise.all(
        found.map(({ ID }) =>
          docker
            .getConfig(ID)
            .remove()
            .catch(() => undefined),
        ),
      )
    },
  }
}

const UNPACK = `
import gzip, json, os, sys
for one in json.loads(sys.argv[1]):
    packed = b"".join(open(part, "rb").read() for part in one["parts"])
    head, _, rest = gzip.decompress(packed).partition(b"\\n")
    at = 0
    for entry in json.loads(head):
        path = os.path.join(one["target"], entry["path"])
        os.makedirs(os.path.dirname(path) if "size" in entry or "link" in entry else path, exist_ok=True)
        if "link" in entry:
            os.symlink(entry["link"], path)
        elif "size" in entry:
            with open(path, "wb") as file:
                file.write(rest[at:at + entry["size"]])
            at += entry["size"]
            os.chmod(path, entry["mode"])
os.execvp(sys.argv[2], sys.argv[2:])
`

export function unpackThen(folders: readonly Unpacked[], command: readonly string[]): string[] {
  if (folders.length === 0) return [...command]
  return ['python3', '-c', UNPACK, JSON.stringify(folders), ...command]
}
