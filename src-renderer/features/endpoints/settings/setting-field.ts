import type { EndpointConfig } from '../../../../src-main/contract/endpoint.ts'
import type { SettingInput } from './setting-input.ts'

/** One setting of an endpoint. */
export type SettingField = {
  /** Where it stands in the settings, like `container.gpu`. `container` alone: whether workers are containers. */
  readonly path: string
  readonly label: string
  /** What it does, in a sentence or two. */
  readonly help: string
  readonly input: SettingInput
  /** Whether it has a meaning with these settings; always without it. */
  readonly applies?: (config: EndpointConfig) => boolean
}

/** Settings that belong together. `id` is its place in the address. */
export type SettingSection = {
  readonly id: string
  readonly title: string
  /** What stands above its fields. */
  readonly about?: string
  readonly fields: readonly SettingField[]
}
