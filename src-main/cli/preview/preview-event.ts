import type { DeployedEndpoint, ReleaseStep, RunsOn } from '../../contract/app.ts'
import type { BuildProblem } from '../../contract/build.ts'
import type { LogLine } from '../../contract/management.ts'

/** What a preview tells, one after the other; `--json` prints each as a document. Spans in ms. */
export type PreviewEvent =
  /** The service answers; nothing is built yet. */
  | {
      readonly event: 'up'
      readonly app: string
      readonly environment: string
      readonly url: string
      readonly data: string
      readonly keyFile: string
    }
  /** Names from `.env` that workers get, and those that they do not. */
  | { readonly event: 'variables'; readonly names: readonly string[]; readonly leftOut: readonly string[] }
  /** A release is not ready yet; told when something has got on. */
  | { readonly event: 'preparing'; readonly release: number; readonly steps: readonly ReleaseStep[] }
  | {
      readonly event: 'live'
      readonly release: number
      /** From the save to the moment in which the new code answers. */
      readonly tookMs: number
      /** Files that changed; none for the first release. */
      readonly files: readonly string[]
      readonly because: 'code' | 'variables'
      readonly runsOn: RunsOn
      readonly warnings: readonly string[]
      readonly endpoints: readonly DeployedEndpoint[]
      /** How many endpoints the change concerns. */
      readonly changed: number
    }
  /** The source is again what answers already, after an error. */
  | { readonly event: 'as before'; readonly release: number }
  /** `answers`: the release that goes on; missing: none does. */
  | { readonly event: 'build failed'; readonly problems: readonly BuildProblem[]; readonly answers?: number }
  /** Without a number it could not even begin. */
  | { readonly event: 'release failed'; readonly release?: number; readonly why: string; readonly answers?: number }
  /** It was not ready in time for a newer save. */
  | { readonly event: 'given up'; readonly release: number }
  | { readonly event: 'warning'; readonly message: string }
  | { readonly event: 'log'; readonly endpoint: string; readonly line: LogLine }
  | { readonly event: 'stopping' }
  | { readonly event: 'ended' }

/** Hears what a preview tells. */
export type TellPreview = (event: PreviewEvent) => void
