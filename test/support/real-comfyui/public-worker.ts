import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { askPython } from './ask-python.ts'

/**
 * Folder of the public image worker's source, from DRYDOCK_PUBLIC_WORKER: handler.py and src/network_volume.py in it,
 * and what it imports in the Python of DRYDOCK_COMFYUI_PYTHON. Undefined where it is not there.
 */
export function findPublicWorker(): string | undefined {
  const folder = process.env.DRYDOCK_PUBLIC_WORKER
  return folder !== undefined && existsSync(join(folder, 'handler.py')) ? folder : undefined
}

/**
 * Gives inputs to the public image worker's own handler, in front of the same server. @returns its answers, in order
 */
export async function askPublicWorker(
  { folder, python, server }: { readonly folder: string; readonly python: string; readonly server: string },
  inputs: readonly string[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const script = join(import.meta.dirname, 'public_worker.py')
  return (await askPython([python, script, folder, new URL(server).host], inputs)) as Readonly<
    Record<string, unknown>
  >[]
}
