/** What the form for a new endpoint makes of what was typed. Pure. */
import { fileProblem, type HubFile, hubFile } from '../../../src-main/contract/worker-repository.ts'
import { answerProblem, type HubAnswers, hubDefaults, hubSettings } from '../../../src-main/domain/app/hub-form.ts'
import type { Variable } from '../../ui/form/VariablesField.tsx'

/** What an endpoint is made from. `web`: a program that answers HTTP. */
export const NEW_ENDPOINTS = ['handler', 'command', 'web', 'image'] as const

/** What an endpoint is made from. */
export type NewEndpoint = (typeof NEW_ENDPOINTS)[number]

/** What was typed. Which of it counts depends on the kind. */
export type NewEndpointForm = {
  readonly id: string
  readonly handler: string
  readonly command: string
  /** Working folder of the command. */
  readonly cwd: string
  readonly image: string
  readonly loadBalanced: boolean
  readonly port: string
  readonly gpu: string
  readonly registryAuth: string
  readonly variables: readonly Variable[]
  /** The form that the repository of the image offers, where somebody opened one. */
  readonly hub: HubForm | undefined
  readonly ready: boolean
}

/** A `hub.json` with its answers. */
export type HubForm = {
  readonly file: HubFile
  /** Name of the preset; empty: none. */
  readonly preset: string
  readonly answers: HubAnswers
}

/** The empty form. A worker that starts at once shows whether the image can be pulled and started. */
export const EMPTY_FORM: NewEndpointForm = {
  id: '',
  handler: '',
  command: '',
  cwd: '',
  image: '',
  loadBalanced: false,
  port: '80',
  gpu: '',
  registryAuth: '',
  variables: [],
  hub: undefined,
  ready: true,
}

/** Body of 'create an endpoint'. What is empty is left to its default. */
export function createBody(
  kind: NewEndpoint,
  form: NewEndpointForm,
): Readonly<Record<string, unknown>> & { readonly name: string } {
  const id = form.id.trim()
  const named = form.variables.filter(({ name }) => name !== '')
  const asked = kind === 'image' && form.hub !== undefined ? hubSettings(form.hub.file, form.hub.answers) : undefined
  const env = { ...asked?.env, ...Object.fromEntries(named.map(({ name, value }) => [name, value])) }
  const common = { id, name: id, ...(Object.keys(env).length === 0 ? {} : { env }) }
  if (kind === 'handler') return { ...common, handler: form.handler.trim() }
  if (kind === 'command' || kind === 'web')
    return {
      ...common,
      command: form.command.trim(),
      cwd: folderOf(form.cwd),
      ...(kind === 'web' ? { loadBalanced: {} } : {}),
      ...(form.ready ? { workersMin: 1 } : {}),
    }
  const gpu = form.gpu.trim()
  return {
    ...common,
    container: {
      image: form.image.trim(),
      ...(asked?.diskBytes === undefined ? {} : { diskBytes: asked.diskBytes }),
      ...(gpu === '' ? {} : { gpu, ...(asked?.gpu === undefined ? {} : { gpuCount: asked.gpuCount }) }),
      ...(form.registryAuth === '' ? {} : { registryAuth: form.registryAuth }),
    },
    ...(form.loadBalanced ? { loadBalanced: { port: Number(form.port) } } : {}),
    ...(form.ready ? { workersMin: 1 } : {}),
  }
}

/** What a chosen `hub.json` changes in the form, or why it cannot be read. @param text of the file */
export function openHub(text: string): { readonly change: Partial<NewEndpointForm> } | { readonly problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'This file is not valid JSON.' }
  }
  const { data: file, error } = hubFile.safeParse(value)
  if (error !== undefined) return { problem: `This is not a valid hub.json: ${fileProblem(error)}.` }
  const answers = hubDefaults(file)
  return { change: { hub: { file, preset: '', answers }, gpu: hubSettings(file, answers).gpu ?? '' } }
}

/** The form with the values of a preset, or with its own again. @param preset its name, or empty */
export const withPreset = ({ file }: HubForm, preset: string): HubForm => ({
  file,
  preset,
  answers: hubDefaults(file, preset),
})

/** What is wrong with the answers, by the names of their variables. */
export function hubProblems({ file, answers }: HubForm): Readonly<Record<string, string>> {
  const found = file.config.env.map((variable) => [variable.key, answerProblem(variable, answers[variable.key] ?? '')])
  return Object.fromEntries(found.filter(([, problem]) => problem !== undefined))
}

/** The name that what was typed suggests; empty: it suggests none. */
export function suggestedName(kind: NewEndpoint, { image, handler, cwd }: NewEndpointForm): string {
  if (kind === 'image') return nameFromImage(image)
  if (kind !== 'handler') return nameFromPath(folderOf(cwd))
  // Many are called so, each in a folder of its own.
  const file = handler.trim().replace(/\.[^./\\]*$/, '')
  return nameFromPath(/[\\/](?:rp_)?(?:handler|main|app)$/.test(file) ? file.replace(/[\\/][^\\/]*$/, '') : file)
}

const nameFromPath = (path: string) => idFrom(path.split(/[\\/]/).at(-1) ?? '')

// The root stays as it is.
const folderOf = (path: string) => (path.trim().length > 1 ? path.trim().replace(/[\\/]+$/, '') : path.trim())

/** The name that an image suggests: `ghcr.io/ada/face-worker:1.2` is `face-worker`. */
export function nameFromImage(image: string): string {
  const [last = ''] = image.trim().split('/').at(-1)?.split(/[:@]/) ?? []
  return idFrom(last)
}

const idFrom = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
