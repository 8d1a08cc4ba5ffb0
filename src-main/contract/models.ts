import { z } from 'zod'
import { moment } from './routes.ts'

const sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256: 64 hex digits')
  .transform((text) => text.toLowerCase())

// Validated further by features/models/rules/layout.ts, which reports the problem.
const directory = z.string().min(1).max(200).describe('kind of model as ComfyUI names its folder, like checkpoints')
const name = z.string().min(1).max(500).describe('path of the file within the directory, with /')
const path = z.string().min(1).max(4096).describe('absolute folder of this machine')

/** A model of the hub that an endpoint needs. Source: the public package runpod 2.0, its class Model. */
export const hubModel = z
  .string()
  .regex(
    /^(?!\.)[\w.-]{1,100}\/(?!\.)[\w.-]{1,100}(?::(?!.*\.\.)\w[\w./-]{0,199})?$/,
    'must look like owner/name, or owner/name:revision',
  )

const hubFile = z.object({
  path: z.string(),
  bytes: z.number().optional(),
  sha256: z.string().optional(),
})

export const hubListing = z.object({ revision: z.string().regex(/^[0-9a-f]{40}$/), files: z.array(hubFile) })

export type HubListing = z.infer<typeof hubListing>

/** Response to GET /api/models/OWNER/NAME/revision/REVISION?blobs=true. Source: the hub's public API. */
export const hubAnswer = z.object({
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  siblings: z.array(
    z.object({
      rfilename: z.string(),
      size: z.number().nullish(),
      lfs: z.object({ sha256: z.string().optional() }).nullish(),
    }),
  ),
})

/** A folder of models: laid out like ComfyUI's models folder, or by `directories`, like extra_model_paths.yaml. */
export const modelFolder = z.strictObject({
  path,
  directories: z
    .record(directory, z.array(z.string().min(1).max(500)).min(1).max(20))
    .optional()
    .describe('only these directories, each with its folders within the path'),
})

export type ModelFolder = z.infer<typeof modelFolder>

/** The first folder receives downloads; an empty list restores the default. */
export const modelFoldersUpdate = z.strictObject({ folders: z.array(modelFolder).max(20) })

export const modelFolderView = z.object({
  ...modelFolder.shape,
  isDefault: z.boolean().describe('the one in the data folder, which is used where no other is set'),
  files: z.number().int(),
  bytes: z.number(),
  freeBytes: z.number().optional().describe('on its disk; missing: nobody knows'),
  fault: z.string().optional().describe('why it cannot be read'),
  mountedAt: z.string().describe('where containers have it, read-only'),
})

export type ModelFolderView = z.infer<typeof modelFolderView>

/** `pickle` files can contain code: detected by their first bytes and never loaded. */
const MODEL_FORMATS = ['safetensors', 'gguf', 'pickle', 'onnx', 'unknown'] as const

const MODEL_KINDS = [
  'checkpoint',
  'diffusion model',
  'lora',
  'vae',
  'text encoder',
  'vision encoder',
  'controlnet',
  'upscaler',
  'embedding',
  'adapter',
] as const

export const modelFacts = z.object({
  format: z.enum(MODEL_FORMATS),
  kind: z.enum(MODEL_KINDS).optional(),
  architecture: z.string().optional().describe('like SDXL or FLUX.1'),
  title: z.string().optional().describe('as its metadata says'),
  precision: z.string().optional().describe('of most of its numbers, like F16 or Q4_K'),
  parameters: z.number().optional(),
  fault: z.string().optional().describe('what is wrong with the file'),
})

export type ModelFacts = z.infer<typeof modelFacts>

export const modelView = z.object({
  folder: path,
  directory,
  name,
  ...modelFacts.shape,
  bytes: z.number(),
  changedAt: moment,
  sha256: z.string().optional().describe('known of those that were downloaded'),
  isOutside: z.boolean().describe('a link that leads out of its folder, where containers do not see it'),
})

export type ModelView = z.infer<typeof modelView>

export type ModelKey = Pick<ModelView, 'directory' | 'name'>

export const modelUse = z.object({
  kind: z.enum(['workflow', 'graph', 'run']),
  id: z.string(),
  title: z.string(),
  at: moment,
})

export type ModelUse = z.infer<typeof modelUse>

export const DOWNLOAD_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const

export type DownloadState = (typeof DOWNLOAD_STATES)[number]

export const modelDownloadCreate = z.strictObject({
  url: z.string().min(1).max(4096).describe('http or https, without user and password'),
  directory: directory.optional().describe('missing: by the address, where it names one'),
  name: name.optional().describe('missing: by the address'),
  folder: path.optional().describe('one of the model folders; missing: the first one'),
  sha256: sha256.optional().describe('of the whole file; any other file is refused'),
})

export type ModelDownloadCreate = z.infer<typeof modelDownloadCreate>

export const modelDownload = z.object({
  id: z.string(),
  url: z.string().describe('without what may be secret in its query'),
  folder: path,
  directory,
  name,
  state: z.enum(DOWNLOAD_STATES),
  reason: z.string().optional().describe('why it failed, or waits'),
  receivedBytes: z.number(),
  totalBytes: z.number().optional().describe('missing: the host has not said'),
  bytesPerSecond: z.number().optional().describe('of the last seconds, while it runs'),
  sha256: z.string().optional().describe('of the file, once it is here; before that as it is expected'),
  createdAt: moment,
  endedAt: moment.optional(),
})

export type ModelDownload = z.infer<typeof modelDownload>

export const modelNews = z.object({
  revision: z.number().int().describe('grows when a model came or went, or a folder'),
  downloads: z.array(modelDownload).describe('newest first'),
})

export type ModelNews = z.infer<typeof modelNews>

const modelHost = z
  .string()
  .regex(/^[a-z0-9.-]{1,253}(:\d{1,5})?$/, 'must be a host in small letters, like huggingface.co or 127.0.0.1:8080')

export const modelCredentialsPut = z
  .strictObject({
    host: modelHost,
    token: z.string().min(1).max(10_000).optional(),
    username: z.string().min(1).max(1000).optional(),
    password: z.string().min(1).max(10_000).optional(),
  })
  .refine(
    ({ token, username, password }) => (token === undefined) === (username !== undefined && password !== undefined),
    {
      message: 'give a token, or a username and a password',
      path: ['token'],
    },
  )
  .refine(({ token, username, password }) => token === undefined || (username ?? password) === undefined, {
    message: 'give a token, or a username and a password, not both',
    path: ['token'],
  })

export const modelCredentialsView = z.object({ host: z.string(), username: z.string().optional(), updatedAt: moment })

export type ModelCredentialsView = z.infer<typeof modelCredentialsView>
