import type { LocalMachineView } from '../../../src-main/contract/system.ts'
import { fileProblem, type HubFile, hubFile } from '../../../src-main/contract/worker-repository.ts'
import {
  answerProblem,
  type HubAnswers,
  hubDefaults,
  hubSettings,
} from '../../../src-main/features/apps/rules/worker-form.ts'
import { SETTING_SECTIONS } from '../../../src-main/features/endpoints/rules/settings/sections.ts'
import { plainJson } from '../../../src-main/lib/json/plain.ts'
import { engineWarning } from '../../ui/engine-warning.ts'
import type { Variable } from '../../ui/form/VariablesField.tsx'
import type { NewEndpoint } from './endpoint-state.ts'

export type HubForm = {
  readonly file: HubFile
  readonly preset: string
  readonly answers: HubAnswers
}

/** Names the field by its label instead of its name in the API, as in `handler: there is no file …`. */
export function withLabel(error: string): string {
  const [start, path] = /^([\w.]+): /.exec(error) ?? ['']
  // The form has one field for name and id.
  const field = path === 'id' ? 'name' : path
  const label = SETTING_SECTIONS.flatMap(({ fields }) => fields).find((one) => one.path === field)?.label
  return label === undefined ? error : `${label}: ${error.slice(start.length)}`
}

/** The empty form. An immediate worker shows whether the image can be pulled and started. */
export const EMPTY_FORM = {
  id: '',
  handler: '',
  command: '',
  cwd: '',
  image: '',
  loadBalanced: false,
  port: '80',
  gpu: '',
  registryAuth: '',
  variables: [] as readonly Variable[],
  hub: undefined as HubForm | undefined,
  ready: true,
}

export type NewEndpointForm = Readonly<typeof EMPTY_FORM>

export function imageWarning(
  machine: Pick<LocalMachineView, 'engine' | 'gpus'> | undefined,
  gpu: string,
): string | undefined {
  if (machine === undefined) return undefined
  const lacks = [
    ...[engineWarning(machine)].filter((text) => text !== undefined),
    ...(gpu.trim() === '' || machine.gpus.length > 0 ? [] : ['This machine has no NVIDIA GPU.']),
  ]
  return lacks.length === 0 ? undefined : `${lacks.join(' ')} Until then, its workers cannot start.`
}

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

export function openHub(text: string): { readonly change: Partial<NewEndpointForm> } | { readonly problem: string } {
  const value = plainJson(text)
  if (value === undefined) return { problem: 'This file is not valid JSON.' }
  const { data: file, error } = hubFile.safeParse(value)
  if (error !== undefined) return { problem: `This is not a valid hub.json: ${fileProblem(error)}.` }
  const answers = hubDefaults(file)
  return { change: { hub: { file, preset: '', answers }, gpu: hubSettings(file, answers).gpu ?? '' } }
}

/**
 * Applies a preset's values, or restores the form's own.
 * @param preset its name, or empty
 */
export const withPreset = ({ file }: HubForm, preset: string): HubForm => ({
  file,
  preset,
  answers: hubDefaults(file, preset),
})

export function hubProblems({ file, answers }: HubForm): Readonly<Record<string, string>> {
  const found = file.config.env.map((variable) => [variable.key, answerProblem(variable, answers[variable.key] ?? '')])
  return Object.fromEntries(found.filter(([, problem]) => problem !== undefined))
}

export function suggestedName(kind: NewEndpoint, { image, handler, cwd }: NewEndpointForm): string {
  if (kind === 'image') return nameFromImage(image)
  if (kind !== 'handler') return nameFromPath(folderOf(cwd))
  // Common file names say nothing; their folder names the endpoint.
  const file = handler.trim().replace(/\.[^./\\]*$/, '')
  return nameFromPath(/[\\/](?:rp_)?(?:handler|main|app)$/.test(file) ? file.replace(/[\\/][^\\/]*$/, '') : file)
}

const nameFromPath = (path: string) => idFrom(path.split(/[\\/]/).at(-1) ?? '')

const folderOf = (path: string) => (path.trim().length > 1 ? path.trim().replace(/[\\/]+$/, '') : path.trim())

/** Suggests a name: `ghcr.io/ada/face-worker:1.2` is `face-worker`. */
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
