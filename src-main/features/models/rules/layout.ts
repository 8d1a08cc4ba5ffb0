/** ComfyUI directories by kind. Names come from untrusted documents and are checked before they become paths. */

import { utf8Bytes } from '../../../contract/limits.ts'
import type { ModelFolder, ModelKey } from '../../../contract/models.ts'
import { percentDecoded } from '../../../lib/percent-encoding.ts'

/** Built into ComfyUI; source: its folder_paths. Extensions add others. */
export const MODEL_DIRECTORIES = [
  'checkpoints',
  'diffusion_models',
  'loras',
  'vae',
  'text_encoders',
  'clip_vision',
  'controlnet',
  'upscale_models',
  'embeddings',
  'style_models',
  'model_patches',
  'audio_encoders',
  'gligen',
  'hypernetworks',
  'photomaker',
  'latent_upscale_models',
  'vae_approx',
  'diffusers',
  'configs',
] as const

// Older directory names, which ComfyUI still reads.
const OLDER_NAMES: Readonly<Record<string, string>> = {
  unet: 'diffusion_models',
  clip: 'text_encoders',
  t2i_adapter: 'controlnet',
}

export const presentDirectory = (directory: string): string => OLDER_NAMES[directory] ?? directory

const namesOfDirectory = (directory: string): readonly string[] => [
  directory,
  ...Object.entries(OLDER_NAMES).flatMap(([older, present]) => (present === directory ? [older] : [])),
]

/** Built-in models have names without an ending, like `taesd`. */
export const MODEL_FILE = /\.(?:safetensors|sft|ckpt|pt2?|pth|bin|gguf|onnx|pkl)$/i

const NAME_BYTES_MAX = 200

/**
 * A path must mean the same on every system and stay inside.
 * @param path with / separators
 * @returns the end of a sentence, or undefined
 */
