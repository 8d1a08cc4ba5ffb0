/**
 * The models of this machine: files in folders that are laid out as those of ComfyUI, downloads into them, and the
 * credentials of the hosts that they come from.
 */
import { z } from 'zod'
import { moment } from './routes.ts'

const sha256 = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256: 64 hex digits')
  .transform((text) => text.toLowerCase())

// Checked further by domain/models/layout.ts, which says what is wrong.
const directory = z.string().min(1).max(200).describe('kind of model as ComfyUI names its folder, like checkpoints')
const name = z.string().min(1).max(500).describe('path of the file within the directory, with /')
const path = z.string().min(1).max(4096).describe('absolute folder of this machine')

/** A model of the hub that an endpoint has at hand. Source: the public package runpod 2.0, its class Model. */
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

/** The files of a revision, as they are stored beside it. */
export const hubListing = z.object({ revision: z.string().regex(/^[0-9a-f]{40}$/), files: z.array(hubFile) })

/** What a hub has of a revision. */
export type HubListing = z.infer<typeof hubListing>

/** Answer of the hub to GET /api/models/OWNER/NAME/revision/REVISION?blobs=true. Source: the hub's public API. */
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

/**
 * A folder of models: laid out as the models folder of ComfyUI, or as `directories` says, like extra_model_paths.yaml.
 */
export const modelFolder = z.strictObject({
  path,
  directories: z
    .record(directory, z.array(z.string().min(1).max(500)).min(1).max(20))
    .optional()
    .describe('only these directories, each with its folders within the path'),
})

/** A folder of models. */
export type ModelFolder = z.infer<typeof modelFolder>

/** Body of 'set the folders of models'. The first one takes downloads; an empty list is the default one again. */
export const modelFoldersUpdate = z.strictObject({ folders: z.array(modelFolder).max(20) })

/** A folder with how it is. */
export const modelFolderView = z.object({
  ...modelFolder.shape,
  isDefault: z.boolean().describe('the one in the data folder, which is used where no other is set'),
  files: z.number().int(),
  bytes: z.number(),
  freeBytes: z.number().optional().describe('on its disk; missing: nobody knows'),
  fault: z.string().optional().describe('why it cannot be read'),
  mountedAt: z.string().describe('where containers have it, read-only'),
})

/** A folder with how it is. */
export type ModelFolderView = z.infer<typeof modelFolderView>

/**
 * Forms of files of models. Those of `pickle` can hold code: they are recognised by their first bytes and never loaded.
 */
const MODEL_FORMATS = ['safetensors', 'gguf', 'pickle', 'onnx', 'unknown'] as const

/** What a model does, as far as its file tells. */
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

/** What the file of a model says of it; what it does not say is missing. */
export const modelFacts = z.object({
  format: z.enum(MODEL_FORMATS),
  kind: z.enum(MODEL_KINDS).optional(),
  architecture: z.string().optional().describe('like SDXL or FLUX.1'),
  title: z.string().optional().describe('as its metadata says'),
  precision: z.string().optional().describe('of most of its numbers, like F16 or Q4_K'),
  parameters: z.number().optional(),
  fault: z.string().optional().describe('what is wrong with the file'),
})

/** What the file of a model tells. */
export type ModelFacts = z.infer<typeof modelFacts>

/** A model that is installed. */
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

/** An installed model as the API gives it. */
export type ModelView = z.infer<typeof modelView>

/** A model as graphs name it. */
export type ModelKey = Pick<ModelView, 'directory' | 'name'>

/** Something that names a model. */
export const modelUse = z.object({
  kind: z.enum(['workflow', 'graph', 'run']),
  id: z.string(),
  title: z.string(),
  at: moment,
})

/** Something that names a model. */
export type ModelUse = z.infer<typeof modelUse>

/** States of a download; the last three are final. */
export const DOWNLOAD_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const

/** State of a download. */
export type DownloadState = (typeof DOWNLOAD_STATES)[number]

/** Body of 'download a model'. */
export const modelDownloadCreate = z.strictObject({
  url: z.string().min(1).max(4096).describe('http or https, without user and password'),
  directory: directory.optional().describe('missing: by the address, where it names one'),
  name: name.optional().describe('missing: by the address'),
  folder: path.optional().describe('one of the model folders; missing: the first one'),
  sha256: sha256.optional().describe('of the whole file; any other file is refused'),
})

/** What is to be downloaded. */
export type ModelDownloadCreate = z.infer<typeof modelDownloadCreate>

/** A download of a model: where from, how far, and why it ended. */
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

/** A download as the API gives it. */
export type ModelDownload = z.infer<typeof modelDownload>

/** Events of models while they are followed. */
export const modelNews = z.object({
  revision: z.number().int().describe('grows when a model came or went, or a folder'),
  downloads: z.array(modelDownload).describe('newest first'),
})

/** Events of models. */
export type ModelNews = z.infer<typeof modelNews>

/** Host that credentials are of. */
const modelHost = z
  .string()
  .regex(/^[a-z0-9.-]{1,253}(:\d{1,5})?$/, 'must be a host in small letters, like huggingface.co or 127.0.0.1:8080')

/** Body of 'store credentials of a host': a token, or a user and a password. */
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

/** Credentials of a host as the management API shows them: without what is secret. */
export const modelCredentialsView = z.object({ host: z.string(), username: z.string().optional(), updatedAt: moment })

/** Credentials of a host, without what is secret. */
export type ModelCredentialsView = z.infer<typeof modelCredentialsView>
