/** Settings and files that ComfyUI's page stores, by endpoint. Source: docs/spec/comfyui.md, 10. */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import { isRecord } from '../../lib/json/plain.ts'
import { sizeText } from '../../lib/text.ts'
import type { Storage } from '../../storage/storage.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock }

const SETTINGS_PATH = ''

export function readSettings({ storage }: Deps, endpointId: string): Readonly<Record<string, unknown>> {
  const content = storage.comfyuiUserFiles.content(endpointId, SETTINGS_PATH)
  const settings: unknown = content === undefined ? {} : JSON.parse(content.toString())
  return isRecord(settings) ? settings : {}
}

export function changeSettings(
  deps: Deps,
  endpointId: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { storage, clock } = deps
  return storage.write(() => {
    const content = Buffer.from(JSON.stringify({ ...readSettings(deps, endpointId), ...changes }))
    if (content.length > limit('managementBodyBytes'))
      throw new AppError('BODY_TOO_LARGE', { limit: sizeText(limit('managementBodyBytes')), operation: 'settings' })
    refuseLarge(deps, endpointId, content.length)
    storage.comfyuiUserFiles.save({ endpointId, path: SETTINGS_PATH, content, now: clock.now() })
  })
}

/** @returns false if the file exists and must not be replaced */
export function saveFile(
  deps: Deps,
  endpointId: string,
  { path, content, replaces }: { readonly path: string; readonly content: Uint8Array; readonly replaces: boolean },
): Promise<boolean> {
  const { storage, clock } = deps
  return storage.write(() => {
    if (!replaces && storage.comfyuiUserFiles.get(endpointId, path) !== undefined) return false
    refuseLarge(deps, endpointId, content.length)
    storage.comfyuiUserFiles.save({ endpointId, path, content, now: clock.now() })
    return true
  })
}

function refuseLarge({ storage }: Deps, endpointId: string, bytes: number): void {
  const most = limit('comfyuiUserBytes')
  if (storage.comfyuiUserFiles.totalBytes(endpointId) + bytes > most)
    throw new AppError('NOT_DONE', {
      why: `files of ComfyUI's page at an endpoint may take ${sizeText(most)}. Delete some`,
    })
}
