import type { AssetView } from '../../../../src-main/contract/workflows.ts'
import type { Caller } from '../../../api-client/client.ts'
import { withPageKey } from '../../../api-client/page-key.ts'

export const assetAddress = (asset: string): string => withPageKey(`/api/assets/${asset}`)

/** @throws Error that says `problem` if the file is no longer stored */
export async function readAsset(asset: string, problem: string): Promise<Blob> {
  const response = await fetch(assetAddress(asset))
  if (!response.ok) throw new Error(problem)
  return response.blob()
}

/**
 * Stores a file.
 * @param name for nodes to use; numbered by the service if taken, undefined for none
 * @throws ApiError, or Error if the browser cannot read the file
 */
export async function uploadAsset(client: Caller, file: Blob, name: string | undefined): Promise<AssetView> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return client.call('assetWrite', { path: { asset: await sha256(bytes) }, query: { name }, bytes })
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Browsers provide it only to pages of this machine or over https.
  if (globalThis.crypto.subtle === undefined)
    throw new Error(
      'This browser cannot compute SHA-256 on pages loaded without https. Open the page on the machine of the service.',
    )
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const ENDINGS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/svg+xml': 'svg', 'audio/mpeg': 'mp3' }

export function assetName(file: File): string {
  const pasted = file.name === '' || file.name === 'image.png'
  if (!pasted) return file.name.slice(-255)
  return `pasted.${ENDINGS[file.type] ?? file.type.split('/')[1] ?? 'bin'}`
}

export const nameInWidget = (value: string): string => value.replace(/ \[(?:input|output|temp)\]$/, '').trim()