export function pathProblem(path: string): string | undefined {
  if (path.includes('\\')) return 'must have / between folders, and no \\'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'must be a path within the folder, not an absolute one'
  const parts = path.split('/')
  if (parts.length > 8) return 'is nested too deeply: at most 8 parts'
  for (const part of parts) {
    if (part === '' || part === '.' || part === '..') return 'must not hold empty parts, . or ..'
    if (part.startsWith('.')) return 'must not begin with a dot: such files are hidden'
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
    if (/[\u0000-\u001f\u007f<>:"|?*]/.test(part)) return 'must not hold control characters or any of < > : " | ? *'
    if (/[. ]$/.test(part)) return 'must not end with a dot or a space'
    if (utf8Bytes(part) > NAME_BYTES_MAX) return `must be at most ${NAME_BYTES_MAX} bytes a part`
  }
  return undefined
}

export function modelNameProblem(name: string): string | undefined {
  const problem = pathProblem(name)
  if (problem !== undefined) return problem
  return MODEL_FILE.test(name) ? undefined : 'must end like a model file, for example in .safetensors, .gguf or .pth'
}

export function foldersOf({ directories }: ModelFolder, directory: string): readonly string[] {
  const wanted = presentDirectory(directory)
  if (directories === undefined) return namesOfDirectory(wanted)
  return Object.entries(directories).flatMap(([name, folders]) => (presentDirectory(name) === wanted ? folders : []))
}

export function folderProblem({ path, directories = {} }: ModelFolder): string | undefined {
  if (!path.startsWith('/') && !/^[A-Za-z]:[\\/]/.test(path)) return `${path} must be an absolute folder`
  for (const [directory, folders] of Object.entries(directories))
    for (const one of [directory, ...folders]) {
      const problem = pathProblem(one)
      if (problem !== undefined) return `${one} ${problem}`
    }
  return undefined
}

// Loader inputs and their directories. Source: the nodes of ComfyUI.
const INPUTS: readonly (readonly [RegExp, string])[] = [
  [/^ckpt_name|^checkpoint/i, 'checkpoints'],
  [/^lora(?:_name)?(?:_?\d+)?$/i, 'loras'],
  [/^vae_name/i, 'vae'],
  [/^unet_name/i, 'diffusion_models'],
  [/^clip_name\d?$/i, 'text_encoders'],
  [/^control_?net_name/i, 'controlnet'],
  [/^style_model_name/i, 'style_models'],
  [/^gligen_name/i, 'gligen'],
  [/^hypernetwork_name/i, 'hypernetworks'],
  [/^photomaker_model_name/i, 'photomaker'],
  [/^audio_encoder_name/i, 'audio_encoders'],
]
const CLASSES: Readonly<Record<string, string>> = {
  CLIPVisionLoader: 'clip_vision',
  unCLIPCheckpointLoader: 'checkpoints',
  UpscaleModelLoader: 'upscale_models',
  ModelPatchLoader: 'model_patches',
}

export function directoryOfInput(input: string, classType: string | undefined): string | undefined {
  return CLASSES[classType ?? ''] ?? INPUTS.find(([pattern]) => pattern.test(input))?.[1]
}

export const graphName = (asked: string): string => asked.replaceAll('\\', '/')

export function isModelHere(here: readonly ModelKey[], asked: string, directory: string | undefined): boolean {
  const wanted = graphName(asked)
  return here.some(
    (model) => model.name === wanted && (directory === undefined || presentDirectory(model.directory) === directory),
  )
}

// A pattern, because this layer has no URL class: origin, path, query.
const ADDRESS = /^(https?:\/\/[^/?#]+)([^?#]*)(?:\?([^#]*))?/i

/** File name of a download address, and the directory if its path names one. */
export function modelAtAddress(url: string): {
  readonly name: string | undefined
  readonly directory: string | undefined
} {
  const parts = (ADDRESS.exec(url)?.[2] ?? '').split('/').map(percentDecoded)
  const name = parts.at(-1) ?? ''
  const known = new Set<string>([...MODEL_DIRECTORIES, ...Object.keys(OLDER_NAMES)])
  const directory = parts.slice(0, -1).findLast((part) => known.has(part))
  return {
    name: modelNameProblem(name) === undefined ? name : undefined,
    directory: directory === undefined ? undefined : presentDirectory(directory),
  }
}

/** For people and logs: hides query values, which may be keys. */
export function shownAddress(url: string): string {
  const [, origin = '', path = '', query = ''] = ADDRESS.exec(url) ?? []
  const names = query === '' ? [] : query.split('&').map((one) => one.replace(/=.*$/, '=…'))
  return `${origin}${path}${names.length === 0 ? '' : `?${names.join('&')}`}`
}

const MOUNT_ROOT = '/opt/drydock/models'

/** Where a ComfyUI image reads extra folders; source: the public image worker, whose server is in /comfyui. */
export const PATHS_FILE = '/comfyui/extra_model_paths.yaml'

export const mountOf = (index: number): string => `${MOUNT_ROOT}/${index + 1}`

export const isOfModels = (path: string): boolean => path.startsWith(`${MOUNT_ROOT}/`)

type SeenFolder = {
  readonly folder: ModelFolder
  readonly seenAt: string
  readonly directories: readonly string[]
}

/**
 * Quotes texts as JSON, which YAML accepts.
 * @param withVolume includes the network volume's folders, as the public image's file does
 */
export function modelPathsYaml(
  folders: readonly SeenFolder[],
  { withVolume }: { readonly withVolume: boolean },
): string {
  const sections = folders.map(({ folder, seenAt, directories }, index) => {
    const names = [...new Set([...MODEL_DIRECTORIES, ...directories].map(presentDirectory))]
    const lines = names.flatMap((name) => {
      const paths = foldersOf(folder, name)
      return paths.length === 0 ? [] : [`  ${JSON.stringify(name)}: ${JSON.stringify(paths.join('\n'))}`]
    })
    return [`drydock_${index + 1}:`, `  base_path: ${JSON.stringify(seenAt)}`, ...lines].join('\n')
  })
  const volume = withVolume ? [VOLUME] : []
  return `# Written by Drydock: the model folders from its settings.\n${[...sections, ...volume].join('\n')}\n`
}

const VOLUME = [
  'network_volume:',
  '  base_path: "/runpod-volume"',
  ...MODEL_DIRECTORIES.map((name) => {
    const paths = foldersOf({ path: '/' }, name).map((one) => `models/${one}`)
    return `  ${JSON.stringify(name)}: ${JSON.stringify(paths.join('\n'))}`
  }),
].join('\n')
