import { endpointConfig } from '../../../../src-main/contract/endpoint.ts'
import { type ExportFacts, exportToKubernetes } from '../../../../src-main/domain/export/kubernetes.ts'
import type { Exported } from '../../../../src-main/domain/export/kubernetes-manifest.ts'

/** Settings as the API takes them; of the container any of them. */
export type Settings = Record<string, unknown> & { readonly container?: Record<string, unknown> | undefined }

/** An endpoint that runs an image, with these settings. */
export function endpoint({ container, ...settings }: Settings = {}, id = 'sdxl'): Exported {
  const config = { name: 'Pictures', container: { image: 'ghcr.io/ada/sdxl:2', ...container }, ...settings }
  return { id, paused: false, ...endpointConfig.parse(config) }
}

/** What the exports of tests are made of, beside the endpoint. */
export const FACTS: ExportFacts = { serviceUrl: 'http://box:8790', variables: [], volumeBytes: 10 * 1024 ** 3 }

/** The export of such an endpoint. */
export const exportOf = (settings: Settings = {}, facts: Partial<ExportFacts> = {}) =>
  exportToKubernetes(endpoint(settings), { ...FACTS, ...facts })
