/**
 * The lock of a workflow: everything that its worker image is built from, with exact versions. Source: ours;
 * docs/spec/worker-images.md.
 */
import { z } from 'zod'
import { FOREIGN_FORMATS } from './foreign-formats.ts'

export const LOCK_SCHEMA = 'drydock-workflow-lock/1'

const text = z.string().min(1).max(1000)
const commit = z.string().regex(/^[0-9a-f]{40}$/, 'must be a full commit')
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal')
const bytes = z.number().int().min(0)
const segment = z.string().regex(/^(?!\.{1,2}$)[\w.+ -]{1,200}$/, 'must be one name of a file or folder')

const nodeSource = z.union([
  z.object({ registry: text, version: text, download: text.optional().describe('address of its archive') }),
  z.object({ repository: text, commit, ref: text.optional().describe('branch or tag that named the commit') }),
  z.object({ path: text.describe('relative to the lock, or absolute'), sha256: sha256.optional() }),
])

export type NodeSource = z.infer<typeof nodeSource>

const lockedNodes = z.looseObject({
  name: segment.describe('folder in custom_nodes'),
  source: nodeSource,
  classes: z.array(text).default([]).describe('classes of the workflow that it brings'),
  requirements: z.array(text).default([]).describe('Python requirements, as the package states them'),
  python: text.optional().describe('versions of Python that it accepts, like >=3.10'),
  comfyui: text.optional().describe('versions of ComfyUI that it accepts, like >=0.3.40'),
  licence: text.optional(),
})

const lockedPython = z.looseObject({
  name: text,
  version: text,
  source: text.optional().describe('address, of packages that come from no index'),
  sizeBytes: bytes.optional(),
  sha256: z.array(sha256).default([]).describe('of its files for Linux x86_64'),
  wantedBy: z.array(text),
})

const lockedModel = z.looseObject({
  folder: z.string().min(1).max(300).describe('below models/'),
  name: z.string().min(1).max(300),
  sizeBytes: bytes.optional(),
  sha256: sha256.optional(),
  source: text.optional().describe('address to download it from; missing: none is known'),
  licence: text.optional(),
  delivery: z
    .enum(['baked', 'mounted'])
    .optional()
    .describe('in the image or on a volume; missing: small ones are baked'),
})

/** Source: ours; its interpreter runs ComfyUI, and its wheels of torch bring CUDA. */
export const DEFAULT_BASE = { image: 'python:3.12-slim-bookworm', python: '3.12' } as const

export const workflowLock = z.looseObject({
  schema: z.literal(LOCK_SCHEMA),
  comfyui: z.looseObject({
    version: text.optional(),
    repository: text,
    commit,
    requirements: z.array(text).default([]).describe('Python requirements, as ComfyUI states them'),
  }),
  base: z.looseObject({
    image: text.describe('image that the worker image is built on, by digest if it is known'),
    python: text,
    cuda: text.optional(),
    provides: z.record(text, text).default({}).describe('Python packages of the base image, which stay as they are'),
  }),
  nodes: z.array(lockedNodes).default([]),
  requirements: z.array(text).default([]).describe('Python requirements of the user, next to those of packages'),
  worker: z
    .literal('local')
    .optional()
    .describe("without the platform's SDK, for workers on the machine of the service; missing: for every place"),
  python: z
    .array(lockedPython)
    .default([])
    .describe('Python packages of ComfyUI, the worker and all nodes, resolved together'),
  models: z.array(lockedModel).default([]),
  inputs: z.array(z.looseObject({ name: text, sizeBytes: bytes, sha256 })).default([]),
  environment: z.record(text, z.string()).default({}),
  workflow: z.looseObject({ file: text, sha256 }).optional(),
  imported: z
    .object({ format: z.enum(FOREIGN_FORMATS), text: z.string().max(4_000_000) })
    .optional()
    .describe('the file of another tool that it was read from, so that writing it back loses nothing'),
  accept: z
    .array(text)
    .default([])
    .describe('conflicts that the user accepts: licence:ID, class:NAME=PACKAGE, source:PYTHON-PACKAGE'),
})

export type WorkflowLock = z.infer<typeof workflowLock>
export type LockedNodes = z.infer<typeof lockedNodes>
export type LockedModel = z.infer<typeof lockedModel>
export type LockedPython = z.infer<typeof lockedPython>

export const imageConflict = z.object({
  code: z.enum([
    'python_versions',
    'python_missing',
    'python_release',
    'python_source',
    'python_overlap',
    'requirement_unreadable',
    'index_ignored',
    'cuda_release',
    'comfyui_release',
    'class_twice',
    'class_unknown',
    'model_without_source',
    'licence',
    'source_choice',
  ]),
  blocks: z.boolean().describe('false: a warning'),
  message: z.string().describe('who asks for what'),
  choices: z.array(z.string()).describe('each solves it'),
  packages: z
    .array(z.object({ name: z.string(), sources: z.array(z.string()).describe('known ones') }))
    .optional()
    .describe('a source for one of these solves it; empty: a source for a package that the user names'),
})
export type ImageConflict = z.infer<typeof imageConflict>

export type ImageBuildEvent =
  | {
      readonly kind: 'step'
      readonly id: string
      readonly name: string
      readonly state: 'waits' | 'started' | 'cached' | 'done' | 'failed'
      readonly tookMs: number | undefined
    }
  | { readonly kind: 'output'; readonly id: string; readonly text: string }

export class UnusableLock extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'UnusableLock'
    this.problems = problems
  }
}

export type FailedStep = {
  readonly number: number
  readonly of: number
  readonly title: string
  readonly package: string | undefined
  readonly wantedBy: readonly string[]
  readonly exitCode: number | undefined
  readonly lastLines: readonly string[]
}

export class ImageBuildFailure extends Error {
  readonly step: FailedStep

  constructor(step: FailedStep, options?: ErrorOptions) {
    super(failureText(step), options)
    this.name = 'ImageBuildFailure'
    this.step = step
  }
}

function failureText({ number, of, title, package: name, wantedBy, exitCode }: FailedStep): string {
  const about =
    name === undefined
      ? ''
      : ` Python package: ${name}${wantedBy.length === 0 ? '' : `, which ${wantedBy.join(' and ')} asked for`}.`
  const how = exitCode === undefined ? 'failed' : `failed with exit code ${exitCode}`
  return `Step ${number} of ${of} (${title}) ${how}.${about}`
}
export const deployedImage = z.object({
  reference: z.string().describe('as it was given, like ghcr.io/ada/cat:1'),
  pinned: z.string().describe('the same by digest or by image id, which never names another image'),
  sizeBytes: bytes.optional().describe('on the engine of this machine; missing: the image is not there'),
  lock: workflowLock,
})

export type DeployedImage = z.infer<typeof deployedImage>
