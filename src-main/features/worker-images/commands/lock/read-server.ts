import type { CliCommand } from '../../../../app/cli/cli-command.ts'
import { globalOptions, openSession } from '../../../../app/cli/session.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import { askServer } from '../../../workflows/adapters/comfy-server.ts'
import { indexOfFolder, indexOfService, type PackageIndex } from '../../../workflows/commands/graph/graph-facts.ts'
import {
  classesOfEndpoint,
  classesOfServer,
  type KnownClasses,
  readOwnClasses,
} from '../../../workflows/commands/graph/read-classes.ts'
import { type NodeTypes, readNodeTypes, withOthers } from '../../../workflows/rules/node-types.ts'
import type { Environment } from '../../rules/formats/environment.ts'
import { readEnvironment } from '../../rules/formats/foreign-files.ts'

type AskedServer = {
  readonly types: NodeTypes
  readonly isAsked: boolean
  readonly index: PackageIndex
  readonly environment: Environment | undefined
}

export async function readServer(
  { server, endpoint }: { readonly server?: string; readonly endpoint?: string },
  { command, surroundings }: { readonly command: CliCommand; readonly surroundings: Surroundings },
): Promise<AskedServer> {
  const own = await readOwnClasses()
  const local = indexOfFolder(globalOptions(command).data, surroundings)
  if (server === undefined && endpoint === undefined)
    return { types: own, isAsked: false, index: local, environment: undefined }
  const session = endpoint === undefined ? undefined : await openSession(command, surroundings)
  const known =
    session === undefined
      ? await classesOfServer(server ?? '')
      : await classesOfEndpoint(session.client, endpoint ?? '')
  return {
    types: withOthers(readNodeTypes(known.classes), own),
    isAsked: true,
    index: session === undefined ? local : indexOfService(session.client),
    environment: await environmentOf(known, server ?? known.server),
  }
}

async function environmentOf({ version }: KnownClasses, address: string | undefined) {
  const snapshot = address === undefined ? undefined : await currentSnapshot(address)
  const comfyui = snapshot?.comfyui ?? /^ComfyUI (\S+)$/.exec(version ?? '')?.[1]
  return { ...{ nodes: [], models: [], requirements: [] }, ...snapshot, comfyui }
}

const SNAPSHOT_PATHS = ['snapshot/get_current', 'v2/snapshot/get_current']
const MOST_BYTES = 4 * 1024 * 1024

async function currentSnapshot(address: string) {
  for (const path of SNAPSHOT_PATHS) {
    try {
      const asked = { method: 'GET', path, headers: {}, body: undefined, signal: new AbortController().signal }
      const response = await askServer(address, asked)
      const text = response.status === 200 ? await response.text() : ''
      const { format, ...found } = readEnvironment(text.slice(0, MOST_BYTES))
      if (format === 'snapshot') return found
    } catch {
      // A server without ComfyUI-Manager, or with an older one, has no snapshot to give.
    }
  }
  return undefined
}
